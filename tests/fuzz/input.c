// SPDX-License-Identifier: BSD-2-Clause

#include "fuzz.h"

u8 fuzz_u8(struct fuzz_input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

u64 fuzz_u64(struct fuzz_input *in)
{
	u64 word = 0;

	for (u32 i = 0; i < 8; i++)
		word |= (u64)fuzz_u8(in) << i * 8;
	return word;
}
