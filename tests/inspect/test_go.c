/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Reading of Go programs by `.gopclntab`: unwind rules in the prologue and epilogue of each kind of
 * frame, names, lines, inlined calls, and corrupt tables.
 */

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "../../inspect/symbols/symbols.h"
#include "../../inspect/go/go_frames.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "made_go.h"

#define TOP 1
#define SETS_SP 2

static struct made_page page;

static void make_rows(struct made_go *g, u32 end)
{
	_cleanup_close_ int fd = -1;

	made_go_finish(g, end);
	fd = made_fd(&g->elf, g->elf.len);
	assert_int_equal(made_page(fd, MADE_CODE_OFF, &page), 0);
	made_deinit(&g->elf);
}

/* Expects rule @want at all offsets of [from, to). */
static void expect(u32 from, u32 to, struct uw_rule want)
{
	for (u32 i = from; i < to; i++) {
		if (!memcmp(&page.rule[i], &want, sizeof(want)))
			continue;
		fail_msg("the rule at offset %u is unexpected: cfa %d %+d, ra %d %+d, fp %d %+d", i,
			 page.rule[i].cfa, page.rule[i].cfa_off, page.rule[i].ra,
			 page.rule[i].ra_off, page.rule[i].fp, page.rule[i].fp_off);
	}
}

static void expect_sp(u32 from, u32 to, s32 cfa_off, bool fp_saved)
{
	expect(from, to,
	       (struct uw_rule){ .cfa = UW_CFA_SP,
				 .cfa_off = cfa_off,
				 .ra = UW_SAVED_CFA,
				 .ra_off = -8,
				 .fp = fp_saved ? UW_SAVED_CFA : UW_SAVED_SAME,
				 .fp_off = fp_saved ? -16 : 0 });
}

static void expect_kind(u32 from, u32 to, enum uw_cfa cfa)
{
	for (u32 i = from; i < to; i++)
		assert_int_equal(page.rule[i].cfa, cfa);
}

static const struct uw_rule x86_64_away = {
	.cfa = UW_CFA_FP_OTHER_STACK,
	.cfa_off = 16,
	.ra = UW_SAVED_CFA,
	.ra_off = -8,
	.fp = UW_SAVED_CFA,
	.fp_off = -16,
};

/* push %rbp; mov %rsp,%rbp; sub $32,%rsp | ... | add $32,%rsp; pop %rbp; ret */
static const u8 push_code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20 };
static const struct made_go_value push_values[] = { { 1, 0 }, { 7, 8 }, { 24, 40 },
						    { 1, 8 }, { 1, 0 }, {} };

static void function_that_pushes_fp_has_the_expected_unwind_rules(void **state)
{
	(void)state;
	for (u32 v = 0; v < N_MADE_GO; v++) {
		struct made_go g;

		made_go_init(&g, EM_X86_64, v);
		made_go_code(&g, 16, push_code, sizeof(push_code));
		made_go_function(&g, "main.a", 16)->sp = made_go_values(&g, push_values);
		make_rows(&g, 64);
		expect_kind(0, 16, UW_CFA_NONE);
		expect_sp(16, 17, 8, false);
		expect_sp(17, 24, 16, true);
		expect_sp(24, 48, 48, true);
		expect_sp(48, 49, 16, true);
		expect_sp(49, 50, 8, false);
		expect_kind(50, 64, UW_CFA_NONE);
	}
}

/* sub $0x18,%rsp | mov %rbp,0x10(%rsp); lea 0x10(%rsp),%rbp */
static const u8 stored_code[] = { 0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c,
				  0x24, 0x10, 0x48, 0x8d, 0x6c, 0x24, 0x10 };
static const struct made_go_value stored_values[] = { { 4, 0 }, { 26, 24 }, { 2, 0 }, {} };

static void fp_belongs_to_the_caller_until_the_go_prologue_has_stored_fp(void **state)
{
	struct made_go g;

	(void)state;
	made_go_init(&g, EM_X86_64, MADE_GO_1_18);
	made_go_code(&g, 0, stored_code, sizeof(stored_code));
	made_go_function(&g, "main.a", 0)->sp = made_go_values(&g, stored_values);
	make_rows(&g, 32);
	expect_sp(0, 4, 8, false);
	expect_sp(4, 9, 32, false);
	expect_sp(9, 30, 32, true);
	expect_sp(30, 32, 8, false);
}

