/* SPDX-License-Identifier: BSD-2-Clause */

#include "../util/file_read.h"
#include "debug_link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

int debug_link_read(struct elf_file *f, struct debug_link *link)
{
	struct debug_link out = {};
	const u8 *bytes;
	size_t len, name_len, crc_at;
	int err = elf_file_section(f, ".gnu_debuglink", 4096, &bytes, &len);

	if (err)
		return err;
	name_len = strnlen((const char *)bytes, len);
	crc_at = (name_len + 4) & ~(size_t)3; /* the checksum follows the name's NUL, aligned to
					       * 4 */
	if (!name_len || name_len >= sizeof(out.name) || crc_at + 4 > len ||
	    memchr(bytes, '/', name_len))
		return -ENOEXEC;
	memcpy(out.name, bytes, name_len);
	memcpy(&out.crc, bytes + crc_at, sizeof(out.crc));
	*link = out;
	return 0;
}

int debug_altlink_read(struct elf_file *f, struct debug_altlink *link)
{
	struct debug_altlink out = {};
	const u8 *bytes;
	size_t len, name_len, id_len;
	int err = elf_file_section(f, ".gnu_debugaltlink", 4096, &bytes, &len);

	if (err)
		return err;
	name_len = strnlen((const char *)bytes, len);
	id_len = len - name_len > 0 ? len - name_len - 1 : 0;
	if (!name_len || name_len >= sizeof(out.name) || !id_len ||
	    2 * id_len >= sizeof(out.build_id))
		return -ENOEXEC;
	memcpy(out.name, bytes, name_len);
	for (size_t i = 0; i < id_len; i++)
		snprintf(out.build_id + 2 * i, 3, "%02x", bytes[name_len + 1 + i]);
	*link = out;
	return 0;
}

int debug_link_crc(int fd, u64 max_len, u32 *crc)
{
	u8 bytes[65536];
	uLong sum = crc32(0, NULL, 0);
	u64 at = 0;
	ssize_t n;

	while ((n = file_read_some(fd, at, bytes, sizeof(bytes))) > 0) {
		sum = crc32(sum, bytes, (uInt)n);
		at += (u64)n;
		if (at > max_len)
			return -EFBIG;
	}
	if (n < 0)
		return (int)n;
	*crc = (u32)sum;
	return 0;
}
