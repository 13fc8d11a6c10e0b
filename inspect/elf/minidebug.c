/* SPDX-License-Identifier: BSD-2-Clause */

#include "minidebug.h"

#include <errno.h>
#include <lzma.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../util/cleanup.h"

/*
 * Writes decompressed bytes to @fd. Return: 1 if there are more, 0 at the end, or a negative errno.
 */
static int decompress(lzma_stream *xz, u64 max_len, int fd)
{
	u8 bytes[65536];
	lzma_ret ret;
	size_t n;

	xz->next_out = bytes;
	xz->avail_out = sizeof(bytes);
	ret = lzma_code(xz, LZMA_FINISH);
	n = sizeof(bytes) - xz->avail_out;
	if (ret != LZMA_OK && ret != LZMA_STREAM_END)
		return ret == LZMA_MEM_ERROR ? -ENOMEM : -ENOEXEC;
	if (xz->total_out > max_len)
		return -EFBIG;
	if (write(fd, bytes, n) != (ssize_t)n)
		return -ENOMEM;
	return ret == LZMA_OK;
}

int minidebug_open(struct elf_file *f, u64 max_len, int *fd)
{
	_cleanup_close_ int own = -1;
	lzma_stream xz = LZMA_STREAM_INIT;
	const u8 *bytes;
	size_t len;
	int r = elf_file_section(f, ".gnu_debugdata", max_len, &bytes, &len);

	if (r)
		return r;
	own = memfd_create("gnu_debugdata", MFD_CLOEXEC);
	if (own < 0)
		return -errno;
	if (lzma_stream_decoder(&xz, MINIDEBUG_MEMORY, 0) != LZMA_OK)
		return -ENOMEM;
	xz.next_in = bytes;
	xz.avail_in = len;
	do
		r = decompress(&xz, max_len, own);
	while (r > 0);
	lzma_end(&xz);
	if (r < 0)
		return r;
	*fd = TAKE_FD(own);
	return 0;
}