static void fp_belongs_to_the_caller_in_assembly_that_does_not_store_fp(void **state)
{
	struct made_go g;

	(void)state;
	made_go_init(&g, EM_X86_64, MADE_GO_1_20);
	made_go_function(&g, "main.a", 0)->sp = made_go_values(&g, stored_values);
	make_rows(&g, 32);
	expect_sp(4, 30, 32, false);
}

static void root_functions_of_go_are_recognized_by_their_flags_in_the_table(void **state)
{
	struct made_go g;
	static const struct made_go_value leaf[] = { { 32, 0 }, {} };

	(void)state;
	made_go_init(&g, EM_X86_64, MADE_GO_1_20);
	made_go_function(&g, "main.first", 0)->flags = TOP;
	made_go_function(&g, "main.called", 32)->sp = made_go_values(&g, leaf);
	/* runtime.sigtramp returns to the kernel's signal frame. */
	*made_go_function(&g, "runtime.sigtramp", 64) = (struct made_go_record){
		.start = 64, .name = g.records[2].name, .sp = g.records[1].sp, .flags = TOP
	};
	make_rows(&g, 96);
	expect_kind(0, 32, UW_CFA_ROOT);
	expect_sp(32, 64, 8, false);
	expect_sp(64, 96, 8, false);
}

static void root_functions_of_go_are_recognized_by_name_if_the_table_has_no_flags(void **state)
{
	struct made_go g;

	(void)state;
	made_go_init(&g, EM_X86_64, MADE_GO_1_16);
	made_go_function(&g, "runtime.goexit", 0);
	make_rows(&g, 32);
	expect_kind(0, 32, UW_CFA_ROOT);
}

/* mov 0x38(%rbx),%rsp; mov %rdx,%rsp */
static const u8 sets_sp_code[][4] = { { 0x48, 0x8b, 0x63, 0x38 }, { 0x48, 0x89, 0xd4, 0x90 } };

static void go_code_after_a_stack_switch_is_unwound_by_fp_if_it_has_pushed_fp(void **state)
{
	struct made_go g;
	struct made_go_record *r;

	(void)state;
	made_go_init(&g, EM_X86_64, MADE_GO_1_20);
	made_go_code(&g, 0, push_code, sizeof(push_code));
	made_go_code(&g, 10, sets_sp_code[0], 4);
	r = made_go_function(&g, "runtime.systemstack", 0);
	r->sp = made_go_values(&g, push_values);
	r->flags = SETS_SP;
	make_rows(&g, 34);
	expect_sp(0, 1, 8, false);
	expect_sp(1, 4, 16, true);
	expect(4, 33, x86_64_away);
	expect_sp(33, 34, 8, false);
}

static void frameless_go_code_that_has_switched_the_stack_has_no_unwind_rule(void **state)
{
	static const struct made_go_value leaf[] = { { 32, 0 }, {} };

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct made_go g;
		struct made_go_record *r;

		made_go_init(&g, EM_X86_64, MADE_GO_1_20);
		made_go_code(&g, 10, sets_sp_code[i], 4);
		r = made_go_function(&g, "runtime.morestack", 0);
		r->sp = made_go_values(&g, leaf);
		r->flags = SETS_SP;
		r = made_go_function(&g, "runtime.mcall", 32);
		r->sp = made_go_values(&g, leaf);
		r->flags = SETS_SP;
		made_go_code(&g, 40, sets_sp_code[i], 4);
		r = made_go_function(&g, "main.unseen", 64);
		r->sp = made_go_values(&g, leaf);
		r->flags = SETS_SP;
		make_rows(&g, 96);
		expect_sp(0, 10, 8, false);
		expect_kind(10, 32, UW_CFA_NONE);
		expect_sp(32, 40, 8, false);
		expect_kind(40, 64, UW_CFA_ROOT);
		expect_kind(64, 96, UW_CFA_NONE);
	}
}

