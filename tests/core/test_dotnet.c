// SPDX-License-Identifier: BSD-2-Clause

/*
 * CoreCLR's code on x86-64: a hand-made code heap with both forms of the nibble map, and functions
 * whose instructions this test executes one by one on a stack in fake memory. From this execution,
 * the expected result of the walk at each instruction is known.
 */

#include "dotnet_functions.h"
#include "dotnet_heap.h"

static const struct uw_state *walk(const struct heap *h, u64 pc, u64 sp, u64 fp)
{
	struct uw_state *u = fresh_state();

	walk_by(u, h, pc, sp, fp, 0);
	return u;
}

/* ---- finding the method ---- */

/*
 * Lengths of methods below, at and above the size of a read window, a page, a bucket and a map
 * word.
 */
static const u32 lens[] = { 1,	 31,   32,   33,   224,	  255,	 256,	257,   511,   512,
			    600, 4096, 7000, 8192, 16384, 16640, 33000, 78848, 400000 };

static void fill(struct heap *h)
{
	static const u8 nops[64] = { [0 ... 63] = 0x90 };

	for (u32 i = 0; h->used + 8 * 64 + lens[i % 19] < CODE_LEN && h->n < MAX_METHODS; i++) {
		u32 start = add_method(h, lens[i % 19], no_slots, 4, 0, NULL, 0);

		for (u32 at = 0; at < lens[i % 19]; at += 64)
			put(h, CODE_ADDR + start + at, nops,
			    lens[i % 19] - at < 64 ? lens[i % 19] - at : 64);
		for (u32 k = 0; i % 19 == 18 && k < 8; k++)
			add_method(h, 7 + k, no_slots, 4, 0, NULL, 0);
	}
}

static bool is_found(const struct heap *h, u32 i, u32 off)
{
	const struct uw_state *u = walk(h, CODE_ADDR + off, DOTNET_STACK + 64, 0);
	const struct uw_frame *f = u->sample.frames;

	return u->sample.status == UW_END && u->sample.n_frames == 2 &&
	       f[0].kind == UW_DOTNET_METHOD && f[0].status == UW_OK &&
	       f[0].a == CODE_ADDR + h->methods[i].start && f[0].b == METHOD_DESC(i) &&
	       f[1].pc == ROOT_RA && !(f[1].flags & UW_FRAME_GUESS);
}

static void check_all(const struct heap *h)
{
	u32 n = 0;

	for (u32 i = 0; i < h->n; i++) {
		const struct method *m = &h->methods[i];

		for (u32 off = m->start; off < m->end; off += off % 7 ? 61 : 509, n++)
			if (!is_found(h, i, off))
				fail_msg("method %u, %#x + %#x", i, m->start, off - m->start);
		if (!is_found(h, i, m->end - 1))
			fail_msg(
				"no method was found for the last byte of method %u, at offset %#x",
				i, m->end - 1);
	}
	assert_true(n > 5000);
}

static void the_method_is_found_for_a_pc_at_any_byte_of_its_code(void **state)
{
	static const u64 ra = ROOT_RA;

	(void)state;
	for (u32 form = 0; form < 2; form++) {
		struct heap h;

		heap_init(&h, form);
		put(&h, DOTNET_STACK + 64, &ra, 8);
		fill(&h);
		check_all(&h);
		sim_mem_free(&h.mem);
	}
}

static void pc_between_two_methods_belongs_to_no_method(void **state)
{
	(void)state;
	for (u32 form = 0; form < 2; form++) {
		struct heap h;

		heap_init(&h, form);
		fill(&h);
		for (u32 i = 0; i < h.n; i++) {
			const struct uw_state *u =
				walk(&h, CODE_ADDR + h.methods[i].end, DOTNET_STACK + 64, 0);

			assert_int_equal(u->sample.frames[0].status, UW_F_NO_METHOD);
		}
		sim_mem_free(&h.mem);
	}
}

