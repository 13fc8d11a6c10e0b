/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Programs of a few machine instructions, run as executed cases. */

#include "../../sim/cpu/cpu.h"
#include "../../sim/mem/image.h"
#include "../check.h"

#include <errno.h>
#include <string.h>

#define CODE 0x10000ull
#define STACK_LOW 0x7fff00000000ull
#define STACK_LEN 0x10000ull
#define START_SP 0x7fff00000800ull

struct program {
	const char *name;
	const struct sim_arch *arch;
	const void *code;
	u32 len;
	u64 exit_addr;
	u64 n_insns; /* number of instructions that are executed */
	const char *error; /* part of the expected error text; NULL: the program must succeed */
	u64 max_insns; /* 0: 10,000 */
	u64 sp; /* 0: START_SP */
	u8 code_prot; /* protection of the code; 0: SIM_READ | SIM_EXEC */
	bool ends_inside;
};

static inline void program_case(const struct program *p, struct sim_case *c)
{
	u8 prot = p->code_prot ? p->code_prot : SIM_READ | SIM_EXEC;

	*c = (struct sim_case){
		.name = (char *)p->name,
		.arch = p->arch,
		.is_executed = true,
		.exit_addr = p->exit_addr,
		.ends_inside = p->ends_inside,
		.max_insns = p->max_insns ? p->max_insns : 10000,
		.target.regs = { .pc = CODE, .sp = p->sp ? p->sp : START_SP },
	};
	assert_int_equal(sim_image_new(&c->target.mem), 0);
	assert_int_equal(sim_image_map(c->target.mem, CODE, 0x1000, prot), 0);
	assert_int_equal(sim_image_write(c->target.mem, CODE, p->code, p->len), 0);
	assert_int_equal(sim_image_map(c->target.mem, STACK_LOW, STACK_LEN, SIM_READ | SIM_WRITE),
			 0);
}
