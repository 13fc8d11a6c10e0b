/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Unwind rows of pages: of FDEs at page boundaries and next to each other, and of stubs, which are
 * recognized by their bytes. The rows of the test binary and the vDSO are compared with elfutils;
 * rows_like_readelf.py compares whole libraries.
 */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "page_checks.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void code_outside_all_fdes_has_no_unwind_rule(void **state)
{
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 2);
	made_fde(&m, 16, 32, "", 0);
	made_fde(&m, 64, 32, "", 0);
	make_page(&m, 0);
	expect_kind(0, 16, UW_CFA_NONE);
	expect_sp(16, 48, 8);
	expect_kind(48, 64, UW_CFA_NONE);
	expect_sp(64, 96, 8);
	expect_kind(96, 4096, UW_CFA_NONE);
	assert_int_equal(page.n, 5);
	made_deinit(&m);
}

static void function_that_spans_pages_has_rows_in_each_page(void **state)
{
	/* advance_loc2 4000, cfa 16, advance_loc2 4200, cfa 24 */
	static const u8 program[] = { 3, 0xa0, 0x0f, 0x0e, 16, 3, 0x68, 0x10, 0x0e, 24 };
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 1);
	made_fde(&m, 10, 9000, program, sizeof(program));
	make_page(&m, 0);
	expect_kind(0, 10, UW_CFA_NONE);
	expect_sp(10, 4010, 8);
	expect_sp(4010, 4096, 16);
	make_page(&m, 1);
	expect_sp(0, 4096, 16);
	make_page(&m, 2);
	expect_sp(0, 8210 - 8192, 16);
	expect_sp(8210 - 8192, 9010 - 8192, 24);
	expect_kind(9010 - 8192, 4096, UW_CFA_NONE);
	made_deinit(&m);
}

static void if_two_fdes_overlap_the_first_ends_where_the_second_begins(void **state)
{
	static const u8 cfa_16[] = { 0x0e, 16 }, cfa_24[] = { 0x0e, 24 };
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 3);
	made_fde(&m, 0, 100, "", 0);
	made_fde(&m, 50, 100, cfa_16, sizeof(cfa_16));
	made_fde(&m, 60, 10, cfa_24, sizeof(cfa_24));
	make_page(&m, 0);
	expect_sp(0, 50, 8);
	expect_sp(50, 60, 16);
	expect_sp(60, 70, 24);
	expect_kind(70, 4096, UW_CFA_NONE);
	made_deinit(&m);
}

static void cfi_programs_can_nest_remember_state_instructions(void **state)
{
	/* advance 1, remember, cfa 16, advance 1, remember, cfa 24, advance 1, restore, ... */
	static const u8 program[] = { 0x41, 0x0a, 0x0e, 16,   0x41, 0x0a,
				      0x0e, 24,	  0x41, 0x0b, 0x41, 0x0b };
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 1);
	made_fde(&m, 0, 5, program, sizeof(program));
	make_page(&m, 0);
	expect_sp(0, 1, 8);
	expect_sp(1, 2, 16);
	expect_sp(2, 3, 24);
	expect_sp(3, 4, 16);
	expect_sp(4, 5, 8);
	made_deinit(&m);
}

static void page_that_contains_no_code_has_no_unwind_rules(void **state)
{
	struct made_cfi m;
	_cleanup_close_ int fd = -1;

	(void)state;
	made_init(&m, EM_X86_64, 1);
	made_fde(&m, 0, MADE_CODE_LEN, "", 0);
	fd = made_fd(&m, m.len);
	assert_int_equal(made_page(fd, 1ull << 40, &page), 0);
	assert_int_equal(page.n, 1);
	expect_kind(0, 4096, UW_CFA_NONE);
	assert_int_equal(made_page(fd, -(u64)UW_ROW_PAGE_LEN, &page), -EINVAL);
	assert_int_equal(made_page(fd, MADE_CODE_OFF + 1, &page), -EINVAL);
	made_deinit(&m);
}