static void go_code_with_an_impossible_frame_size_has_no_unwind_rule(void **state)
{
	static const struct made_go_value odd[] = { { 8, 0 },	       { 8, 12 }, { 8, -8 },
						    { 8, 0x7ffffff8 }, { 8, 16 }, {} };
	struct made_go g;

	(void)state;
	made_go_init(&g, EM_X86_64, MADE_GO_1_20);
	made_go_function(&g, "main.a", 0)->sp = made_go_values(&g, odd);
	make_rows(&g, 40);
	expect_sp(0, 8, 8, false);
	expect_kind(8, 32, UW_CFA_NONE);
	expect_sp(32, 40, 24, false);
}

static struct uw_rule arm64_rule(enum uw_cfa cfa, s32 delta, bool fp_saved)
{
	return (struct uw_rule){ .cfa = cfa,
				 .cfa_off = cfa == UW_CFA_SP ? delta : delta + 8,
				 .ra = delta ? UW_SAVED_CFA : UW_SAVED_SAME,
				 .ra_off = -delta,
				 .fp = fp_saved ? UW_SAVED_CFA : UW_SAVED_SAME,
				 .fp_off = fp_saved ? -delta - 8 : 0 };
}

static void go_frame_on_arm64_has_lr_at_sp_and_fp_below_sp(void **state)
{
	/* str x30,[sp,#-32]!; stur x29,[sp,#-8]; sub x29,sp,#8 */
	static const u32 small[] = { 0xf81e0ffe, 0xf81f83fd, 0xd10023fd };
	/* sub x20,sp,#0x1000; stp x29,x30,[x20,#-8]; mov sp,x20; sub x29,sp,#8 */
	static const u32 large[] = { 0xd14007f4, 0xa93ffa9d, 0x9100029f, 0xd10023fd };
	static const struct made_go_value small_values[] = { { 4, 0 }, { 24, 32 }, { 4, 0 }, {} };
	static const struct made_go_value large_values[] = { { 12, 0 }, { 20, 4096 }, {} };
	struct made_go g;
	struct made_go_record *r;

	(void)state;
	made_go_init(&g, EM_AARCH64, MADE_GO_1_20);
	made_go_code(&g, 0, small, sizeof(small));
	made_go_function(&g, "main.small", 0)->sp = made_go_values(&g, small_values);
	made_go_code(&g, 32, large, sizeof(large));
	made_go_function(&g, "main.large", 32)->sp = made_go_values(&g, large_values);
	made_go_code(&g, 64, small, sizeof(small));
	r = made_go_function(&g, "runtime.systemstack", 64);
	r->sp = g.records[0].sp;
	r->flags = SETS_SP;
	make_rows(&g, 96);
	expect(0, 4, arm64_rule(UW_CFA_SP, 0, false));
	expect(4, 8, arm64_rule(UW_CFA_SP, 32, false));
	expect(8, 28, arm64_rule(UW_CFA_SP, 32, true));
	expect(28, 32, arm64_rule(UW_CFA_SP, 0, false));
	expect(32, 44, arm64_rule(UW_CFA_SP, 0, false));
	expect(44, 64, arm64_rule(UW_CFA_SP, 4096, true));
	expect(72, 76, arm64_rule(UW_CFA_SP, 32, true));
	expect(76, 92, arm64_rule(UW_CFA_FP_OTHER_STACK, 32, true));
}

struct printed {
	char text[512];
	u32 starts[4], n;
};

static int print_frame(const struct lines_frame *f, void *data)
{
	struct printed *t = data;
	size_t n = strlen(t->text);

	snprintf(t->text + n, sizeof(t->text) - n, "%s %s:%u%s;", f->name, f->file ? f->file : "-",
		 f->line, f->inlined ? " inlined" : "");
	if (f->file)
		t->starts[t->n++] = f->start_line;
	return 0;
}

