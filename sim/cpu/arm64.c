// SPDX-License-Identifier: BSD-2-Clause

/*
 * Registers and encodings: Arm Architecture Reference Manual for A-profile
 * (DDI 0487), chapters C6.2 and D19.2.
 */

#include "../../inspect/util/array.h"
#include "cpu_arch.h"

#include <errno.h>
#include <string.h>

#define SCRATCH_ADDR 0x10000
#define SCRATCH_LEN 0x1000

/*
 * Returns whether an instruction is one of these privileged instructions, which trap in a program.
 * Unicorn executes the code at EL1, so it would not trap at these instructions.
 *
 *	eret, eretaa, eretab, drps
 *	msr and sys with op1 0, except cfinv, xaflag and axflag
 */
static bool changes_mode(u32 w)
{
	if (w == 0xd69f03e0 || w == 0xd69f0bff || w == 0xd69f0fff || w == 0xd6bf03e0)
		return true;
	if (w == 0xd500401f || w == 0xd500403f || w == 0xd500405f)
		return false;
	return (w & 0xffe70000) == 0xd5000000;
}

/*
 *	bl                    blr xN      blraa, blrab, blraaz, blrabz
 *	ret xN                retaa       retab                          svc #n
 */
static enum cpu_insn kind(const u8 *code, u32 len)
{
	u32 w;

	if (len < sizeof(w))
		return CPU_PLAIN;
	memcpy(&w, code, sizeof(w));
	if (w >> 26 == 0x25 || (w & 0xfffffc1f) == 0xd63f0000 || (w & 0xfefff800) == 0xd63f0800)
		return CPU_CALL;
	if ((w & 0xfffffc1f) == 0xd65f0000 || w == 0xd65f0bff || w == 0xd65f0fff)
		return CPU_RETURN;
	if ((w & 0xffe0001f) == 0xd4000001)
		return CPU_SYSCALL;
	return changes_mode(w) ? CPU_MODE : CPU_PLAIN;
}

static int write_cp(uc_engine *uc, const uc_arm64_cp_reg *reg)
{
	return uc_reg_write(uc, UC_ARM64_REG_CP_REG, reg) ? -ENOTSUP : 0;
}

static int set_keys(uc_engine *uc)
{
	static const uc_arm64_cp_reg regs[] = {
		/* SCR_EL3: RW, API, APK, NS */
		{ 1, 1, 3, 6, 0, 1ul << 10 | 1ul << 17 | 1ul << 16 | 1 },
		/*
		 * HCR_EL2: API, APK. RW stays 0, because with RW accesses to addresses from 2^44 on
		 * would fault
		 */
		{ 1, 1, 3, 4, 0, 1ul << 41 | 1ul << 40 },
		/* APIAKey, APIBKey: any value */
		{ 2, 1, 3, 0, 0, 0x1122334455667788 },
		{ 2, 1, 3, 0, 1, 0x99aabbccddeeff00 },
		{ 2, 1, 3, 0, 2, 0x0123456789abcdef },
		{ 2, 1, 3, 0, 3, 0xfedcba9876543210 },
	};
	int err = 0;

	for (u32 i = 0; i < ARRAY_SIZE(regs) && !err; i++)
		err = write_cp(uc, &regs[i]);
	return err;
}

/*
 * Enables signing by executing instructions, because in Unicorn 2.0.1 paciasp is a nop unless the
 * guest itself writes the registers.
 */
static int prepare(uc_engine *uc)
{
	static const u32 code[] = {
		0xd5182041, /* msr tcr_el1, x1 */
		0xd5181002, /* msr sctlr_el1, x2 */
		0xd5033fdf, /* isb */
		0xd503201f, /* nop */
	};
	u64 tcr = 16 | 16ul << 16 | 1ul << 37; /* T0SZ, T1SZ: 48 bits; TBI0 */
	u64 sctlr = 0xc50838ul | 1ul << 31 | 1ul << 30; /* EnIA, EnIB */
	u64 zero = 0;
	int err = set_keys(uc);

	if (err)
		return err;
	if (uc_mem_map(uc, SCRATCH_ADDR, SCRATCH_LEN, UC_PROT_ALL) ||
	    uc_mem_write(uc, SCRATCH_ADDR, code, sizeof(code)) ||
	    uc_reg_write(uc, UC_ARM64_REG_X1, &tcr) || uc_reg_write(uc, UC_ARM64_REG_X2, &sctlr) ||
	    uc_emu_start(uc, SCRATCH_ADDR, SCRATCH_ADDR + 12, 0, 0) ||
	    uc_mem_unmap(uc, SCRATCH_ADDR, SCRATCH_LEN) ||
	    uc_reg_write(uc, UC_ARM64_REG_X1, &zero) || uc_reg_write(uc, UC_ARM64_REG_X2, &zero))
		return -ENOTSUP;
	return 0;
}

const struct cpu_arch cpu_arm64 = {
	.arch = UC_ARCH_ARM64,
	.mode = UC_MODE_ARM,
	.model = UC_CPU_ARM64_MAX,
	.pc = UC_ARM64_REG_PC,
	.sp = UC_ARM64_REG_SP,
	.fp = UC_ARM64_REG_X29,
	.lr = UC_ARM64_REG_X30,
	.insn_align = 4,
	.kind = kind,
	.prepare = prepare,
};