/* If a segment ends inside a page, the page's rows end there, too. */
static void unwind_rows_end_where_the_segment_ends(void **state)
{
	Elf64_Phdr *ph;
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 1);
	made_fde(&m, 0, MADE_CODE_LEN, "", 0);
	ph = (void *)(m.bytes + sizeof(Elf64_Ehdr));
	ph[0].p_filesz = ph[0].p_memsz = MADE_CODE_OFF + 100;
	make_page(&m, 0);
	expect_sp(0, 100, 8);
	expect_kind(100, 4096, UW_CFA_NONE);
	made_deinit(&m);
}

#define SP_(off)                                                                                   \
	{                                                                                          \
		.cfa = UW_CFA_SP, .cfa_off = (off), .ra = UW_SAVED_CFA, .ra_off = -8               \
	}
#define LR_                                                                                        \
	{                                                                                          \
		.cfa = UW_CFA_SP, .ra = UW_SAVED_SAME                                              \
	}
#define SIGNAL_                                                                                    \
	{                                                                                          \
		.cfa = UW_CFA_SIGNAL                                                               \
	}

/*
 * Bytes that are put at offset 0x40 of a page, and the rules that are expected at some offsets from
 * there.
 */
static const struct known {
	const char *what;
	u16 machine;
	u8 bytes[33];
	struct {
		s8 at;
		struct uw_rule rule;
	} at[4];
} known[] = {
	{ "lazy PLT",
	  EM_X86_64,
	  { 0xff, 0x25, 1, 2, 3, 0, 0x68, 4, 0, 0, 0, 0xe9, 5, 6, 7, 0xff },
	  { { 0, SP_(8) }, { 10, SP_(8) }, { 11, SP_(16) }, { 15, SP_(16) } } },
	{ "PLT0",
	  EM_X86_64,
	  { 0xff, 0x35, 1, 2, 3, 0, 0xff, 0x25, 4, 5, 6, 0, 0x0f, 0x1f, 0x40, 0 },
	  { { 0, SP_(16) }, { 5, SP_(16) }, { 6, SP_(24) }, { 11, SP_(24) } } },
	{ "PLT entry with endbr64 and bnd",
	  EM_X86_64,
	  { 0xf3, 0x0f, 0x1e, 0xfa, 0x68, 1, 0, 0, 0, 0xf2, 0xe9, 2, 3, 4, 0xff, 0x90 },
	  { { 0, SP_(8) }, { 8, SP_(8) }, { 9, SP_(16) }, { 14, SP_(16) } } },
	{ ".plt.sec",
	  EM_X86_64,
	  { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 1, 2, 3, 0 },
	  { { 0, SP_(8) }, { 4, SP_(8) }, { 10, SP_(8) }, { -1, {} } } },
	{ ".plt.got",
	  EM_X86_64,
	  { 0xff, 0x25, 1, 2, 3, 0, 0x66, 0x90 },
	  { { 0, SP_(8) }, { 5, SP_(8) }, { 8, {} }, { -1, {} } } },
	{ "indirect jump, but not a PLT entry",
	  EM_X86_64,
	  { 0xff, 0x25, 1, 2, 3, 0, 0x66, 0x91 },
	  { { 0, {} }, { 5, {} }, { 8, {} }, { -1, {} } } },
	{ "musl's signal return trampoline",
	  EM_X86_64,
	  { 0x90, 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 },
	  { { -1, {} }, { 0, SIGNAL_ }, { 9, SIGNAL_ }, { 10, {} } } },
	{ "musl's signal return trampoline right after a function",
	  EM_X86_64,
	  { 0xc3, 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 },
	  { { -1, {} }, { 0, {} }, { 1, SIGNAL_ }, { 10, {} } } },
	{ "another system call",
	  EM_X86_64,
	  { 0x90, 0x48, 0xc7, 0xc0, 14, 0, 0, 0, 0x0f, 0x05 },
	  { { 0, {} }, { 1, {} }, { 9, {} }, { 10, {} } } },
	{ "PLT",
	  EM_AARCH64,
	  { 0x50, 0, 0, 0xb0, 0x11, 0xe, 0x40, 0xf9, 0x10, 0x62, 0, 0x91, 0x20, 0x02, 0x1f, 0xd6 },
	  { { -1, {} }, { 0, LR_ }, { 15, LR_ }, { 16, {} } } },
	{ "PLT0",
	  EM_AARCH64,
	  { 0xf0, 0x7b, 0xbf, 0xa9, 0x50, 0,	0,    0xb0, 0x11, 0xe,
	    0x40, 0xf9, 0x10, 0x62, 0,	  0x91, 0x20, 0x02, 0x1f, 0xd6 },
	  { { 0, LR_ }, { 3, LR_ }, { 4, SP_(16) }, { 19, SP_(16) } } },
	{ "veneer",
	  EM_AARCH64,
	  { 0x50, 0, 0, 0xb0, 0x10, 0x62, 0, 0x91, 0, 0x02, 0x1f, 0xd6 },
	  { { -1, {} }, { 0, LR_ }, { 11, LR_ }, { 12, {} } } },
	{ "signal return trampoline of the vDSO and musl",
	  EM_AARCH64,
	  { 0xc0, 0x03, 0x5f, 0xd6, 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 },
	  { { 0, {} }, { 3, SIGNAL_ }, { 4, SIGNAL_ }, { 11, SIGNAL_ } } },
};

