/* SPDX-License-Identifier: BSD-2-Clause */

#include <errno.h>

#include "disasm.h"

int disasm_reg(unsigned int reg)
{
	static const u16 names[16][5] = {
#define OLD(r) { X86_REG_R##r##X, X86_REG_E##r##X, X86_REG_##r##X, X86_REG_##r##L, X86_REG_##r##H }
#define POINTER(r)                                                                                 \
	{                                                                                          \
		X86_REG_R##r, X86_REG_E##r, X86_REG_##r, X86_REG_##r##L                            \
	}
#define NEW(r)                                                                                     \
	{                                                                                          \
		X86_REG_R##r, X86_REG_R##r##D, X86_REG_R##r##W, X86_REG_R##r##B                    \
	}
		OLD(A),	     OLD(C),	  OLD(D),  OLD(B),  POINTER(SP), POINTER(BP),
		POINTER(SI), POINTER(DI), NEW(8),  NEW(9),  NEW(10),	 NEW(11),
		NEW(12),     NEW(13),	  NEW(14), NEW(15),
	};

	for (int i = 0; i < 16; i++)
		for (int k = 0; k < 5 && names[i][k]; k++)
			if (names[i][k] == reg)
				return i;
	return DISASM_NO_REG;
}

int disasm_x86_64(const u8 *bytes, size_t len, u64 addr, disasm_fn *fn, void *data)
{
	uint64_t at = addr;
	cs_insn *in;
	csh handle;
	int r;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle))
		return -ENOTSUP;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	in = cs_malloc(handle);
	r = in ? 0 : -ENOMEM;
	while (!r && len) {
		if (cs_disasm_iter(handle, &bytes, &len, &at, in)) {
			r = fn(handle, in, data);
		} else {
			bytes++;
			at++;
			len--;
		}
	}
	if (in)
		cs_free(in, 1);
	cs_close(&handle);
	return r;
}
