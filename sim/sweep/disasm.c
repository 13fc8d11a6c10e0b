// SPDX-License-Identifier: BSD-2-Clause

#include "disasm.h"

#include <capstone/capstone.h>
#include <stdio.h>

u32 sim_disasm_insn(const struct sim_arch *arch, const u8 *code, size_t len, u64 pc, char *out,
		    size_t size)
{
	bool is_arm64 = arch == &sim_arch_arm64;
	cs_insn *insn = NULL;
	u32 insn_len = 0;
	csh handle;

	snprintf(out, size, "(bad)");
	if (cs_open(is_arm64 ? CS_ARCH_ARM64 : CS_ARCH_X86, is_arm64 ? CS_MODE_ARM : CS_MODE_64,
		    &handle))
		return 0;
	if (cs_disasm(handle, code, len, pc, 1, &insn)) {
		snprintf(out, size, "%s%s%s", insn->mnemonic, insn->op_str[0] ? " " : "",
			 insn->op_str);
		insn_len = insn->size;
		cs_free(insn, 1);
	}
	cs_close(&handle);
	return insn_len;
}

const char *sim_disasm(const struct sim_arch *arch, const u8 *code, size_t len, u64 pc, char *out,
		       size_t size)
{
	sim_disasm_insn(arch, code, len, pc, out, size);
	return out;
}
