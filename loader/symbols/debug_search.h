/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/elf/elf_file.h"

/**
 * debug_search() - find the debug file of a binary
 * @f:		the binary
 * @root_fd:	root directory of a process that maps the binary, searched before the recorder's
 *		root; or -1
 * @path:	path of the binary under @root_fd
 * @fetched:	debug file that was fetched for @f (debuginfod.h) and is tried first; NULL: none
 * @debug:	the debug file, free with elf_file_free()
 * @why:	@why_len bytes; receives the reason why a file that was found does not match, and is
 *	otherwise unchanged
 *
 * Searches the same paths as gdb:
 *
 *	/usr/lib/debug/.build-id/xx/yyyy.debug
 *	/usr/lib/debug/DIR/LINK, DIR/LINK, DIR/.debug/LINK	by .gnu_debuglink
 *
 * DIR/LINK and DIR/.debug/LINK are not tried under the recorder's root, where a target may be able
 * to place symlinks in DIR.
 *
 * Symlinks cannot lead out of the root. The debug file must be a regular file, must not be on FUSE
 * (reading it might never end), and must have the build id of the binary, or, if the binary has no
 * build id, the right checksum.
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
 * relative path is tried in the binary's folder, in the same folder below /usr/lib/debug, and in
 * the folder of debug files for @f's build id.
 *
 * Return: 0, or -ENOENT, also if @f needs no such file.
 */
int debug_search_alt(struct elf_file *f, int root_fd, const char *path, struct elf_file **alt,
		     char *why, size_t why_len);