static void stub_without_cfi_is_recognized_by_its_bytes(void **state)
{
	struct made_cfi m;

	(void)state;
	for (size_t i = 0; i < N(known); i++) {
		made_init(&m, known[i].machine, 1);
		memcpy(m.bytes + MADE_CODE_OFF + 0x40, known[i].bytes, sizeof(known[i].bytes));
		made_fde(&m, 0x1000, 16, "", 0);
		make_page(&m, 0);
		for (size_t k = 0; k < N(known[i].at); k++) {
			const struct uw_rule *have = &page.rule[0x40 + known[i].at[k].at];

			if (memcmp(have, &known[i].at[k].rule, sizeof(*have)))
				fail_msg("%s: byte %d has cfa %u %+d", known[i].what,
					 known[i].at[k].at, have->cfa, have->cfa_off);
		}
		made_deinit(&m);
	}
}

static void code_that_has_cfi_is_not_treated_as_a_stub(void **state)
{
	static const u8 cfa_32[] = { 0x0e, 32 };
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 1);
	memcpy(m.bytes + MADE_CODE_OFF + 0x40, known[0].bytes, 16);
	made_fde(&m, 0x40, 16, cfa_32, sizeof(cfa_32));
	make_page(&m, 0);
	expect_sp(0x40, 0x50, 32);
	made_deinit(&m);
}

/*
 * As in glibc's clone(): the return address is after the system call, which is after the FDE. The
 * walk looks up the byte before the return address.
 */
static void system_call_right_after_the_code_of_an_fde_has_the_rule_of_that_fde(void **state)
{
	static const u8 program[] = { 0x44, 0x0e, 24 }; /* advance_loc 4, cfa 24 */
	static const u8 syscall[] = { 0x0f, 0x05 }, another[] = { 0x0f, 0x0b };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct made_cfi m;

		made_init(&m, EM_X86_64, 2);
		memcpy(m.bytes + MADE_CODE_OFF + 32, i ? syscall : another, 2);
		made_fde(&m, 16, 16, program, sizeof(program));
		made_fde(&m, 48, 16, "", 0);
		make_page(&m, 0);
		expect_sp(20, 32, 24);
		expect_kind(32, 33, UW_CFA_NONE);
		if (i)
			expect_sp(33, 34, 24);
		else
			expect_kind(33, 34, UW_CFA_NONE);
		expect_kind(34, 48, UW_CFA_NONE);
		expect_sp(48, 64, 8);
		made_deinit(&m);
	}
}

