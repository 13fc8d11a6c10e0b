// SPDX-License-Identifier: BSD-2-Clause

/*
 * Compares the templates' bytes with the code in recorded arm64 cases, because live arm64 code is
 * not available everywhere. Every template must occur, except for its holes, in the builtin from
 * which it was copied. The address of a builtin is known from a case that starts at a known
 * instruction of it. The interpreter's trampoline is followed by a copy (ForProfiling), which may
 * be recorded instead. Since Node.js 24 optimized code has no check, and no case contains the page
 * of the baseline code that is about to be entered. "optimized.limit" is not compared, because
 * each function saves the context at another place and may compute a sum before the limit.
 * Argument: fixtures/recorded/node.
 */

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/case/case.h"
#include "../../sim/fixture/templates.h"
#include "../check.h"

#define PIECE_MAX 512
#define MAX_CASES 64
#define N_VERSIONS 5

/*
 * A case whose pc is in a known builtin, and the range of offsets around this pc in which the
 * builtin is searched.
 */
static const struct anchor {
	const char *name;
	s32 from, to;
	bool by_lr; /* search around lr, in the builtin's caller, instead of around pc */
} entry = { "entry-from-c", -64, 512 }, trampoline = { "entry-from-c", 0, 2048 },
  interpreter = { "interpreter-entry", 0, 3072 }, prologue = { "baseline-prologue", 0, 384 },
  epilogue = { "baseline-epilogue", -128, 4 }, optimized = { "optimized-prologue", -256, 2048 },
  baseline = { "baseline-prologue", -128, 64, true };

static const struct origin {
	const char *piece;
	const struct anchor *anchor;
	u32 until; /* first version that has no such piece; 0: none */
} origins[] = {
	{ "entry.save", &entry },
	{ "entry.enter", &entry },
	{ "entry.unlink", &entry },
	{ "entry.leave", &entry },
	{ "trampoline.enter", &trampoline },
	{ "marker.leave", &trampoline },
	{ "interpreted.frame", &interpreter },
	{ "interpreted.fill", &interpreter },
	{ "interpreted.dispatch", &interpreter },
	{ "interpreted.resume", &interpreter },
	{ "interpreted.leave", &interpreter },
	{ "baseline_prologue", &prologue },
	{ "baseline_budget", &epilogue },
	{ "baseline_epilogue", &epilogue },
	{ "optimized.check", &optimized, 24 },
	{ "optimized.enter", &optimized },
	{ "optimized.room", &optimized },
	{ "baseline.enter", &baseline, 24 },
	{ "optimized.leave", &optimized },
};
#define N_ORIGINS (sizeof(origins) / sizeof(origins[0]))

static const u32 majors[N_VERSIONS] = { 18, 20, 22, 24, 26 };

/* All cases of one version. */
static struct version {
	char *names[MAX_CASES];
	struct case_file *cases[MAX_CASES];
	u32 n;
} versions[N_VERSIONS];

static const char *dir;

