/* SPDX-License-Identifier: BSD-2-Clause */
#include "made_case.h"

#include <elf.h>

static u8 stack[128], code[128];

static const struct case_range ranges[] = {
	{ MADE_CODE, 128, code, CASE_COPIED, CASE_CODE, PF_R | PF_X },
	{ MADE_STACK, 64, stack, CASE_BY_WALK, CASE_STACK, PF_R | PF_W },
	{ MADE_STACK + 64, 64, stack + 64, CASE_COPIED, CASE_STRINGS, PF_R | PF_W },
};
static const struct case_fault faults[] = { { MADE_FAULT, 4096 }, { ~0ull - 4095, 4096 } };
static const struct case_read reads[] = {
	{ MADE_CODE + 16, 4, false },
	{ MADE_STACK, 64, false },
	{ MADE_STACK + 60, 8, false },
	{ MADE_FAULT - 8, 16, true },
};
static const struct case_mapping mappings[] = {
	{ { MADE_CODE, MADE_CODE + 0x1000, 0x2000, 7, UW_MAP_NATIVE, 0, 0 },
	  "/lib/libc.so.6",
	  "00ff" },
	{ { MADE_FILE, MADE_FILE + 0x1000, 0, 0, UW_MAP_V8_JIT, 0, 1 }, NULL, NULL },
};
static const struct case_row rows[] = {
	{ 7, 0x2010, { 16, -8, -16, UW_CFA_AT_FP, UW_SAVED_CFA, UW_SAVED_FP, -5 } },
	{ 7, 0x2011, { .cfa = UW_CFA_NONE } }
};
static const struct v8_info v8[] = { { 0 }, { 32, 40, 24, 50, 16, 96, 40, 256 } };
static const struct uw_frame walked[] = {
	{ MADE_CODE + 16, 0x2010, 0, 7, UW_NATIVE, UW_OK, UW_FRAME_GUESS, 0 },
	{ MADE_FILE + 8, 0xdeadbeef01, 5ull << 32, 9, UW_V8_JS, UW_F_FUNCTION_FAULT, UW_FRAME_RA,
	  0 },
};
static const struct case_walk walk = { "kernel", walked, 2, UW_E_FAULT, MADE_FAULT - 8 };
static const u64 pcs[] = { MADE_CODE + 16, MADE_FILE + 8, MADE_CODE + 99 };
static const struct case_truth truth = { pcs, 3, UW_END };
static const struct case_frame frames[] = {
	{ .pc = MADE_CODE + 16,
	  .kind = "native",
	  .module = "/lib/libc.so.6",
	  .build_id = "00ff",
	  .off = 0x2010,
	  .guess = true },
	{ .pc = MADE_FILE + 8,
	  .kind = "js",
	  .name = "r\xc3\xa9nder",
	  .file = "/srv/view.js",
	  .line = 88,
	  .column = 3,
	  .tier = "turbofan",
	  .inlined = true,
	  .reason = "function unreadable" },
};
static const struct case_function functions[] = { { "main", MADE_CODE, 64 },
						  { "exit", MADE_CODE + 64, 64 } };
static const struct case_map_file files[] = { { MADE_CODE, MADE_CODE + 0x1000, 0x2000,
						"/lib/libc.so.6" } };
static const struct case_aux auxv[] = { { AT_PAGESZ, 4096 }, { AT_ENTRY, MADE_CODE } };

const struct case_file *made_case(enum case_arch arch)
{
	static struct case_file c;

	for (u32 i = 0; i < sizeof(stack); i++)
		stack[i] = code[i] = (u8)i;
	c = (struct case_file){
		.arch = arch,
		.regs = { MADE_CODE + 16,
			  MADE_STACK,
			  MADE_STACK + 16,
			  arch == CASE_ARM64 ? MADE_CODE + 20 : 0,
			  true,
			  { 0 } },
		.va_mask = (1ull << 47) - 1,
		.extent = 2,
		.mappings = mappings,
		.v8_builds = v8,
		.ranges = ranges,
		.faults = faults,
		.reads = reads,
		.frames = frames,
		.functions = functions,
		.files = files,
		.auxv = auxv,
		.walk = &walk,
		.truth = &truth,
		.n_mappings = 2,
		.n_v8_builds = 2,
		.rows = rows,
		.n_rows = 2,
		.n_ranges = 3,
		.n_faults = 2,
		.n_reads = 4,
		.n_frames = 2,
		.n_functions = 2,
		.n_files = 1,
		.n_auxv = 2,
		.pid = 812,
		.tid = 815,
		.runtime = "Node.js 24.21.0",
		.version = "0.0.7",
		.is_redacted = true,
	};
	for (u32 i = 0; i < CASE_MAX_REGS; i++)
		c.regs.all[i] = 0x1000 + i;
	return &c;
}
