/* SPDX-License-Identifier: BSD-2-Clause */

/* The embedded builtins of a build, whose properties follow from their names. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/search.h"
#include "v8_build.h"

static int compare_symbols(const void *pa, const void *pb)
{
	const struct elf_symbol *a = pa, *b = pb;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

static struct v8_builtin make_builtin(const char *name, u64 off, u64 len)
{
	bool is_handler = ends_with(name, "Handler");
	bool is_entry = !strncmp(name, "InterpreterEntryTrampoline", 26) ||
			!strncmp(name, "InterpreterEnterAt", 18) ||
			!strncmp(name, "BaselineOrInterpreterEnterAt", 28) ||
			!strncmp(name, "InterpreterEnterBytecode", 24); /* before V8 9 */

	return (struct v8_builtin){
		.blob_off = (u32)off,
		.len = (u32)len,
		.name = name,
		.kind = is_handler || is_entry ? V8_BUILTIN_INTERPRETER : V8_BUILTIN_PLAIN,
		.is_handler = is_handler,
		.is_entering = !strcmp(name, "BaselineOutOfLinePrologue"),
		.is_leaving = !strcmp(name, "BaselineLeaveFrame"),
		.is_out_of_line = !strncmp(name, "RecordWrite", 11) || !strcmp(name, "DoubleToI"),
		.is_allocating = !strncmp(name, "AllocateIn", 10) ||
				 !strncmp(name, "AllocateRegularIn", 17), /* before V8 12 */
		.is_deopt = !strncmp(name, "DeoptimizationEntry", 19),
	};
}

int v8_build_take_builtins(struct v8_build *b, u64 blob_addr, struct elf_symbol *symbols, size_t n)
{
	b->builtins = calloc(n, sizeof(*b->builtins));
	if (!b->builtins)
		return -ENOMEM;
	qsort(symbols, n, sizeof(*symbols), compare_symbols);
	for (size_t i = 0; i < n; i++) {
		const struct elf_symbol *s = &symbols[i];
		u64 off = s->addr - blob_addr;

		if (s->addr >= blob_addr && off < b->blob_len && s->len <= b->blob_len - off)
			b->builtins[b->n_builtins++] = make_builtin(s->name, off, s->len);
	}
	return 0;
}

#define SHORT_STARS 16 /* one handler is for Star0 to Star15 */

#define NO_BUILTIN (-1)

static int find_builtin(const struct v8_build *b, const char *name)
{
	for (size_t i = 0; i < b->n_builtins; i++)
		if (b->builtins[i].name && !strcmp(b->builtins[i].name, name))
			return (int)i;
	return NO_BUILTIN;
}

/*
 * Handlers are in the order of their bytecodes, from Wide (0) to Illegal, the last
 * bytecode; after these are the handlers of wider operands
 * (v8/src/builtins/generate-bytecodes-builtins-list.cc at 12.4.254). If the number of
 * handlers differs from the number of bytecodes, no handler gets a bytecode.
 */
void v8_build_number_handlers(struct v8_build *b)
{
	int first = find_builtin(b, "WideHandler"), last = find_builtin(b, "IllegalHandler");
	int stars = find_builtin(b, "ShortStarHandler");
	u32 n = (u32)(last - first + 1) + (stars < 0 ? 0 : SHORT_STARS - 1), at = 0;

	if (first < 0 || last < first || n != b->n_bytecodes || n > V8_MAX_BYTECODES)
		return;
	for (int i = first; i <= last; i++) {
		struct v8_builtin *handler = &b->builtins[i];

		handler->bytecode = (u8)at;
		handler->n_bytecodes = i == stars ? SHORT_STARS : 1;
		at += handler->n_bytecodes;
		if (!strcmp(handler->name, "ReturnHandler")) {
			b->has_return = true;
			b->return_op = handler->bytecode;
		}
	}
}

const char *v8_build_builtin_name(const struct v8_build *b, u64 file_off)
{
	const struct v8_builtin *builtin = v8_build_builtin_at(b, file_off - b->blob_off);

	return builtin && builtin->kind == V8_BUILTIN_PLAIN ? builtin->name : NULL;
}

const struct v8_builtin *v8_build_builtin_at(const struct v8_build *b, u64 blob_off)
{
	size_t low = search_first(b->n_builtins, i, b->builtins[i].blob_off <= blob_off);
	const struct v8_builtin *found;

	if (!low)
		return NULL;
	found = &b->builtins[low - 1];
	return blob_off - found->blob_off < found->len ? found : NULL;
}