/* main.outer at [100, 140); middle is inlined into outer, and inner into middle. */
static void make_nested(struct made_go *g, enum made_go_version version)
{
	static const struct made_go_value lines[] = {
		{ 10, 20 }, { 10, 30 }, { 10, 40 }, { 10, 21 }, {}
	};
	static const struct made_go_value tree[] = {
		{ 10, -1 }, { 10, 0 }, { 10, 1 }, { 10, -1 }, {}
	};
	static const struct made_go_value sp[] = { { 40, 0 }, {} };
	struct made_go_value files[] = { { 20, 0 }, { 20, 0 }, {} };
	struct made_go_record *r;

	made_go_init(g, EM_X86_64, version);
	files[0].value = made_go_file(g, "/src/a.go");
	files[1].value = made_go_file(g, "/src/b.go");
	r = made_go_function(g, "main.outer[...]", 100);
	r->sp = made_go_values(g, sp);
	r->line = made_go_values(g, lines);
	r->file = made_go_values(g, files);
	r->inlining = made_go_values(g, tree);
	made_go_inlined(g, "main.(*T).middle", 5);
	made_go_inlined(g, "main.inner", 15);
	made_go_function(g, "main.cold", 160)->sp = r->sp;
	made_go_function(g, "runtime.sigreturn__sigaction", 208)->sp = r->sp;
	made_go_finish(g, 256);
}

static void lines_and_inlined_calls_of_a_go_program_match_the_source(void **state)
{
	static const struct {
		u32 off;
		int err;
		const char *text;
	} cases[] = {
		{ 99, -ENOENT, "" },
		{ 100, 0, "main.outer[...] /src/a.go:20;" },
		{ 109, 0, "main.outer[...] /src/a.go:20;" },
		{ 110, 0, "main.(*T).middle /src/a.go:30 inlined;main.outer[...] /src/a.go:20;" },
		{ 112, 0, "main.(*T).middle /src/a.go:30 inlined;main.outer[...] /src/a.go:20;" },
		{ 129, 0,
		  "main.inner /src/b.go:40 inlined;main.(*T).middle /src/a.go:30 inlined;"
		  "main.outer[...] /src/a.go:20;" },
		{ 139, 0, "main.outer[...] /src/b.go:21;" },
		{ 140, -ENOENT, "" }, /* padding */
		{ 160, 0, "main.cold -:0;" },
	};

	(void)state;
	for (u32 v = MADE_GO_1_18; v < N_MADE_GO; v++) {
		_cleanup_(elf_file_free) struct elf_file *f = NULL;
		_cleanup_(go_table_free) struct go_table *t = NULL;
		_cleanup_close_ int fd = -1;
		struct made_go g;

		make_nested(&g, v);
		fd = made_fd(&g.elf, g.elf.len);
		assert_int_equal(elf_file_open_fd(&f, fd), 0);
		assert_int_equal(go_table_open(&t, f), 0);
		for (u32 i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct printed printed = { "" };

			assert_int_equal(
				go_frames(t, MADE_CODE + cases[i].off, print_frame, &printed),
				cases[i].err);
			assert_string_equal(printed.text, cases[i].text);
			for (u32 k = 0; k < printed.n; k++)
				assert_int_equal(printed.starts[k], v < MADE_GO_1_20	 ? 0
								    : k + 1 == printed.n ? 7
											 : 9);
		}
		made_deinit(&g.elf);
	}
}

static void functions_of_a_stripped_go_program_have_their_full_names(void **state)
{
	static const struct {
		u32 off;
		const char *name;
	} cases[] = { { 139, "main.outer[...]" },
		      { 160, "main.cold" },
		      { 206, "main.cold" },
		      { 207, "runtime.sigreturn__sigaction" },
		      { 255, "runtime.sigreturn__sigaction" } };

	(void)state;
	for (u32 v = 0; v < N_MADE_GO; v++) {
		_cleanup_(elf_file_free) struct elf_file *f = NULL;
		_cleanup_(symbols_free) struct symbols *s = NULL;
		_cleanup_close_ int fd = -1;
		struct made_go g;
		char name[64];
		u64 off;

		make_nested(&g, v);
		fd = made_fd(&g.elf, g.elf.len);
		assert_int_equal(elf_file_open_fd(&f, fd), 0);
		assert_int_equal(symbols_new(&s, f, f, go_symbols), 0);
		for (u32 i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			assert_int_equal(symbols_lookup(s, MADE_CODE + cases[i].off, name,
							sizeof(name), &off),
					 0);
			assert_string_equal(name, cases[i].name);
		}
		assert_int_equal(symbols_lookup(s, MADE_CODE + 99, name, sizeof(name), &off),
				 -ENOENT);
		assert_int_equal(symbols_lookup(s, MADE_CODE + 256, name, sizeof(name), &off),
				 -ENOENT);
		made_deinit(&g.elf);
	}
}

