/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The address space of a guest. The target is not in this address space, because the core
 * reads the target only by a hypercall.
 *
 *	TEXT      guest_read: ret          the host performs the read
 *	TEXT+16   guest_next: ret          the host fills box.target
 *	TEXT+32   guest_main()             walks each target; result in box.state
 *	BOX       struct guest_box, followed by the target's tables
 *	STACK     grows down from its end
 *
 * Host and guests have the same layout of structures: 64 bits, little-endian.
 */

#include "../case/target.h"

#define GUEST_TEXT_ADDR 0x10000ull
#define GUEST_TEXT_LEN 0x10000ull
#define GUEST_READ_ADDR GUEST_TEXT_ADDR
#define GUEST_NEXT_ADDR (GUEST_TEXT_ADDR + 16)
#define GUEST_MAIN_ADDR (GUEST_TEXT_ADDR + 32)
#define GUEST_BOX_ADDR 0x100000ull
#define GUEST_BOX_LEN 0x800000ull
#define GUEST_STACK_LEN 0x10000ull /* length of the stack, at the end of the box */

struct guest_box {
	struct sim_target target; /* its pointers are guest addresses; its mem is unused */
	struct uw_state state;
};
