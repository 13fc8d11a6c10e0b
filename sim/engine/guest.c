// SPDX-License-Identifier: BSD-2-Clause

/*
 * The guest engine. Unicorn executes the image of sim/guest; each hypercall is a single
 * instruction with a hook that implements it. The guest's output is checked as hostile input,
 * because a broken image may do anything.
 *
 * Each start of Unicorn costs microseconds. Therefore Unicorn runs as a coroutine, on a separate
 * stack. Between walks, the coroutine waits in the guest's call of guest_next():
 *
 *	guest_walk()                     the coroutine
 *	fills the box    -- resume -->   guest_next() returns, the guest walks
 *	takes the sample <-- yield ---   guest_next() is called again
 *
 * Only the first switch to the coroutine uses setcontext(), which makes system calls; later
 * switches use longjmp(), which makes no system calls.
 *
 * A load in a guest costs 1 ns, but a store costs 50 ns, because Unicorn 2.0.1 checks at each
 * store whether it changes code. Therefore the host, and not the guest, fills in as much of the
 * input as possible.
 */

#undef _FORTIFY_SOURCE /* _FORTIFY_SOURCE forbids longjmp() to another stack */

#include "guest.h"

#include "../../bpf/tables.h"
#include "../cpu/unicorn.h"
#include "../guest/guest.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/*
 * Limit of basic blocks per walk. A step executes a few dozen blocks, and a search for a mapping
 * some more.
 */
#define MAX_BLOCKS (UW_MAX_FRAMES * 256u)
#define COROUTINE_STACK_LEN 0x100000

/* Unicorn's ids of an architecture's registers. */
struct guest_arch {
	const struct sim_arch *sim;
	const struct sim_blob *image;
	uc_arch uc;
	uc_mode mode;
	int pc, sp, dst, len, addr, result;
};

_Static_assert(sizeof(struct guest_box) + UW_MAX_MAPPINGS * sizeof(struct uw_mapping) +
			       UW_MAX_V8_BUILDS * sizeof(struct v8_info) +
			       SIM_MAX_ROW_PAGES * sizeof(struct uw_row_page) +
			       SIM_MAX_ROWS * sizeof(u32) + SIM_MAX_RULES * sizeof(struct uw_rule) +
			       GUEST_STACK_LEN <=
		       GUEST_BOX_LEN,
	       "the guest's box must have room for the largest tables");
_Static_assert(GUEST_BOX_LEN % (1024 * SIM_PAGE_LEN) == 0, "the next mapping is 1,024 pages away");

static const struct guest_arch guest_archs[] = {
	{ &sim_arch_x86_64, &sim_guest_x86_64, UC_ARCH_X86, UC_MODE_64, UC_X86_REG_RIP,
	  UC_X86_REG_RSP, UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RDX, UC_X86_REG_RAX },
	{ &sim_arch_arm64, &sim_guest_arm64, UC_ARCH_ARM64, UC_MODE_ARM, UC_ARM64_REG_PC,
	  UC_ARM64_REG_SP, UC_ARM64_REG_X0, UC_ARM64_REG_X1, UC_ARM64_REG_X2, UC_ARM64_REG_X0 },
};

struct guest {
	struct sim_session session;
	const struct guest_arch *arch;
	uc_engine *uc;
	u32 n_opened; /* value of sim_uc_n_opened() when this instance was opened; see unicorn.h */
	u8 *text, *box; /* memory that the guest sees at GUEST_*_ADDR */
	struct sim_mem *mem; /* memory of the current walk */
	jmp_buf host, coroutine;
	u8 *stack; /* the stack of the coroutine */
	bool is_running; /* the coroutine waits in guest_next() */
	bool is_closing;
	bool is_bounded; /* the number of blocks is limited, because the image may be in an endless
			  * loop */
	u32 n_blocks; /* number of blocks executed in this walk */
	uc_err end; /* Unicorn's result when the guest stopped */
};

static _Thread_local struct guest *starting; /* makecontext() passes no pointers */

static int guest_fail(struct guest *g, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(g->session.why, sizeof(g->session.why), format, args);
	va_end(args);
	return err;
}

static u64 get_reg(struct guest *g, int reg)
{
	u64 value = 0;

	uc_reg_read(g->uc, reg, &value);
	return value;
}

static void set_reg(struct guest *g, int reg, u64 value)
{
	uc_reg_write(g->uc, reg, &value);
}

static void give_up(struct guest *g)
{
	uc_emu_stop(g->uc);
}

