/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/elf/elf_file.h"

/**
 * debug_search() - find the debug file of a binary
 * @f:		the binary
 * @root_fd:	root directory of a process that maps it, searched before the recorder's
 *  root; or -1
 * @path:	path of the binary under that root
 * @fetched:	debug file fetched for it (debuginfod.h), tried first; NULL: none
 * @debug:	the debug file, free with elf_file_free()
 * @why:	@why_len bytes: why a file that was found does not match; else unchanged
 *
 * Searches the same paths as gdb:
 *
 *	/usr/lib/debug/.build-id/xx/yyyy.debug
 *	/usr/lib/debug/DIR/LINK, DIR/LINK, DIR/.debug/LINK	by .gnu_debuglink
 *
 * The last two are not tried under the recorder's root, where a target may be able to place
 * symlinks in DIR.
 *
 * No symlink leads out of the root. A file must be regular, not on FUSE (reading it might never
 * end), and have the same build id, or the same checksum if the binary has no build id.
 *
 * Opening can block, so only the helper calls this.
 *
 * Return: 0 or -ENOENT.
 */
int debug_search(struct elf_file *f, int root_fd, const char *path, const char *fetched,
		 struct elf_file **debug, char *why, size_t why_len);

/**
 * debug_search_alt() - find the file that dwz(1) created for a debug file
 * @f:		the binary, or its debug file
 * @root_fd, @path, @why, @why_len:	as in debug_search(), for the binary
 * @alt:	the file, free with elf_file_free()
 *
 * Searches by build id, as debug_search() does, and then by the path in .gnu_debugaltlink. A
 * relative path is tried from the binary's folder, from that folder below /usr/lib/debug, and
 * from the folder of the debug file that has the build id of @f.
 *
 * Return: 0 or -ENOENT, also if @f needs no such file.
 */
int debug_search_alt(struct elf_file *f, int root_fd, const char *path, struct elf_file **alt,
		     char *why, size_t why_len);