static void load(struct version *v, u32 major)
{
	char pattern[PATH_MAX];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/%u.*/arm64/*.core.zst", dir, major);
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc && v->n < MAX_CASES; i++) {
		assert_int_equal(case_read(found.gl_pathv[i], NULL, &v->cases[v->n]), 0);
		v->names[v->n++] = strdup(strrchr(found.gl_pathv[i], '/') + 1);
	}
	globfree(&found);
}

static const struct case_file *named(const struct version *v, const char *name)
{
	for (u32 i = 0; i < v->n; i++)
		if (!strncmp(v->names[i], name, strlen(name)) && v->names[i][strlen(name)] == '.')
			return v->cases[i];
	return NULL;
}

static const struct uw_mapping *mapping_at(const struct case_file *c, u64 addr)
{
	for (u32 i = 0; i < c->n_mappings; i++)
		if (addr - c->mappings[i].map.start_addr <
		    c->mappings[i].map.end_addr - c->mappings[i].map.start_addr)
			return &c->mappings[i].map;
	return NULL;
}

/*
 * Reads code of a builtin at a file offset, from any case of the version; reads other code
 * from @c only.
 */
static bool read_code(const struct version *v, const struct case_file *c, u64 addr, u8 *dst,
		      u32 len)
{
	const struct uw_mapping *m = mapping_at(c, addr);
	u64 off;

	if (!case_bytes(c, addr, dst, len))
		return true;
	if (!m || m->kind != UW_MAP_V8_BUILTINS)
		return false;
	off = addr - m->start_addr + m->file_off;
	for (u32 i = 0; i < v->n; i++)
		for (u32 k = 0; k < v->cases[i]->n_mappings; k++) {
			const struct uw_mapping *b = &v->cases[i]->mappings[k].map;

			if (b->kind == UW_MAP_V8_BUILTINS &&
			    off - b->file_off < b->end_addr - b->start_addr &&
			    !case_bytes(v->cases[i], off - b->file_off + b->start_addr, dst, len))
				return true;
		}
	return false;
}

static bool occurs(const struct version *v, const struct anchor *a, const u8 *bytes, const u8 *mask,
		   u32 len)
{
	const struct case_file *c = named(v, a->name);
	u64 addr = !c ? 0 : a->by_lr ? c->regs.lr : c->regs.pc;
	u8 code[PIECE_MAX];

	for (s32 at = a->from; c && at + (s32)len <= a->to; at += 4) {
		u32 i = 0;

		if (!read_code(v, c, addr + (u64)(s64)at, code, len))
			continue;
		while (i < len && !((code[i] ^ bytes[i]) & mask[i]))
			i++;
		if (i == len)
			return true;
	}
	return false;
}

static const struct sim_piece *piece_of(const struct origin *o, u32 major, u8 *bytes, u8 *mask)
{
	const struct sim_piece *piece =
		sim_templates_find(sim_templates_get("arm64"), o->piece, major);

	assert_non_null(piece);
	assert_in_range(piece->len, 4, PIECE_MAX);
	memcpy(bytes, piece->bytes, piece->len);
	sim_piece_mask(piece, mask);
	return piece;
}

static void each_code_template_of_fixtures_occurs_in_recorded_node_code(void **state)
{
	const struct origin *o = *state;
	u8 bytes[PIECE_MAX], mask[PIECE_MAX];

	for (u32 i = 0; i < N_VERSIONS && (!o->until || majors[i] < o->until); i++) {
		const struct sim_piece *piece = piece_of(o, majors[i], bytes, mask);

		if (!occurs(&versions[i], o->anchor, bytes, mask, piece->len))
			fail_msg("Node.js %u: the template \"%s\" does not occur in the code "
				 "around %s",
				 majors[i], piece->name, o->anchor->name);
	}
}

/*
 * Negative control: the comparison detects a change of every bit of every piece, except in holes.
 */
static void a_changed_bit_outside_the_holes_of_a_template_is_detected(void **state)
{
	u8 bytes[PIECE_MAX], mask[PIECE_MAX];

	(void)state;
	for (u32 k = 0; k < N_ORIGINS; k++) {
		const struct sim_piece *piece = piece_of(&origins[k], majors[1], bytes, mask);

		for (u32 i = 0; i < piece->len * 8; i++) {
			bool is_hole = !(mask[i / 8] >> i % 8 & 1);

			bytes[i / 8] ^= (u8)(1 << i % 8);
			if (occurs(&versions[1], origins[k].anchor, bytes, mask, piece->len) !=
			    is_hole)
				fail_msg("bit %u of \"%s\"", i, piece->name);
			bytes[i / 8] ^= (u8)(1 << i % 8);
		}
	}
}

static struct CMUnitTest tests[N_ORIGINS + 1];
static char names[N_ORIGINS][128];

int main(int argc, char **argv)
{
	int status;

	if (argc != 2)
		return 2;
	dir = argv[1];
	for (u32 i = 0; i < N_VERSIONS; i++)
		load(&versions[i], majors[i]);
	for (u32 i = 0; i < N_ORIGINS; i++) {
		snprintf(names[i], sizeof(names[i]), "template %s occurs in recorded code",
			 origins[i].piece);
		tests[i] = (struct CMUnitTest){
			.name = names[i],
			.test_func = each_code_template_of_fixtures_occurs_in_recorded_node_code,
			.initial_state = (void *)&origins[i]
		};
	}
	tests[N_ORIGINS] = (struct CMUnitTest)cmocka_unit_test(
		a_changed_bit_outside_the_holes_of_a_template_is_detected);
	status = check_run("templates", tests, N_ORIGINS + 1);
	for (u32 i = 0; i < N_VERSIONS; i++)
		for (u32 k = 0; k < versions[i].n; k++) {
			case_free(&versions[i].cases[k]);
			free(versions[i].names[k]);
		}
	return status;
}