static void on_read(uc_engine *uc, uint64_t pc, uint32_t size, void *data)
{
	struct guest *g = data;
	u64 at = get_reg(g, g->arch->dst) - GUEST_BOX_ADDR;
	u32 len = (u32)get_reg(g, g->arch->len);

	(void)uc, (void)pc, (void)size;
	if (at >= GUEST_BOX_LEN || len > GUEST_BOX_LEN - at) {
		give_up(g);
		return;
	}
	set_reg(g, g->arch->result,
		(u64)sim_mem_read(g->mem, g->box + at, len, get_reg(g, g->arch->addr)));
}

static void on_next(uc_engine *uc, uint64_t pc, uint32_t size, void *data)
{
	struct guest *g = data;

	(void)pc, (void)size;
	if (!_setjmp(g->coroutine))
		_longjmp(g->host, 1);
	if (g->is_closing)
		uc_emu_stop(uc);
}

static void on_block(uc_engine *uc, uint64_t pc, uint32_t size, void *data)
{
	struct guest *g = data;

	(void)uc, (void)pc, (void)size;
	if (++g->n_blocks > MAX_BLOCKS)
		give_up(g);
}

static uc_err set_up(struct guest *g)
{
	uc_hook hook;
	uc_err err = sim_uc_open(g->arch->uc, g->arch->mode, &g->uc);

	if (err)
		return err;
	/*
	 * Map the box first, so that the text is not among the 1,024 pages that each store
	 * searches.
	 */
	err = uc_mem_map_ptr(g->uc, GUEST_BOX_ADDR, GUEST_BOX_LEN, UC_PROT_READ | UC_PROT_WRITE,
			     g->box);
	if (!err)
		err = uc_mem_map_ptr(g->uc, GUEST_TEXT_ADDR, GUEST_TEXT_LEN,
				     UC_PROT_READ | UC_PROT_EXEC, g->text);
	if (!err)
		err = uc_hook_add(g->uc, &hook, UC_HOOK_CODE, (void *)on_read, g, GUEST_READ_ADDR,
				  GUEST_READ_ADDR);
	if (!err)
		err = uc_hook_add(g->uc, &hook, UC_HOOK_CODE, (void *)on_next, g, GUEST_NEXT_ADDR,
				  GUEST_NEXT_ADDR);
	if (!err && g->is_bounded)
		err = uc_hook_add(g->uc, &hook, UC_HOOK_BLOCK, (void *)on_block, g, 1, 0);
	if (!err)
		g->n_opened = sim_uc_n_opened(g->arch->uc);
	return err;
}

static const struct guest_arch *guest_arch_of(const struct sim_arch *arch)
{
	return &guest_archs[arch == guest_archs[0].sim ? 0 : 1];
}

static int open_image(const struct sim_arch *arch, struct sim_blob image, bool is_bounded,
		      struct sim_session **out)
{
	struct guest *g = calloc(1, sizeof(*g));
	uc_err err;

	if (!g)
		return -ENOMEM;
	g->session.engine = &sim_engine_guest;
	g->session.arch = arch;
	g->arch = guest_arch_of(arch);
	g->is_bounded = is_bounded;
	*out = &g->session;
	if (image.len > GUEST_TEXT_LEN)
		return guest_fail(g, -E2BIG, "the image is too large: %zu bytes", image.len);
	g->text = aligned_alloc(SIM_PAGE_LEN, GUEST_TEXT_LEN);
	g->box = aligned_alloc(SIM_PAGE_LEN, GUEST_BOX_LEN);
	g->stack = malloc(COROUTINE_STACK_LEN);
	if (!g->text || !g->box || !g->stack)
		return guest_fail(g, -ENOMEM, "no memory");
	memset(g->text, 0, GUEST_TEXT_LEN);
	memset(g->box, 0, GUEST_BOX_LEN);
	memcpy(g->text, image.bytes, image.len);
	err = set_up(g);
	return err ? guest_fail(g, -EIO, "Unicorn: %s", uc_strerror(err)) : 0;
}

static int guest_open(const struct sim_arch *arch, struct sim_session **out)
{
	return open_image(arch, *guest_arch_of(arch)->image, false, out);
}

int sim_guest_open(const struct sim_arch *arch, struct sim_blob image, struct sim_session **out)
{
	return open_image(arch, image, true, out);
}

struct uc_struct *sim_guest_uc(struct sim_session *session)
{
	return ((struct guest *)session)->uc;
}