/* The code at the entry point: after 8 bytes, a call of the function at 0x40. */
static void code_at_the_entry_point_of_a_program_is_treated_as_a_root(void **state)
{
	static const u8 code[] = { 0x31, 0xed, 0x48, 0x89, 0xe7, 0x90, 0x90,
				   0x90, 0xe8, 0x33, 0xff, 0xff, 0xff };
	Elf64_Ehdr *eh;
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 2);
	made_fde(&m, 0x40, 0x40, "", 0);
	made_fde(&m, 0x800, 0x40, "", 0);
	eh = (void *)m.bytes;
	memcpy(m.bytes + MADE_CODE_OFF + 0x100, code, sizeof(code));

	eh->e_entry = MADE_CODE + 0x50; /* A library's entry point is ignored. */
	make_page(&m, 0);
	expect_sp(0x40, 0x80, 8);

	eh->e_type = ET_EXEC; /* The function of the FDE at a program's entry point is a root. */
	make_page(&m, 0);
	expect_kind(0x40, 0x80, UW_CFA_ROOT);
	expect_kind(0x80, 0x800, UW_CFA_NONE);

	eh->e_entry = MADE_CODE + 0x100; /* no FDE at the entry point: a root up to the call */
	make_page(&m, 0);
	expect_kind(0xff, 0x100, UW_CFA_NONE);
	expect_kind(0x100, 0x10d, UW_CFA_ROOT);
	expect_kind(0x10d, 0x800, UW_CFA_NONE);

	eh->e_entry = MADE_CODE + 0x7c0; /* no FDE at the entry point, but one near */
	make_page(&m, 0);
	expect_kind(0x7c0, 0x800, UW_CFA_ROOT);
	expect_sp(0x800, 0x840, 8);
	made_deinit(&m);
}

/* As in _dl_runtime_resolve: cfa = rbx + 32, and the callee saves rbx at its own cfa - 40. */
static void cfa_may_depend_on_a_register_that_the_callee_has_saved(void **state)
{
	static const u8 by_rbx[] = { 0x0c, 3, 32 }, by_rax[] = { 0x0c, 0, 32 };
	static const u8 saves[] = { 0x41, 0x0e, 40, 0x83, 5 }, saves_not[] = { 0x41, 0x0e, 40 };
	static const struct {
		const u8 *caller, *callee;
		u32 callee_len, callee_at;
		enum uw_cfa cfa;
	} cases[] = {
		{ by_rbx, saves, sizeof(saves), 0x800, UW_CFA_AT_SP },
		{ by_rbx, saves_not, sizeof(saves_not), 0x800, UW_CFA_NONE },
		{ by_rbx, saves, sizeof(saves), 0x801, UW_CFA_NONE },
		{ by_rax, saves, sizeof(saves), 0x800, UW_CFA_NONE },
	};
	static const u8 call[] = { 0xe8, 0xeb, 0x07, 0, 0 }; /* from 0x10 to 0x800 */

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		const struct uw_rule *at = &page.rule[0x14];
		struct made_cfi m;

		made_init(&m, EM_X86_64, 2);
		memcpy(m.bytes + MADE_CODE_OFF + 0x10, call, sizeof(call));
		made_fde(&m, 0, 0x40, cases[i].caller, sizeof(by_rbx));
		made_fde(&m, cases[i].callee_at, 0x40, cases[i].callee, cases[i].callee_len);
		make_page(&m, 0);
		expect_kind(0, 0x14, UW_CFA_NONE);
		expect_kind(0x14, 0x15, cases[i].cfa);
		expect_kind(0x15, 0x40, UW_CFA_NONE);
		if (at->cfa == UW_CFA_AT_SP)
			assert_true(at->cfa_off == -40 && at->cfa_add == 32 && at->ra_off == -8);
		made_deinit(&m);
	}
}

