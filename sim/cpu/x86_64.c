// SPDX-License-Identifier: BSD-2-Clause

/*
 * Encodings: Intel SDM volume 2, appendix A.
 *
 * Unicorn executes code with kernel privileges, and treats syscall as a nop, so privileged
 * instructions and system calls must be recognized here.
 */

#include "cpu_arch.h"

static bool is_prefix(u8 byte)
{
	switch (byte) {
	case 0x26: /* segments */
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66: /* sizes */
	case 0x67:
	case 0xf0: /* lock, rep */
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return (byte & 0xf0) == 0x40; /* REX */
	}
}

/*
 *	0f 05, 0f 34   syscall, sysenter       0f 00 /2 /3   lldt, ltr
 *	0f 07, 0f 35   sysret, sysexit         0f 01 /2 /3   lgdt, lidt, of memory
 *	0f 20 .. 23    mov of cr, dr           0f 01 /6      lmsw
 *	0f 30          wrmsr
 */
static enum cpu_insn kind_0f(u8 opcode, u8 modrm)
{
	u8 reg = modrm >> 3 & 7;

	switch (opcode) {
	case 0x05:
	case 0x34:
		return CPU_SYSCALL;
	case 0x00:
		return reg == 2 || reg == 3 ? CPU_MODE : CPU_PLAIN;
	case 0x01:
		return reg == 6 || ((reg == 2 || reg == 3) && modrm < 0xc0) ? CPU_MODE : CPU_PLAIN;
	case 0x07:
	case 0x20 ... 0x23:
	case 0x30:
	case 0x35:
		return CPU_MODE;
	default:
		return CPU_PLAIN;
	}
}

/*
 *	ff /2   call r/m64         ff /3   far call
 *	                           ff /5   far jump
 */
static enum cpu_insn kind_ff(u8 modrm)
{
	switch (modrm >> 3 & 7) {
	case 2:
		return CPU_CALL;
	case 3:
	case 5:
		return CPU_MODE;
	default:
		return CPU_PLAIN;
	}
}

/*
 *	e8      call rel32         ca iw, cb   far ret
 *	c3      ret                cf          iret
 *	c2 iw   ret iw             cd 80       int $0x80
 */
static enum cpu_insn kind(const u8 *code, u32 len)
{
	u8 at[3] = { 0 }; /* the opcode and the next bytes */
	u32 i = 0;

	while (i < len && is_prefix(code[i]))
		i++;
	for (u32 n = 0; n < sizeof(at) && i < len; n++)
		at[n] = code[i++];
	switch (at[0]) {
	case 0xe8:
		return CPU_CALL;
	case 0xff:
		return kind_ff(at[1]);
	case 0xc3:
	case 0xc2:
		return CPU_RETURN;
	case 0xca:
	case 0xcb:
	case 0xcf:
		return CPU_MODE;
	case 0x0f:
		return kind_0f(at[1], at[2]);
	case 0xcd:
		return at[1] == 0x80 ? CPU_SYSCALL : CPU_PLAIN;
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
	.model = CPU_DEFAULT_MODEL,
	.pc = UC_X86_REG_RIP,
	.sp = UC_X86_REG_RSP,
	.fp = UC_X86_REG_RBP,
	.lr = CPU_NO_REG,
	.scratch = { UC_X86_REG_R10, UC_X86_REG_RAX, UC_X86_REG_RCX, UC_X86_REG_R8, UC_X86_REG_R9,
		     UC_X86_REG_R11 },
	.n_scratch = UW_N_SCRATCH,
	.insn_align = 1,
	.ra_len = 8,
	.kind = kind,
	.prepare = prepare,
};
