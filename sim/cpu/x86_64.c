// SPDX-License-Identifier: BSD-2-Clause

#include "cpu_arch.h"

/*
 * At most this many prefixes come before a call or return that a compiler makes, or a
 * linker: "addr32 call" is what became of a call through the GOT.
 */
#define MAX_PREFIXES 4

static bool is_prefix(u8 byte)
{
	return byte == 0x3e || byte == 0xf2 || byte == 0xf3 || byte == 0x66 ||
	       byte == 0x67 || (byte & 0xf0) == 0x40;
}

/*
 *	e8 ..        call rel32        c3        ret
 *	ff /2        call r/m64        c2 iw     ret iw
 *	0f 05        syscall           cd 80     int $0x80
 */
static enum cpu_insn kind(const u8 *code, u32 len)
{
	u32 i = 0;
	u8 next;

	while (i < MAX_PREFIXES && i + 1 < len && is_prefix(code[i]))
		i++;
	next = i + 1 < len ? code[i + 1] : 0;
	switch (code[i]) {
	case 0xe8:
		return CPU_CALL;
	case 0xff:
		return (next >> 3 & 7) == 2 ? CPU_CALL : CPU_PLAIN;
	case 0xc3:
	case 0xc2:
		return CPU_RETURN;
	case 0x0f:
		return next == 0x05 ? CPU_SYSCALL : CPU_PLAIN;
	case 0xcd:
		return next == 0x80 ? CPU_SYSCALL : CPU_PLAIN;
	default:
		return CPU_PLAIN;
	}
}

static int prepare(uc_engine *uc)
{
	(void)uc;
	return 0;
}

const struct cpu_arch cpu_x86_64 = {
	.arch = UC_ARCH_X86,
	.mode = UC_MODE_64,
	.model = -1,
	.pc = UC_X86_REG_RIP,
	.sp = UC_X86_REG_RSP,
	.fp = UC_X86_REG_RBP,
	.lr = -1,
	.kind = kind,
	.prepare = prepare,
};