static void code_whose_cfi_has_an_undefined_return_address_is_treated_as_a_root(void **state)
{
	static const u8 x86_64[] = { 0x41, 0x07, 16 }, arm64[] = { 0x41, 0x07, 30 };
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 1);
	made_fde(&m, 0, 16, x86_64, sizeof(x86_64));
	make_page(&m, 0);
	expect_sp(0, 1, 8);
	expect_kind(1, 16, UW_CFA_ROOT);
	made_deinit(&m);
	made_init(&m, EM_AARCH64, 1);
	made_fde(&m, 0, 16, arm64, sizeof(arm64));
	make_page(&m, 0);
	expect_kind(0, 4, UW_CFA_SP);
	assert_int_equal(page.rule[0].ra, UW_SAVED_SAME);
	expect_kind(4, 16, UW_CFA_ROOT);
	made_deinit(&m);
}

static void rule_table_stores_equal_rules_once_and_refuses_new_rules_when_full(void **state)
{
	struct uw_rule table[4], rule = SP_(8);
	struct rules r;

	(void)state;
	assert_int_equal(rules_init(&r, table, N(table)), 0);
	assert_int_equal(rules_add(&r, &(struct uw_rule){ .cfa_off = 7 }), 0);
	for (u32 round = 0; round < 2; round++) {
		for (u32 i = 1; i < 6; i++) {
			rule.cfa_off = (s32)i;
			assert_int_equal(rules_add(&r, &rule), i < 4 ? i : 0);
		}
	}
	assert_int_equal(r.n, 4);
	assert_int_equal(r.n_refused, 4);
	assert_int_equal(table[0].cfa, UW_CFA_NONE);
	assert_int_equal(table[3].cfa_off, 3);
	rules_deinit(&r);
}

/* Shares nest: the rules of a file count for its user, too. */
static void rule_table_refuses_new_rules_of_a_share_that_is_full(void **state)
{
	struct rules_share user = { .max = 3 }, first = { .max = 2, .of = &user },
			   second = { .max = 2, .of = &user };
	static const struct {
		u8 share; /* 0: none, 1: first, 2: second */
		u8 off; /* of the rule */
		u8 number; /* 0: refused */
	} rows[] = {
		{ 1, 1, 1 }, { 1, 2, 2 }, { 1, 3, 0 }, { 1, 2, 2 /* a known rule */ },
		{ 2, 4, 3 }, { 2, 5, 0 }, { 2, 1, 1 }, { 0, 5, 4 },
	};
	struct uw_rule table[8], rule = SP_(8);
	struct rules r;

	(void)state;
	assert_int_equal(rules_init(&r, table, N(table)), 0);
	for (size_t i = 0; i < N(rows); i++) {
		r.share = rows[i].share == 1 ? &first : rows[i].share ? &second : NULL;
		rule.cfa_off = rows[i].off;
		assert_int_equal(rules_add(&r, &rule), rows[i].number);
	}
	assert_int_equal(r.n_refused, 2);
	rules_deinit(&r);
}

/* If elfutils' rule for @reg is *(cfa + off), stores off and returns true. */
static bool at_cfa(Dwarf_Frame *frame, int reg, s64 *off)
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	if (dwarf_frame_register(frame, reg, mem, &ops, &n) || !n || n > 2 ||
	    ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	*off = n == 2 ? (s64)ops[1].number : 0;
	return n == 1 || ops[1].atom == DW_OP_plus_uconst;
}

static bool is_undefined(Dwarf_Frame *frame, int reg)
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	return !dwarf_frame_register(frame, reg, mem, &ops, &n) && !n && ops == mem;
}

/*
 * Rules given by DWARF expressions are only counted; rows_like_readelf.py compares the expressions.
 */
