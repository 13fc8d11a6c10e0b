// SPDX-License-Identifier: BSD-2-Clause

#include "compiled_expect.h"

#include "../../sim/case/where.h"
#include "../../sim/mem/mem.h"

#define MAX_CODE 65536

static bool read_code(const struct sim_case *c, const struct sim_function *f, u8 *code)
{
	return f && f->len <= MAX_CODE && !sim_mem_read(c->target.mem, code, f->len, f->start_addr);
}

/* Arm Architecture Reference Manual, DDI 0487, C4.1; register number 31 in Rd and Rn is sp. */

static bool is_branch(u32 w)
{
	return (w & 0x7c000000) == 0x14000000 || (w & 0xff000000) == 0x54000000 ||
	       (w & 0x7c000000) == 0x34000000 || (w & 0xfe000000) == 0xd6000000;
}

/*
 * Return: whether @w is RET, BR, or B to another function. @at: index of @w in the function,
 *         which has @n instructions.
 */
static bool leaves(u32 w, u64 at, u64 n)
{
	s64 to = (s64)at + ((s32)(w << 6) >> 6);

	return (w & 0xfe000000) == 0xd6000000 ||
	       ((w & 0xfc000000) == 0x14000000 && (to < 0 || to >= (s64)n));
}

/*
 * Return: whether @w writes sp and is one of: ADD or SUB (extended register), AND (immediate), ADD
 *         or SUB (immediate) with a source register other than sp.
 */
static bool moves_sp(u32 w)
{
	return (w & 31) == 31 &&
	       ((w & 0xbfe00000) == 0x8b200000 || (w & 0xff800000) == 0x92000000 ||
		((w & 0xbf800000) == 0x91000000 && (w >> 5 & 31) != 31));
}

/*
 * Return: whether @w is ADD or SUB (immediate) to sp or x29, or a load or store of saved
 *         registers that uses or moves sp: LDP, STP, LDR and STR of x19 to x30 and of d
 *         registers.
 */
static bool is_of_frame(u32 w)
{
	u32 rd = w & 31, rn = w >> 5 & 31, rt2 = w >> 10 & 31;
	bool is_pair = (w & 0x3a000000) == 0x28000000;

	if ((w & 0xbf800000) == 0x91000000)
		return rd == 31 || rd == 29;
	if (moves_sp(w))
		return true;
	if ((!is_pair && (w & 0x3a000000) != 0x38000000) || rn != 31)
		return false;
	return (w & 0x04000000) || rd >= 19 || (is_pair && rt2 >= 19);
}

/* Return: whether @w is SUB, an instruction that sets x29, or a store. */
static bool sets_up(u32 w)
{
	if (!is_of_frame(w))
		return false;
	if (moves_sp(w))
		return true;
	return (w & 0xbf800000) == 0x91000000 ? (w & 0x40000000) || (w & 31) == 29
					      : !(w & 0x00400000);
}

bool compiled_is_edge(const struct sim_case *c, u64 pc)
{
	static u32 code[MAX_CODE / 4];
	const struct sim_function *f = sim_function_at(c, pc);
	bool takes_down = false;
	u64 at, n, i;

	if (!read_code(c, f, (u8 *)code))
		return false;
	at = (pc - f->start_addr) / 4;
	n = f->len / 4;
	for (i = at; i < n && !is_branch(code[i]); i++) {
		if (sets_up(code[i]))
			return true;
		takes_down |= is_of_frame(code[i]);
	}
	if (i == n || !leaves(code[i], i, n))
		return false;
	for (i = at; takes_down && i-- && !is_branch(code[i]);)
		if (is_of_frame(code[i]) && !sets_up(code[i]))
			return true;
	return !takes_down;
}

/*
 * Intel SDM volume 2: opcodes 48 29 and 48 89 with ModRM rm 100 (sp), 48 83 /4 and 48 81 /4
 * of sp.
 */
static bool hides_x86_64(const u8 *code, u64 len)
{
	for (u64 i = 0; i + 3 <= len; i++) {
		const u8 *p = code + i;

		if ((p[0] & 0xfb) == 0x48 && (p[1] == 0x29 || p[1] == 0x89) &&
		    (p[2] & 0xc7) == 0xc4)
			return true;
		if (p[0] == 0x48 && (p[1] == 0x83 || p[1] == 0x81) && p[2] == 0xe4)
			return true;
		if (p[0] == 0x40 && p[1] == 0xb4 && !p[2]) /* mov $0, %spl */
			return true;
	}
	return false;
}

/* Return: whether @w is STP or STR of x30. */
static bool saves_ra(u32 w)
{
	if ((w & 0xfe400000) == 0xa8000000)
		return (w & 31) == 30 || (w >> 10 & 31) == 30;
	return (w & 0xfac00000) == 0xf8000000 && (w & 31) == 30;
}

/* After a BR the caller can't be found, because the targets of jump tables are not analyzed. */
static bool hides_arm64(const u32 *code, u64 n, bool is_caller)
{
	bool is_saved = false;

	for (u64 i = 0; i < n; i++) {
		if (moves_sp(code[i]) || (code[i] & 0xfffffc1f) == 0xd61f0000)
			return true;
		is_saved |= saves_ra(code[i]);
	}
	return is_caller && !is_saved;
}

bool compiled_hides_caller(const struct sim_case *c, u64 pc, bool is_caller)
{
	static u32 code[MAX_CODE / 4];
	const struct sim_function *f = sim_function_at(c, pc);

	if (!read_code(c, f, (u8 *)code))
		return false;
	return c->arch == &sim_arch_arm64 ? hides_arm64(code, f->len / 4, is_caller)
					  : hides_x86_64((u8 *)code, f->len);
}
