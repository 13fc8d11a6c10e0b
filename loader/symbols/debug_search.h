/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/elf/elf_file.h"

/**
 * debug_search() - the debug file of a binary
 * @f:		the binary
 * @root_fd:	where to search first: the root directory of a process that maps it, or -1;
 *		then under the recorder's
 * @path:	of the binary under that root
 * @fetched:	a debug file that was fetched for it (debuginfod.h), tried first; NULL: none
 * @debug:	the debug file, free with elf_file_free()
 * @why:	@why_len bytes: why what was found is not it; else left alone
 *
 * Searched are, as gdb does:
 *
 *	/usr/lib/debug/.build-id/xx/yyyy.debug
 *	/usr/lib/debug/DIR/LINK, DIR/LINK, DIR/.debug/LINK	by .gnu_debuglink
 *
 * the last two not under the recorder's root, where DIR may be a target's to fill with links.
 *
 * No symlink leads out of the root. A file must be regular, not on FUSE (reading it might never
 * end), and of the same build id; the checksum decides for a binary without one.
 *
 * Opening can block: for the helper only.
 *
 * Return: 0 or -ENOENT.
 */
int debug_search(struct elf_file *f, int root_fd, const char *path, const char *fetched,
		 struct elf_file **debug, char *why, size_t why_len);

/**
 * debug_search_alt() - the file that dwz(1) made beside a debug file
 * @f:		the binary, or its debug file
 * @root_fd, @path, @why, @why_len: as above, of the binary
 * @alt:	the file, free with elf_file_free()
 *
 * Searched by build id as above, and where .gnu_debugaltlink says: a path, or one from the binary's
 * folder, that below /usr/lib/debug, or that by the build id of @f.
 *
 * Return: 0 or -ENOENT, also when @f needs none.
 */
int debug_search_alt(struct elf_file *f, int root_fd, const char *path, struct elf_file **alt,
		     char *why, size_t why_len);
