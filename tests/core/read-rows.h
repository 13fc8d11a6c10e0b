/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reads of user memory and their expected results, over this layout at READ_ADDR:
 *
 *	0x0000  0x1000  0x2000       0x3000   0x4000     0x5000     0x6000
 *	 read    read    no access    absent   unmapped   exec+read  (unmapped)
 *
 * Byte i of the layout is i & 0xff in pages 0 and 5, (i ^ 0x80) & 0xff in page 1.
 */

#include "../../sim/mem/image.h"

#include <string.h>

#define READ_ADDR 0x200005000000ull
#define READ_MAX_LEN 1024

struct read_row {
	const char *name;
	u64 addr;
	u32 len;
	bool ok;
};

static const struct read_row read_rows[] = {
	{ "one byte", READ_ADDR + 5, 1, true },
	{ "a word", READ_ADDR + 16, 8, true },
	{ "a misaligned word", READ_ADDR + 13, 8, true },
	{ "a read of the largest allowed length", READ_ADDR + 64, 1024, true },
	{ "a read up to the end of a page", READ_ADDR + 0xff8, 8, true },
	{ "a read across two pages", READ_ADDR + 0xffc, 8, true },
	{ "a read up to a page without access", READ_ADDR + 0x1ff8, 8, true },
	{ "a read from a readable page into one without access", READ_ADDR + 0x1ffc, 8, false },
	{ "a page without access", READ_ADDR + 0x2000, 8, false },
	{ "a read from a page without access into an absent page", READ_ADDR + 0x2ffc, 8, false },
	{ "an absent page", READ_ADDR + 0x3010, 16, false },
	{ "an unmapped page", READ_ADDR + 0x4010, 16, false },
	{ "a read from an unmapped page into a readable page", READ_ADDR + 0x4ffc, 8, false },
	{ "a page of code", READ_ADDR + 0x5000, 64, true },
	{ "a read up to the end of the mapping", READ_ADDR + 0x5c00, 1024, true },
	{ "a read one byte past the end of the mapping", READ_ADDR + 0x5c01, 1024, false },
	{ "a read from one byte before the mapping", READ_ADDR - 1, 2, false },
	{ "address 0", 0, 8, false },
	{ "the first page", 0xff8, 8, false },
	{ "the first address after x86-64's user addresses", 0x7ffffffff000, 8, false },
	{ "a non-canonical address", 0x800000000000, 8, false },
	{ "a kernel address", 0xffffffff81000000, 8, false },
	{ "a tagged pointer", READ_ADDR | 0xb4ull << 56, 8, false },
	{ "the last word of the address space", 0xfffffffffffffff8, 8, false },
	{ "a read across the end of the address space", 0xfffffffffffffff8, 16, false },
};
#define N_READ_ROWS (sizeof(read_rows) / sizeof(read_rows[0]))

/* Creates a new image with the layout. */
static inline int read_rows_image(struct sim_mem **out)
{
	struct sim_mem *mem = NULL;
	u8 bytes[0x6000];
	int err = sim_image_new(&mem);

	for (u32 i = 0; i < sizeof(bytes); i++)
		bytes[i] = (u8)(i / 0x1000 == 1 ? i ^ 0x80 : i);
	err = err ? err : sim_image_map(mem, READ_ADDR, sizeof(bytes), SIM_READ | SIM_WRITE);
	err = err ? err : sim_image_write(mem, READ_ADDR, bytes, sizeof(bytes));
	err = err ? err : sim_image_protect(mem, READ_ADDR + 0x2000, 0x1000, 0);
	err = err ? err : sim_image_set_present(mem, READ_ADDR + 0x3000, 0x1000, false);
	err = err ? err : sim_image_unmap(mem, READ_ADDR + 0x4000, 0x1000);
	err = err ? err : sim_image_protect(mem, READ_ADDR + 0x5000, 0x1000, SIM_READ | SIM_EXEC);
	if (err)
		sim_mem_free(&mem);
	else
		*out = mem;
	return err;
}

/*
 * Fills @out with the expected contents of the destination buffer after the read. Before the read,
 * each byte of the buffer is 0x5a.
 */
static inline void read_row_bytes(const struct read_row *row, u8 out[READ_MAX_LEN])
{
	memset(out, 0x5a, READ_MAX_LEN);
	for (u32 i = 0; i < row->len; i++) {
		u64 off = row->addr - READ_ADDR + i;

		out[i] = row->ok ? (u8)(off / 0x1000 == 1 ? off ^ 0x80 : off) : 0;
	}
}