static void method_is_unknown_if_a_word_of_the_nibble_map_is_unreadable(void **state)
{
	const u32 len = 33000; /* the search of the map then reads three windows */
	const struct uw_state *u;
	struct heap h;
	u32 start;

	(void)state;
	for (u32 nth = 1; nth <= 3; nth++) {
		heap_init(&h, false);
		start = add_method(&h, len, no_slots, 4, 0, NULL, 0);
		sim_mem_fail_read(h.mem, nth);
		u = walk(&h, CODE_ADDR + start + len - 1, DOTNET_STACK + 64, 0);
		assert_int_equal(u->sample.frames[0].status, UW_F_METHOD_FAULT);
		assert_int_equal(u->sample.frames[0].a, 0);
		sim_mem_free(&h.mem);
	}
}

static void the_method_is_found_for_a_pc_in_any_of_its_funclets(void **state)
{
	static const u64 ra = ROOT_RA;
	static const u8 nops[40] = { [0 ... 39] = 0x90 };
	struct entry entries[5];
	u32 n = 5, start, info_at;
	struct heap h;

	(void)state;
	heap_init(&h, true);
	put(&h, DOTNET_STACK + 64, &ra, 8);
	start = add_method(&h, 8, no_slots, 4, sizeof(nops) - 8, no_slots, 4);
	info_at = start + sizeof(nops);
	for (u32 i = 0; i < n; i++)
		entries[i] = (struct entry){ start + 8 * i, start + 8 * (i + 1), info_at };
	put(&h, META_ADDR + 0x20, &n, 4);
	put(&h, META_ADDR + 0x24, entries, sizeof(entries));
	put(&h, CODE_ADDR + start, nops, sizeof(nops));
	for (u32 off = 0; off < sizeof(nops); off++)
		if (!is_found(&h, 0, start + off))
			fail_msg("no method was found for the address %u bytes after the method's "
				 "start",
				 off);
	sim_mem_free(&h.mem);
}

/* ---- unwinding ---- */

#define CALLER_SP (DOTNET_STACK + 0x7000)
#define CALLER_FP 0x7ffd00007120ull

struct cpu {
	struct heap *h;
	u64 sp, fp;
};

static void push(struct cpu *c, u64 word)
{
	c->sp -= 8;
	put(c->h, c->sp, &word, 8);
}

static u64 pop(struct cpu *c)
{
	u64 word;

	assert_int_equal(sim_mem_read(c->h->mem, &word, 8, c->sp), 0);
	c->sp += 8;
	return word;
}

static void execute(struct cpu *c, const struct insn *i)
{
	u64 at;

	switch (i->op) {
	case PUSH_RBP:
		push(c, c->fp);
		break;
	case PUSH_RBX:
	case PUSH_RAX:
	case PUSH_R15:
		push(c, 0xb0b0);
		break;
	case SUB:
	case SUB_FAR:
		c->sp -= (u64)i->n;
		break;
	case ADD:
	case ADD_FAR:
		c->sp += (u64)i->n;
		break;
	case POP_RBX:
	case POP_R15:
		pop(c);
		break;
	case POP_RBP:
		c->fp = pop(c);
		break;
	case LEA_RBP:
		c->fp = c->sp + (u64)i->n;
		break;
	case LEA_RSP:
	case LEA_RSP_FAR:
		c->sp = c->fp + (u64)(s64)i->n;
		break;
	case SAVE_RBP:
		at = c->sp + (u64)i->n;
		put(c->h, at, &c->fp, 8);
		break;
	default:
		break;
	}
}

/* Sets up the stack as it is at the function's first instruction. */
static void enter(struct cpu *c, struct heap *h, const struct function *f)
{
	*c = (struct cpu){ h, CALLER_SP, CALLER_FP };
	push(c, ROOT_RA);
	if (!f->entry_words)
		return;
	push(c, CALLER_FP); /* pushed by the method whose frame this OSR method takes over */
	c->fp = c->sp;
	for (u32 i = 2; i < f->entry_words + 1; i++)
		push(c, 0x0b0b);
	c->sp = c->fp - 72;
}

static u32 assemble(const struct function *f, u8 *code)
{
	u32 len = 0;

	for (const struct insn *i = f->insns; i->op != END; i++)
		len += encode(i, code + len);
	return len;
}