/* Reads everything in the file. Sanitizers and valgrind detect reads that are out of bounds. */
static void read_all(const struct made_go *g, u32 len)
{
	_cleanup_(elf_file_free) struct elf_file *f = NULL;
	_cleanup_(go_table_free) struct go_table *t = NULL;
	_cleanup_(symbols_free) struct symbols *s = NULL;
	_cleanup_close_ int fd = made_fd(&g->elf, len);

	made_page(fd, MADE_CODE_OFF, &page);
	if (elf_file_open_fd(&f, fd))
		return;
	symbols_new(&s, f, f, go_symbols);
	if (go_table_open(&t, f))
		return;
	for (u32 off = 96; off < 260; off += 3) {
		struct printed printed = { "" };

		go_frames(t, MADE_CODE + off, print_frame, &printed);
	}
}

/*
 * Does the file have data from @off on? Most of the file is zeros, like all bytes after a
 * truncation.
 */
static bool has_bytes(const struct made_go *g, u32 off)
{
	u64 word;

	memcpy(&word, g->elf.bytes + off - 4, sizeof(word));
	return word;
}

static void go_program_with_a_truncated_table_has_fewer_rows_or_none(void **state)
{
	struct made_go g;

	(void)state;
	make_nested(&g, MADE_GO_1_20);
	for (u32 len = MADE_GO_TABLE_OFF; len < g.elf.len; len++)
		if (has_bytes(&g, len))
			read_all(&g, len);
	/*
	 * The module data are at the end of the file. Without the module data, no function is
	 * known.
	 */
	read_all(&g, MADE_GO_TABLE_OFF + 0x2700);
	expect_sp(100, 140, 8, false);
	made_deinit(&g.elf);
	make_nested(&g, MADE_GO_1_26);
	read_all(&g, g.elf.len);
	expect_sp(100, 140, 8, false);
	read_all(&g, MADE_GO_TABLE_OFF + 0x2700);
	expect_kind(0, 4096, UW_CFA_NONE);
	made_deinit(&g.elf);
}

static void go_table_in_which_any_byte_is_changed_is_read_within_bounds(void **state)
{
	static const u8 changes[] = { 0xff, 0x80, 0x01 };
	struct made_go g;

	(void)state;
	make_nested(&g, MADE_GO_1_20);
	for (u32 off = MADE_GO_TABLE_OFF; off < g.elf.len; off++) {
		for (u32 i = 0; has_bytes(&g, off) && i < sizeof(changes); i++) {
			g.elf.bytes[off] ^= changes[i];
			read_all(&g, g.elf.len);
			g.elf.bytes[off] ^= changes[i];
		}
	}
	made_deinit(&g.elf);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(function_that_pushes_fp_has_the_expected_unwind_rules),
	cmocka_unit_test(fp_belongs_to_the_caller_until_the_go_prologue_has_stored_fp),
	cmocka_unit_test(fp_belongs_to_the_caller_in_assembly_that_does_not_store_fp),
	cmocka_unit_test(root_functions_of_go_are_recognized_by_their_flags_in_the_table),
	cmocka_unit_test(root_functions_of_go_are_recognized_by_name_if_the_table_has_no_flags),
	cmocka_unit_test(go_code_after_a_stack_switch_is_unwound_by_fp_if_it_has_pushed_fp),
	cmocka_unit_test(frameless_go_code_that_has_switched_the_stack_has_no_unwind_rule),
	cmocka_unit_test(go_code_with_an_impossible_frame_size_has_no_unwind_rule),
	cmocka_unit_test(go_frame_on_arm64_has_lr_at_sp_and_fp_below_sp),
	cmocka_unit_test(lines_and_inlined_calls_of_a_go_program_match_the_source),
	cmocka_unit_test(functions_of_a_stripped_go_program_have_their_full_names),
	cmocka_unit_test(go_program_with_a_truncated_table_has_fewer_rows_or_none),
	cmocka_unit_test(go_table_in_which_any_byte_is_changed_is_read_within_bounds),
};

int main(void)
{
	return CHECK_RUN(tests);
}
