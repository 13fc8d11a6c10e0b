// SPDX-License-Identifier: BSD-2-Clause

#include "pick.h"

#include "../sweep/judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The callback's result that ends the run at the stop. */
#define TOLD 1

struct search {
	const struct sim_case *c;
	struct pick *pick;
	char *why;
	size_t why_size;
	int (*explain)(void *ctx, const struct sim_stop *stop);
	void *ctx;
	u64 n_insns; /* number of instructions executed so far */
	u64 n_met; /* number of stops so far that match @pick */
	u64 deepest; /* number of the first instruction with the most frames: */
	u32 n_deepest;
	int err; /* result of the callback @explain */
	struct uw_state u;
	struct sim_target target;
};

static int parse_number(const char *text, u64 *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return errno || *end ? -EINVAL : 0;
}

int pick_parse(const char *text, struct pick *out)
{
	struct pick pick = { .nth = out->nth };
	const char *plus = strrchr(text, '+');
	size_t len = plus ? (size_t)(plus - text) : strlen(text);

	if (*text >= '0' && *text <= '9') {
		pick.kind = !strncmp(text, "0x", 2) ? PICK_PC : PICK_INSN;
		if (parse_number(text, &pick.value) || (pick.kind == PICK_INSN && !pick.value))
			return -EINVAL;
	} else {
		pick.kind = PICK_FUNCTION;
		if (!len || len >= sizeof(pick.name) ||
		    (plus && parse_number(plus + 1, &pick.value)))
			return -EINVAL;
		memcpy(pick.name, text, len);
	}
	*out = pick;
	return 0;
}

static int check_pc(u64 pc, const struct sim_case *c, struct sim_error *error)
{
	const struct sim_target *t = &c->target;

	for (u32 i = 0; i < (u32)t->extent; i++) {
		const struct uw_mapping *m = &t->mappings[(t->extent >> 32) + i];

		if (pc >= m->start_addr && pc < m->end_addr)
			return 0;
	}
	return sim_fail(error, -EINVAL, "the case has no code at %#llx", pc);
}

static int check_function(const struct pick *pick, const struct sim_case *c,
			  struct sim_error *error)
{
	const struct sim_function *found = NULL;

	for (u32 i = 0; i < c->n_functions; i++) {
		const struct sim_function *f = &c->functions[i];

		if (strcmp(f->name, pick->name) != 0)
			continue;
		if (!pick->value || pick->value < f->len)
			return 0;
		found = f;
	}
	if (found)
		return sim_fail(error, -EINVAL, "function %s has only %llu bytes", pick->name,
				found->len);
	return sim_fail(error, -EINVAL, "the case has no function '%s'", pick->name);
}

int pick_check(const struct pick *pick, const struct sim_case *c, struct sim_error *error)
{
	if (!c->is_executed && (pick->kind != PICK_WRONG || pick->nth != 1))
		return sim_fail(error, -EINVAL,
				"--at needs an executed case, and this case is hand-laid");
	if (pick->kind == PICK_PC)
		return check_pc(pick->value, c, error);
	return pick->kind == PICK_FUNCTION ? check_function(pick, c, error) : 0;
}

static bool is_missed(struct search *s, const struct sim_stop *stop)
{
	s->target.regs = stop->regs;
	s->c->arch->walk(&s->u, &s->target);
	return !sweep_is_exact(&s->u.sample, &stop->truth);
}

static bool is_in_function(const struct search *s, u64 pc)
{
	for (u32 i = 0; i < s->c->n_functions; i++) {
		const struct sim_function *f = &s->c->functions[i];

		if (pc == f->start_addr + s->pick->value && !strcmp(f->name, s->pick->name))
			return true;
	}
	return false;
}

static bool is_met(struct search *s, const struct sim_stop *stop)
{
	switch (s->pick->kind) {
	case PICK_INSN:
		return s->n_insns == s->pick->value;
	case PICK_PC:
		return stop->regs.pc == s->pick->value;
	case PICK_FUNCTION:
		return is_in_function(s, stop->regs.pc);
	default:
		return is_missed(s, stop);
	}
}

static void say_why(const struct search *s)
{
	const struct pick *pick = s->pick;

	if (pick->kind == PICK_WRONG)
		snprintf(s->why, s->why_size,
			 "executed instruction %llu, where the walk is wrong; occurrence "
			 "%llu",
			 s->n_insns, s->n_met);
	else if (pick->kind == PICK_INSN && !*s->why)
		snprintf(s->why, s->why_size, "executed instruction %llu", s->n_insns);
	else if (pick->kind != PICK_INSN)
		snprintf(s->why, s->why_size,
			 "executed instruction %llu, which is arrival %llu at the place that --at "
			 "gives",
			 s->n_insns, s->n_met);
}

static int at_stop(void *ctx, const struct sim_stop *stop)
{
	struct search *s = ctx;

	s->n_insns++;
	if (stop->truth.n > s->n_deepest) {
		s->n_deepest = stop->truth.n;
		s->deepest = s->n_insns;
	}
	if (!is_met(s, stop))
		return 0;
	s->n_met++;
	if (s->pick->kind != PICK_INSN && s->n_met != s->pick->nth)
		return 0;
	say_why(s);
	s->err = s->explain(s->ctx, stop);
	return TOLD;
}

static int never_reached(struct search *s, struct sim_error *error)
{
	struct pick *pick = s->pick;
	u32 nth = pick->nth;

	if (pick->kind == PICK_INSN)
		return sim_fail(error, -ENOENT, "the case executes only %llu instructions",
				s->n_insns);
	if (pick->kind != PICK_WRONG || nth > 1)
		return sim_fail(error, -ENOENT, "only %llu of %llu instructions match", s->n_met,
				s->n_insns);
	if (!s->n_insns)
		return sim_fail(error, -ENOENT, "the case executes no instruction");
	*pick = (struct pick){ .kind = PICK_INSN, .value = s->deepest, .nth = 1 };
	snprintf(s->why, s->why_size,
		 "executed instruction %llu, the first with the most frames; "
		 "the walk is right at all %llu instructions",
		 s->deepest, s->n_insns);
	return -EAGAIN;
}

int pick_stop(const struct sim_case *c, struct pick *pick, char *why, size_t why_size,
	      int (*explain)(void *ctx, const struct sim_stop *stop), void *ctx,
	      struct sim_error *error)
{
	struct search *s = calloc(1, sizeof(*s));
	struct sim_cpu_run run = { .at_stop = at_stop, .ctx = s };
	int err;

	if (!s)
		return -ENOMEM;
	s->c = c;
	s->pick = pick;
	s->why = why;
	s->why_size = why_size;
	s->explain = explain;
	s->ctx = ctx;
	s->target = c->target;
	err = sim_cpu_run(c, &run, error);
	if (err == TOLD)
		err = s->err;
	else if (!err)
		err = never_reached(s, error);
	free(s);
	return err;
}