static bool is_unwound(const struct uw_state *u, const struct function *f, u32 off, bool say)
{
	const struct uw_sample *s = &u->sample;

	if (s->status == UW_END && s->n_frames == 2 && s->frames[0].kind == UW_DOTNET_METHOD &&
	    s->frames[0].status == UW_OK && s->frames[1].pc == ROOT_RA && u->regs.sp == CALLER_SP &&
	    u->regs.fp == CALLER_FP)
		return true;
	if (say)
		print_error("%s + %#x: status %u, frame status %u, sp %#llx fp %#llx\n", f->name,
			    off, s->status, s->frames[0].status, u->regs.sp, u->regs.fp);
	return false;
}

/*
 * Walks at each instruction of @f. Return: the number of instructions at which the walk is wrong.
 */
static u32 sweep(const struct function *f, const u8 *info, bool say)
{
	u8 code[128], body[8] = { 0x90, 0x90, 0xc3 };
	u32 len = assemble(f, code), n_wrong = 0, off = 0, start;
	struct heap h;
	struct cpu c;

	heap_init(&h, true);
	add_method(&h, 40, no_slots, 4, 0, NULL, 0);
	if (f->is_funclet) {
		start = add_method(&h, sizeof(body), no_slots, 4, len, info, sizeof(f->info)) +
			sizeof(body);
		put(&h, CODE_ADDR + start - sizeof(body), body, sizeof(body));
	} else {
		start = add_method(&h, len, info, sizeof(f->info), 0, NULL, 0);
	}
	put(&h, CODE_ADDR + start, code, len);
	enter(&c, &h, f);
	for (const struct insn *i = f->insns; i->op != END; i++) {
		n_wrong += !is_unwound(walk(&h, CODE_ADDR + start + off, c.sp, c.fp), f, off, say);
		execute(&c, i);
		off += encode(i, code);
	}
	sim_mem_free(&h.mem);
	return n_wrong;
}

static void walk_finds_the_caller_at_every_instruction_of_a_function(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		assert_int_equal(sweep(&functions[i], functions[i].info, true), 0);
}

/*
 * The negative control: with a wrong slot in the unwind info of "framed", the walk must be wrong at
 * some instructions.
 */
static void walk_is_wrong_at_some_instructions_if_the_unwind_info_is_wrong(void **state)
{
	static const u8 places[] = { 4, 5, 6, 8, 10, 11 };

	(void)state;
	for (u32 i = 0; i < sizeof(places); i++) {
		u8 info[sizeof(functions[2].info)];

		memcpy(info, functions[2].info, sizeof(info));
		info[places[i]] ^= places[i] % 2 ? 0x10 : 0x03;
		assert_true(sweep(&functions[2], info, false) > 0);
	}
}

static u32 status_with(const u8 *info, u32 len)
{
	struct heap h;
	u32 start, status;

	heap_init(&h, false);
	start = add_method(&h, 64, info, len, 0, NULL, 0);
	status = walk(&h, CODE_ADDR + start + 20, DOTNET_STACK + 64, 0)->sample.frames[0].status;
	sim_mem_free(&h.mem);
	return status;
}

