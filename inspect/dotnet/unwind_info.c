/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	u8 version:3 flags:5, u8 length of the prologue, u8 number of slots,
 *	u8 frame register:4 its offset / 16:4, then slots of 2 bytes
 *	{ u8 offset in the prologue, u8 operation:4 info:4 }, some followed by 1 or 2 slots
 *
 *	0 PUSH_NONVOL  info: register       1 ALLOC_LARGE  info 0: u16 * 8, 1: u32
 *	2 ALLOC_SMALL  info * 8 + 8         3 SET_FPREG    fp - offset * 16
 *	4 SAVE_NONVOL  u16 * 8              5 SAVE_NONVOL_FAR  u32
 *	8, 9 SAVE_XMM128 (FAR)              11 SET_FPREG_LARGE  fp - u32 * 16, on Unix only
 *
 * Source: Microsoft's "x64 exception handling"; coreclr inc/win64unwind.h at v10.0.14.
 */

#include <errno.h>
#include <string.h>

#include "unwind_info.h"

#define FLAG_CHAINED 4

enum {
	PUSH_NONVOL,
	ALLOC_LARGE,
	ALLOC_SMALL,
	SET_FPREG,
	SAVE_NONVOL,
	SAVE_NONVOL_FAR,
	SAVE_XMM128 = 8,
	SAVE_XMM128_FAR,
	SET_FPREG_LARGE = 11,
};

struct slot {
	u8 prologue_off, op_info;
};

struct head {
	u8 version_flags, prologue_len, n_slots, frame;
};

/* Returns the number in the next slot, or in the next two slots. */
static u32 operand(const struct slot *s, u32 n)
{
	u32 v = 0;

	memcpy(&v, s, (size_t)n * sizeof(*s));
	return v;
}

/*
 * Returns the number of slots that an operation and its operand occupy, or 0 if the operation is
 * unknown.
 */
static u32 slots_of(u8 op, u8 info)
{
	switch (op) {
	case PUSH_NONVOL:
	case ALLOC_SMALL:
	case SET_FPREG:
		return 1;
	case ALLOC_LARGE:
		return info ? 3 : 2;
	case SAVE_NONVOL:
	case SAVE_XMM128:
		return 2;
	case SAVE_NONVOL_FAR:
	case SAVE_XMM128_FAR:
	case SET_FPREG_LARGE:
		return 3;
	default:
		return 0;
	}
}

/* Decodes one operation. Returns false if the operation affects no tracked register. */
static bool take_code(const struct head *h, const struct slot *s, u32 n, struct unwind_code *c)
{
	u8 op = s->op_info & 15, info = s->op_info >> 4;
	u32 v = operand(s + 1, n - 1);

	*c = (struct unwind_code){ .prologue_off = s->prologue_off, .reg = info };
	switch (op) {
	case PUSH_NONVOL:
		c->op = UNWIND_PUSH;
		return true;
	case ALLOC_LARGE:
	case ALLOC_SMALL:
		c->op = UNWIND_ALLOC;
		c->reg = 0;
		c->value = op == ALLOC_SMALL ? info * 8u + 8 : info ? v : v * 8;
		return true;
	case SET_FPREG:
	case SET_FPREG_LARGE:
		c->op = UNWIND_SET_FP;
		c->reg = h->frame & 15;
		c->value = op == SET_FPREG ? (h->frame >> 4) * 16u : v * 16;
		return true;
	case SAVE_NONVOL:
	case SAVE_NONVOL_FAR:
		c->op = UNWIND_SAVE;
		c->value = op == SAVE_NONVOL ? v * 8 : v;
		return true;
	default:
		return false;
	}
}

int unwind_info_read(struct target *t, u64 addr, struct unwind_info *out)
{
	struct slot slots[255];
	struct unwind_info info;
	struct head h;
	int err = target_read(t, addr, &h, sizeof(h));

	if (err)
		return err;
	if ((h.version_flags & 7) != 1 || h.version_flags >> 3 & FLAG_CHAINED)
		return -ENOTSUP;
	err = target_read(t, addr + sizeof(h), slots, h.n_slots * sizeof(slots[0]));
	if (err)
		return err;
	info.prologue_len = h.prologue_len;
	info.n_codes = 0;
	for (u32 i = 0, n; i < h.n_slots; i += n) {
		n = slots_of(slots[i].op_info & 15, slots[i].op_info >> 4);
		if (!n || info.n_codes == UNWIND_MAX_CODES)
			return -ENOTSUP;
		if (n > h.n_slots - i)
			return -EINVAL;
		info.n_codes += take_code(&h, &slots[i], n, &info.codes[info.n_codes]);
	}
	*out = info;
	return 0;
}