/* Appends a table to the box and returns its address in the guest. */
static const void *put_table(struct guest *g, u64 *used, const void *from, u64 len)
{
	u64 at = *used;

	if (len)
		memcpy(g->box + at, from, len);
	*used = (at + len + 7) & ~7ull;
	return (const void *)(GUEST_BOX_ADDR + at);
}

#define PUT_TABLE(g, used, t, table, n) put_table(g, used, (t)->table, (n) * sizeof(*(t)->table))

/*
 * Fills the box, and appends the tables. The box has room for the tables, because
 * sim_session_walk() has checked the sizes of the tables.
 */
static void fill_box(struct guest *g, const struct sim_target *target)
{
	struct guest_box *box = (struct guest_box *)g->box;
	struct sim_target *t = &box->target;
	u64 used = sizeof(*box);

	*t = *target;
	t->mem = NULL;
	sim_walk_start(&box->state, target);
	box->state.sample.status = UW_N_STATUS; /* if the guest does not walk, this status
						 * remains */
	t->v8_builds = PUT_TABLE(g, &used, target, v8_builds, target->n_v8_builds);
	t->mappings = PUT_TABLE(g, &used, target, mappings, target->n_mappings);
	t->row_pages = PUT_TABLE(g, &used, target, row_pages, target->n_row_pages);
	t->rows = PUT_TABLE(g, &used, target, rows, target->n_rows);
	t->rules = PUT_TABLE(g, &used, target, rules, target->n_rules);
}

/* The coroutine: executes the guest until it fails or is ordered to end. */
static void execute(void)
{
	struct guest *g = starting;

	g->is_running = true;
	set_reg(g, g->arch->sp, GUEST_BOX_ADDR + GUEST_BOX_LEN - 64);
	g->end = uc_emu_start(g->uc, GUEST_MAIN_ADDR, GUEST_TEXT_ADDR + GUEST_TEXT_LEN, 0, 0);
	g->is_running = false;
	_longjmp(g->host, 1);
}

/* Resumes the coroutine until the guest requests the next walk or ends. */
static void resume(struct guest *g)
{
	ucontext_t first;

	if (_setjmp(g->host))
		return;
	if (g->is_running)
		_longjmp(g->coroutine, 1);
	getcontext(&first);
	first.uc_stack.ss_sp = g->stack;
	first.uc_stack.ss_size = COROUTINE_STACK_LEN;
	makecontext(&first, execute, 0);
	starting = g;
	setcontext(&first);
}

static void take_sample(const struct guest *g, struct uw_sample *out)
{
	const struct uw_sample *s = &((const struct guest_box *)g->box)->state.sample;
	u32 n = s->n_frames < UW_MAX_FRAMES ? s->n_frames : UW_MAX_FRAMES;

	memcpy(out, s, offsetof(struct uw_sample, frames) + n * sizeof(struct uw_frame));
	out->n_frames = (u16)n;
}

static void shut_down(struct guest *g)
{
	g->is_closing = true;
	if (g->is_running)
		resume(g);
	g->is_closing = false;
	if (g->uc)
		uc_close(g->uc);
	g->uc = NULL;
}

static int guest_walk(struct sim_session *session, const struct sim_target *target,
		      struct sim_walk *out)
{
	struct guest *g = (struct guest *)session;
	uc_err err = UC_ERR_OK;

	if (g->n_opened != sim_uc_n_opened(g->arch->uc)) {
		shut_down(g);
		err = set_up(g);
	}
	if (err)
		return guest_fail(g, -EIO, "Unicorn: %s", uc_strerror(err));
	g->n_blocks = 0;
	if (!g->is_running)
		resume(g);
	fill_box(g, target);
	g->mem = target->mem;
	if (g->is_running)
		resume(g);
	g->mem = NULL;
	if (!g->is_running && g->end)
		return guest_fail(g, -EIO, "the guest stopped at %#llx: %s",
				  get_reg(g, g->arch->pc), uc_strerror(g->end));
	if (!g->is_running)
		return guest_fail(g, -EIO, "the guest jumped to %#llx", get_reg(g, g->arch->pc));
	take_sample(g, &out->state.sample);
	return 0;
}

static void guest_close(struct sim_session *session)
{
	struct guest *g = (struct guest *)session;

	shut_down(g);
	free(g->stack);
	free(g->text);
	free(g->box);
	free(g);
}

const struct sim_engine sim_engine_guest = { "guest", guest_open, guest_walk, guest_close };
