// SPDX-License-Identifier: BSD-2-Clause

/*
 * Compares what the fixtures state about each V8 version with the metadata in the Node.js
 * binary: numbers of frame types, offsets in objects, the first type of JSFunction.
 * UNSPOOL_NODE_DIR has VERSION/bin/node.
 */

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/elf/elf_file.h"
#include "../../sim/fixture/versions.h"
#include "../check.h"

#define MISSING (-1)

/* Indexes of symbols. The name of a symbol that ends with a type is a prefix only. */
enum { FRAMES = V8_N_FRAMES, SHARED = FRAMES, BYTECODES, FUNCTION_TYPE, N_SYMBOLS };
static const char *const symbols[N_SYMBOLS] = {
	[V8_FRAME_ENTRY] = "frametype_EntryFrame",
	[V8_FRAME_CONSTRUCT_ENTRY] = "frametype_ConstructEntryFrame",
	[V8_FRAME_EXIT] = "frametype_ExitFrame",
	[V8_FRAME_INTERNAL] = "frametype_InternalFrame",
	[V8_FRAME_CONSTRUCT] = "frametype_ConstructFrame",
	[V8_FRAME_FAST_CONSTRUCT] = "frametype_FastConstructFrame",
	[V8_FRAME_STUB] = "frametype_StubFrame",
	[V8_FRAME_BUILTIN_EXIT] = "frametype_BuiltinExitFrame",
	[SHARED] = "class_JSFunction__shared__",
	[BYTECODES] = "class_BytecodeArray__data__",
	[FUNCTION_TYPE] = "FirstJSFunctionType", /* from 21 on */
};

static const u32 majors[] = { 18, 20, 22, 24, 26 };
#define N_MAJORS (sizeof(majors) / sizeof(majors[0]))

struct metadata {
	struct elf_file *elf;
	s32 values[N_SYMBOLS];
};

static struct metadata known[N_MAJORS];

static int take(const struct elf_symbol *s, void *data)
{
	static const char prefix[] = "v8dbg_";
	struct metadata *m = data;
	s32 value = 0;

	if (strncmp(s->name, prefix, strlen(prefix)) != 0 || !s->defined)
		return 0;
	elf_file_read_addr(m->elf, s->addr, &value, sizeof(value)); /* in .bss: 0 */
	for (u32 i = 0; i < N_SYMBOLS; i++) {
		const char *name = s->name + strlen(prefix);
		size_t len = strlen(symbols[i]);

		if (!strncmp(name, symbols[i], len) && (symbols[i][len - 1] == '_' || !name[len]))
			m->values[i] = value;
	}
	return 0;
}

static int read_metadata(const char *dir, u32 i)
{
	struct metadata *m = &known[i];
	char pattern[4096];
	glob_t found;
	int err;

	snprintf(pattern, sizeof(pattern), "%s/%u.*/bin/node", dir, majors[i]);
	if (glob(pattern, 0, NULL, &found))
		return -ENOENT;
	for (u32 s = 0; s < N_SYMBOLS; s++)
		m->values[s] = MISSING;
	err = elf_file_open(&m->elf, found.gl_pathv[0]);
	if (!err)
		err = elf_file_each_symbol(m->elf, take, m);
	elf_file_free(&m->elf);
	globfree(&found);
	return err;
}

static const struct v8_version *version_of(u32 i)
{
	char name[16];
	const struct v8_version *v;

	snprintf(name, sizeof(name), "node %u", majors[i]);
	v = v8_version_find(name);
	assert_non_null(v);
	return v;
}

static void frame_types_of_fixtures_match_the_frame_types_in_each_node_binary(void **state)
{
	u32 n = 0;

	(void)state;
	for (u32 i = 0; i < N_MAJORS; i++)
		for (u32 f = 0; f < V8_N_FRAMES; f++) {
			s32 value = known[i].values[f];

			/* Node.js 18 and 20 have no such frame type (fast construction) */
			assert_int_equal(version_of(i)->frames[f], value == MISSING ? 0 : value);
			n += value != MISSING;
		}
	assert_int_equal(n, V8_N_FRAMES * N_MAJORS - 2);
}

static void field_offsets_of_fixtures_match_the_offsets_in_each_node_binary(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_MAJORS; i++) {
		const struct v8_version *v = version_of(i);

		assert_int_equal(v->shared_off, known[i].values[SHARED]);
		assert_int_equal(v8_infos[v8_version_index(v)].shared_off, v->shared_off);
		if (known[i].values[BYTECODES] != MISSING)
			assert_int_equal(v->bytecodes_off, known[i].values[BYTECODES]);
	}
}

static void the_function_type_of_fixtures_matches_the_type_in_each_node_binary(void **state)
{
	(void)state;
	for (u32 i = 2; i < N_MAJORS; i++)
		assert_int_equal(version_of(i)->function_type, known[i].values[FUNCTION_TYPE]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(frame_types_of_fixtures_match_the_frame_types_in_each_node_binary),
	cmocka_unit_test(field_offsets_of_fixtures_match_the_offsets_in_each_node_binary),
	cmocka_unit_test(the_function_type_of_fixtures_matches_the_type_in_each_node_binary),
};

int main(void)
{
	const char *dir = getenv("UNSPOOL_NODE_DIR");
	int err = dir ? 0 : -ENOENT;

	for (u32 i = 0; i < N_MAJORS && !err; i++)
		err = read_metadata(dir, i);
	if (err == -ENOENT)
		return check_cannot_run(
			"this test needs Node.js 18, 20, 22, 24, 26 in UNSPOOL_NODE_DIR");
	return err ? 1 : CHECK_RUN(tests);
}