static void unsupported_unwind_info_is_refused(void **state)
{
	static const struct {
		u8 info[12];
		u32 status;
	} rows[] = {
		{ { 0x19, 0, 0, 0 }, UW_OK },
		{ { 0x1a, 0, 0, 0 }, UW_F_UNWIND_INFO }, /* version 2 */
		{ { 0x21, 0, 0, 0 }, UW_F_UNWIND_INFO }, /* chained */
		{ { 0x19, 0, 1, 0, 1, 0x0a }, UW_F_UNWIND_INFO }, /* a machine frame */
		{ { 0x19, 0, 1, 0, 1, 0x01 }, UW_F_UNWIND_INFO }, /* a slot is missing */
		{ { 0x19, 0, 1, 0x03, 1, 0x03 }, UW_F_UNWIND_INFO }, /* frame register rbx */
		{ { 0x19, 0, 33, 0 }, UW_F_UNWIND_INFO }, /* too many codes */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(status_with(rows[i].info, 12), rows[i].status);
}

/* ---- stubs ---- */

static u64 stub_ra(u64 kind, u32 off)
{
	static const u64 words[] = { 0xa1, 0xa2, 0xa3 };
	struct heap h;
	u32 start;
	u64 sp = DOTNET_STACK + 64, ra = 0;

	heap_init(&h, true);
	start = add_method(&h, 512, no_slots, 4, 0, NULL, 0);
	put(&h, CODE_ADDR + start - 8, &kind, 8);
	put(&h, sp, words, sizeof(words));
	for (u32 i = 0; i < 3 && !ra; i++) {
		u64 root = ROOT_RA;
		const struct uw_state *u;

		put(&h, sp, words, sizeof(words));
		put(&h, sp + 8ull * i, &root, 8);
		u = walk(&h, CODE_ADDR + start + off, sp, 0);
		if (u->sample.status == UW_END && u->sample.frames[0].kind == UW_DOTNET_STUB &&
		    u->sample.frames[0].a == kind)
			ra = 8ull * i + 1;
	}
	sim_mem_free(&h.mem);
	return ra - 1;
}

static void return_address_of_a_stub_is_above_the_words_pushed_by_the_stub(void **state)
{
	static const struct {
		u32 kind, off;
		u64 slot;
	} rows[] = {
		{ DOTNET_STUB_VSD_DISPATCH, 0, 0 },   { DOTNET_STUB_VSD_DISPATCH, 40, 0 },
		{ DOTNET_STUB_VSD_VTABLE, 12, 0 },    { DOTNET_STUB_VSD_LOOKUP, 0x0b, 0 },
		{ DOTNET_STUB_VSD_LOOKUP, 0x0c, 8 },  { DOTNET_STUB_VSD_LOOKUP, 0x2c, 8 },
		{ DOTNET_STUB_VSD_RESOLVE, 3, 0 },    { DOTNET_STUB_VSD_RESOLVE, 4, 8 },
		{ DOTNET_STUB_VSD_RESOLVE, 0x42, 8 }, { DOTNET_STUB_VSD_RESOLVE, 0x43, 0 },
		{ DOTNET_STUB_VSD_RESOLVE, 0x59, 8 }, { DOTNET_STUB_VSD_RESOLVE, 0x64, 16 },
		{ DOTNET_STUB_VSD_RESOLVE, 0x74, 8 }, { DOTNET_STUB_DYNAMIC_HELPER, 16, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(stub_ra(rows[i].kind, rows[i].off), rows[i].slot);
}

/* ---- cached rules ---- */

/* A stack root > method > leaf; the method has pushed rbp. */
struct calls {
	struct heap h;
	struct uw_state *u;
	u32 leaf, method;
	u64 n_reads; /* number of reads of the last walk */
};

static void calls_init(struct calls *c, bool is_constant)
{
	u64 words[3] = { 0, 0x1234, ROOT_RA };

	heap_init(&c->h, is_constant);
	c->leaf = add_method(&c->h, 64, no_slots, 4, 0, NULL, 0);
	c->method = add_method(&c->h, 600, pushes_rbp, sizeof(pushes_rbp), 0, NULL, 0);
	words[0] = CODE_ADDR + c->method + 300;
	put(&c->h, DOTNET_STACK + 64, words, sizeof(words));
	c->u = fresh_state();
}

static enum uw_status calls_walk(struct calls *c, u64 process_key)
{
	walk_by(c->u, &c->h, CODE_ADDR + c->leaf + 8, DOTNET_STACK + 64, 0, process_key);
	c->n_reads = c->u->sample.n_reads;
	return c->u->sample.status;
}

static bool is_method(const struct calls *c, u32 start, u64 desc)
{
	const struct uw_frame *f = &c->u->sample.frames[1];

	return c->u->sample.n_frames == 3 && f->kind == UW_DOTNET_METHOD && !f->status &&
	       f->a == CODE_ADDR + start && f->b == desc;
}

static void method_at_a_return_address_seen_before_is_found_with_one_read(void **state)
{
	(void)state;
	for (int is_constant = 0; is_constant < 2; is_constant++) {
		struct calls c;
		u64 first;

		calls_init(&c, is_constant);
		assert_int_equal(calls_walk(&c, 7), UW_END);
		assert_true(is_method(&c, c.method, METHOD_DESC(1)));
		first = c.n_reads;
		assert_int_equal(calls_walk(&c, 7), UW_END);
		assert_true(is_method(&c, c.method, METHOD_DESC(1)));
		assert_int_equal(c.n_reads, first - 3); /* no nibbles, header, unwind info */
		assert_int_equal(calls_walk(&c, 8), UW_END); /* another process */
		assert_int_equal(c.n_reads, first);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(calls_walk(&c, 0), UW_END); /* nothing cached for key 0 */
			assert_int_equal(c.n_reads, first);
		}
		sim_mem_free(&c.h.mem);
	}
}

static void walk_does_not_report_the_old_method_after_code_was_replaced(void **state)
{
	u64 header = META_ADDR + HEADER_LEN * 2, none = 0;
	struct calls c;

	(void)state;
	calls_init(&c, true);
	add_method(&c.h, 600, no_slots, 4, 0, NULL, 0); /* its header is used below */
	assert_int_equal(calls_walk(&c, 7), UW_END);
	put(&c.h, CODE_ADDR + c.method - 8, &none, 8); /* code without a method header is a stub */
	calls_walk(&c, 7);
	assert_int_equal(c.u->sample.frames[1].kind, UW_DOTNET_STUB);
	put(&c.h, CODE_ADDR + c.method - 8, &header, 8); /* now has the header of another method */
	calls_walk(&c, 7);
	assert_int_equal(c.u->sample.frames[1].b, METHOD_DESC(2));
	sim_mem_free(&c.h.mem);
}

/*
 * A dynamic method's header is in the code heap, after the code, so a new method at the same
 * address may have a header at the same address as the old one.
 */
static void dynamic_method_is_looked_up_again_on_each_walk(void **state)
{
	u64 header = CODE_ADDR + CODE_LEN - 0x100, desc = METHOD_DESC(1);
	u8 fields[0x30];
	struct calls c;
	u64 first;

	(void)state;
	calls_init(&c, true);
	assert_int_equal(sim_mem_read(c.h.mem, fields, sizeof(fields), META_ADDR + HEADER_LEN), 0);
	put(&c.h, header, fields, sizeof(fields));
	put(&c.h, CODE_ADDR + c.method - 8, &header, 8);
	assert_int_equal(calls_walk(&c, 7), UW_END);
	first = c.n_reads;
	assert_int_equal(calls_walk(&c, 7), UW_END);
	assert_int_equal(c.n_reads, first);
	desc += 0x10;
	put(&c.h, header + 0x18, &desc, 8);
	assert_int_equal(calls_walk(&c, 7), UW_END);
	assert_true(is_method(&c, c.method, desc));
	sim_mem_free(&c.h.mem);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_method_is_found_for_a_pc_at_any_byte_of_its_code),
		cmocka_unit_test(pc_between_two_methods_belongs_to_no_method),
		cmocka_unit_test(method_is_unknown_if_a_word_of_the_nibble_map_is_unreadable),
		cmocka_unit_test(the_method_is_found_for_a_pc_in_any_of_its_funclets),
		cmocka_unit_test(walk_finds_the_caller_at_every_instruction_of_a_function),
		cmocka_unit_test(walk_is_wrong_at_some_instructions_if_the_unwind_info_is_wrong),
		cmocka_unit_test(unsupported_unwind_info_is_refused),
		cmocka_unit_test(method_at_a_return_address_seen_before_is_found_with_one_read),
		cmocka_unit_test(walk_does_not_report_the_old_method_after_code_was_replaced),
		cmocka_unit_test(dynamic_method_is_looked_up_again_on_each_walk),
		cmocka_unit_test(return_address_of_a_stub_is_above_the_words_pushed_by_the_stub),
	};

	return CHECK_RUN(tests);
}