static bool differs(Dwarf_CFI *cfi, u64 addr, const struct uw_rule *have)
{
	_cleanup_free_ Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t n;
	s64 off = 0;

	if (dwarf_cfi_addrframe(cfi, addr, &frame))
		return false; /* no FDE: other tests cover this case */
	if (dwarf_frame_cfa(frame, &ops, &n))
		return have->cfa != UW_CFA_NONE;
	if (have->cfa == UW_CFA_ROOT)
		return !is_undefined(frame, 16);
	if (have->cfa != UW_CFA_SP && have->cfa != UW_CFA_FP)
		return n == 1;
	return n != 1 || ops[0].atom != DW_OP_bregx || ops[0].number2 != (u64)have->cfa_off ||
	       ops[0].number != (have->cfa == UW_CFA_SP ? 7 : 6) || !at_cfa(frame, 16, &off) ||
	       off != have->ra_off || at_cfa(frame, 6, &off) != (have->fp == UW_SAVED_CFA) ||
	       (have->fp == UW_SAVED_CFA && off != have->fp_off);
}

/*
 * Compares the rules at every byte of a file's code. If @break_it, each rule is changed, and the
 * comparison must fail.
 */
static void compare_with_elfutils(int fd, bool break_it)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
	u32 n_described = 0, n_differ = 0;
	size_t n_phdrs;
	GElf_Phdr ph;

	assert_non_null(cfi);
	assert_int_equal(elf_getphdrnum(elf, &n_phdrs), 0);
	for (size_t i = 0; i < n_phdrs; i++) {
		assert_non_null(gelf_getphdr(elf, (int)i, &ph));
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		for (u64 off = 0; off < ph.p_filesz; off++) {
			u64 at = (ph.p_offset + off) % UW_ROW_PAGE_LEN;

			if (!off || !at)
				assert_int_equal(made_page(fd, ph.p_offset + off - at, &page), 0);
			page.rule[at].cfa_off += break_it;
			n_described += page.rule[at].cfa != UW_CFA_NONE;
			n_differ += differs(cfi, ph.p_vaddr + off, &page.rule[at]);
		}
	}
	assert_true(n_described > 1000);
	if (break_it)
		assert_true(n_differ > 1000);
	else
		assert_int_equal(n_differ, 0);
	dwarf_cfi_end(cfi);
	elf_end(elf);
}

static void unwind_rows_of_the_test_binary_agree_with_elfutils(void **state)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	compare_with_elfutils(fd, false);
	compare_with_elfutils(fd, true);
}

static void unwind_rows_of_the_vdso_agree_with_elfutils(void **state)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	_cleanup_close_ int fd = memfd_create("vdso", MFD_CLOEXEC);
	const Elf64_Ehdr *eh = (const void *)vdso;

	(void)state;
	assert_non_null(vdso);
	assert_true(write(fd, vdso, eh->e_shoff + eh->e_shnum * eh->e_shentsize) > 0);
	compare_with_elfutils(fd, false);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(code_outside_all_fdes_has_no_unwind_rule),
	cmocka_unit_test(function_that_spans_pages_has_rows_in_each_page),
	cmocka_unit_test(if_two_fdes_overlap_the_first_ends_where_the_second_begins),
	cmocka_unit_test(cfi_programs_can_nest_remember_state_instructions),
	cmocka_unit_test(page_that_contains_no_code_has_no_unwind_rules),
	cmocka_unit_test(unwind_rows_end_where_the_segment_ends),
	cmocka_unit_test(stub_without_cfi_is_recognized_by_its_bytes),
	cmocka_unit_test(code_that_has_cfi_is_not_treated_as_a_stub),
	cmocka_unit_test(system_call_right_after_the_code_of_an_fde_has_the_rule_of_that_fde),
	cmocka_unit_test(code_at_the_entry_point_of_a_program_is_treated_as_a_root),
	cmocka_unit_test(cfa_may_depend_on_a_register_that_the_callee_has_saved),
	cmocka_unit_test(code_whose_cfi_has_an_undefined_return_address_is_treated_as_a_root),
	cmocka_unit_test(rule_table_stores_equal_rules_once_and_refuses_new_rules_when_full),
	cmocka_unit_test(rule_table_refuses_new_rules_of_a_share_that_is_full),
	cmocka_unit_test(unwind_rows_of_the_test_binary_agree_with_elfutils),
	cmocka_unit_test(unwind_rows_of_the_vdso_agree_with_elfutils),
};

int main(void)
{
	return CHECK_RUN(tests);
}
