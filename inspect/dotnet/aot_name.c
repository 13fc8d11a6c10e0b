/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The names of methods of the same name are distinguished by "_0", "_1", ..., which are dropped.
 * Names of methods of most generated types stay mangled.
 */

#include "aot_name.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../util/array.h"
#include "aot_scan.h"
#include "metadata_type.h"
#include "readable.h"

#define MAX_DEPTH 16
#define MAX_PART 256

/* Primitive types lack assembly and namespace, and some have other names than in metadata. */
static const char *primitive(const struct aot_part *type)
{
	static const char *const names[][2] = {
		{ "Bool", "Boolean" },	  { "Char", "Char" },	  { "Double", "Double" },
		{ "Int16", "Int16" },	  { "Int32", "Int32" },	  { "Int64", "Int64" },
		{ "Int8", "SByte" },	  { "IntPtr", "IntPtr" }, { "Object", "Object" },
		{ "Single", "Single" },	  { "String", "String" }, { "UInt16", "UInt16" },
		{ "UInt32", "UInt32" },	  { "UInt64", "UInt64" }, { "UInt8", "Byte" },
		{ "UIntPtr", "UIntPtr" },
	};
	size_t len = (size_t)(type->end - type->at);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i][0]) == len && !memcmp(names[i][0], type->at, len))
			return names[i][1];
	return NULL;
}

struct naming {
	const char *assembly;
	struct text out;
	int depth;
	bool is_bad, is_machine;
};

static bool add_type(struct naming *n, struct aot_part type, bool is_argument);

/* Adds up to @max of the arguments that are left, in angle brackets. */
static void add_arguments(struct naming *n, struct aot_part *left, size_t max)
{
	const char *before = "<";

	for (; max && left->at < left->end; max--) {
		struct aot_part type = { left->at, aot_type_end(left->at, left->end) };

		text_add(&n->out, "%s", before);
		n->is_bad |= !add_type(n, type, true);
		left->at = type.end == left->end ? left->end : type.end + 2;
		before = ", ";
	}
	if (*before == ',')
		text_add(&n->out, ">");
}

/* The number of type parameters at the start of a text has one or two digits. */
static size_t arity_len(const struct aot_part *left)
{
	size_t n = aot_digits(left->at, left->end);

	return n <= 2 && (left->at + n == left->end || left->at[n] == '_') ? n : 0;
}

/* Begins the next part of a path. An argument consists of the last part only. */
static void begin_part(struct naming *n, size_t from, bool is_argument)
{
	if (!is_argument)
		text_add(&n->out, ".");
	else
		n->out.bytes[n->out.len = from] = 0;
}

/* Adds namespace, enclosing types and type; only the type if @is_argument. */
static void add_path(struct naming *n, struct aot_part left, struct aot_part *arguments,
		     bool is_argument)
{
	size_t from = n->out.len, k;
	struct aot_part name;

	while (left.at < left.end) {
		if (*left.at != '_') {
			text_add(&n->out, "%c", *left.at++);
			continue;
		}
		left.at++;
		if ((k = arity_len(&left))) {
			add_arguments(n, arguments, (size_t)atoi(left.at));
		} else if ((k = aot_machine_len(left.at, left.end, &name))) {
			begin_part(n, from, is_argument);
			text_add(&n->out, "%.*s", (int)(name.end - name.at), name.at);
			n->is_machine |= !is_argument && left.at + k == left.end;
		} else if (aot_starts(left.at, left.end, "__Canon")) {
			begin_part(n, from, is_argument);
			text_add(&n->out, "__");
			k = 2;
		} else if (isupper((u8)*left.at)) {
			begin_part(n, from, is_argument);
		} else if (!(k = aot_closure_len(left.at, left.end))) {
			text_add(&n->out, "_");
		}
		left.at += k;
	}
}

/* Splits "NAME<arguments>". */
static void split(struct aot_part type, struct aot_part *name, struct aot_part *arguments)
{
	const char *open = memchr(type.at, '<', (size_t)(type.end - type.at)), *after;

	*name = (struct aot_part){ type.at, open ? open : type.end };
	*arguments = (struct aot_part){ type.end, type.end };
	if (!open)
		return;
	after = aot_skip_brackets(open, type.end);
	if (after[-1] == '>')
		*arguments = (struct aot_part){ open + 1, after - 1 };
}

/* Removes @with from the end of a type. Return: whether it was there. */
static bool take_end(struct aot_part *type, const char *with)
{
	size_t n = strlen(with);
	bool is_there = (size_t)(type->end - type->at) > n && !memcmp(type->end - n, with, n);

	if (is_there)
		type->end -= n;
	return is_there;
}

static void add_named(struct naming *n, struct aot_part type, bool is_argument)
{
	struct aot_part name, arguments;
	const char *known;

	split(type, &name, &arguments);
	known = primitive(&name);
	if (known && is_argument) {
		text_add(&n->out, "%s", metadata_keyword(known));
	} else if (known) {
		text_add(&n->out, "System.%s", known);
	} else {
		name.at = aot_skip_assembly(name.at, name.end, n->assembly);
		add_path(n, name, &arguments, is_argument);
	}
}

static bool add_type(struct naming *n, struct aot_part type, bool is_argument)
{
	bool is_pointer, is_array;

	if (take_end(&type, "<ByRef>"))
		text_add(&n->out, "ref ");
	is_pointer = take_end(&type, "<Pointer>");
	is_array = aot_starts(type.at, type.end, AOT_ARRAY "<") && type.end[-1] == '>';
	if (type.at == type.end || *type.at == '<' || n->depth == MAX_DEPTH || n->out.is_cut)
		return false;
	n->depth++;
	if (is_array) {
		type = (struct aot_part){ type.at + strlen(AOT_ARRAY "<"), type.end - 1 };
		n->is_bad |= !add_type(n, type, is_argument);
	} else {
		add_named(n, type, is_argument);
	}
	n->depth--;
	text_add(&n->out, "%s%s", is_array ? "[]" : "", is_pointer ? "*" : "");
	return true;
}

/* Adds "_Main_b__0_1" as <Main>b__0_1, and "_Main_g__Add_0_1" as <Main>g__Add|0_1. */
static bool add_generated(struct naming *n, struct aot_part m, const char *mark)
{
	const char *kind = memmem(m.at, (size_t)(m.end - m.at), mark, strlen(mark)), *bar;
	const char *name = m.at + 1;
	char made[MAX_PART];
	int len;

	if (!kind || kind == m.at + 1 || *m.at != '_')
		return false;
	bar = m.end;
	for (int i = 0; i < 2; i++) /* before the last two numbers */
		do
			bar--;
		while (bar > kind && *bar != '_');
	if (mark[1] == 'b' || bar <= kind + strlen(mark))
		bar = m.end;
	len = snprintf(made, sizeof(made), "<%s%.*s>%c__%.*s%s%.*s", *name == '_' ? "." : "",
		       (int)(kind - name - (*name == '_')), name + (*name == '_'), mark[1],
		       (int)(bar - kind - strlen(mark)), kind + strlen(mark),
		       bar < m.end ? "|" : "", bar < m.end ? (int)(m.end - bar - 1) : 0, bar + 1);
	if (len >= (int)sizeof(made))
		return false;
	readable_method(made, &n->out);
	return true;
}

/* Whether the name of an interface begins at @at. */
static bool is_interface(const char *at, const char *end)
{
	return end - at > 2 && at[0] == 'I' && isupper((u8)at[1]) && islower((u8)at[2]);
}

/*
 * Adds a method that implements a method of an interface explicitly: "System_IDisposable_Dispose"
 * with dots, and of "System_IEquatable_System_Int32__Equals" only the method's own name, because
 * the type arguments are ambiguous.
 */
static bool add_explicit(struct naming *n, struct aot_part m)
{
	const char *at = m.at, *dots = NULL, *own = NULL;

	for (; at + 1 < m.end; at++) {
		if (!dots && (at == m.at || at[-1] == '_') && is_interface(at, m.end))
			dots = memchr(at, '_', (size_t)(m.end - at));
		if (dots && aot_starts(at, m.end, "__") && at + 2 < m.end && isalpha((u8)at[2]))
			own = at + 2;
	}
	if (own)
		text_add(&n->out, "%.*s", (int)(m.end - own), own);
	for (at = m.at; dots && !own && at < m.end; at++)
		text_add(&n->out, "%c", *at == '_' && at <= dots ? '.' : *at);
	return dots;
}

static void add_method(struct naming *n, struct aot_part m)
{
	struct aot_part name, arguments;
	const char *index;

	split(m, &name, &arguments);
	text_add(&n->out, ".");
	if (add_generated(n, name, "_b__") || add_generated(n, name, "_g__"))
		return;
	/* Of a type whose name begins with "__", which was taken for the end of the type. */
	n->is_bad |= *name.at == '_' &&
		     memmem(name.at + 1, (size_t)(name.end - name.at) - 1, "__", 2);
	for (index = name.end; index > name.at && isdigit((u8)index[-1]);)
		index--;
	if (index < name.end && index - 1 > name.at && index[-1] == '_')
		name.end = index - 1;
	if (aot_starts(name.at, name.end, "_ctor") || aot_starts(name.at, name.end, "_cctor"))
		text_add(&n->out, ".%.*s", (int)(name.end - name.at - 1), name.at + 1);
	else if (!add_explicit(n, name))
		text_add(&n->out, "%.*s", (int)(name.end - name.at), name.at);
	add_arguments(n, &arguments, SIZE_MAX);
}

/* Adds a method of <Module> or <PrivateImplementationDetails>. */
static bool add_of_module(struct naming *n, const char *mangled)
{
	static const char *const marks[] = { "__Module___", "__PrivateImplementationDetails___" };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *mark = strstr(mangled, marks[i]), *method;

		if (!mark || mark == mangled)
			continue;
		method = mark + strlen(marks[i]);
		n->is_bad = !*method || *method == '<';
		text_add(&n->out, "<%.*s>", (int)strlen(marks[i]) - 5, marks[i] + 2);
		add_method(n, (struct aot_part){ method, mangled + strlen(mangled) });
		return true;
	}
	return false;
}

static bool add_name(struct naming *n, const char *mangled)
{
	const char *end = mangled + strlen(mangled), *split = aot_type_end(mangled, end);

	if (add_of_module(n, mangled))
		return true;
	if (end - split < 3 || split == mangled || split[2] == '<' ||
	    !add_type(n, (struct aot_part){ mangled, split }, false))
		return false;
	if (!n->is_machine || strcmp(split, "__MoveNext") != 0)
		add_method(n, (struct aot_part){ split + 2, end });
	return true;
}

bool aot_name(const char *mangled, const char *assembly, char *dst, size_t len)
{
	static const char boxed[] = "__<unbox>", stub[] = "unbox_";
	const char *unboxed = strstr(mangled, boxed);
	struct naming n = { .assembly = assembly };

	if (unboxed)
		mangled = unboxed + strlen(boxed);
	else if (!strncmp(mangled, stub, strlen(stub)))
		mangled += strlen(stub);
	text_init(&n.out, dst, len);
	return add_name(&n, mangled) && !n.is_bad && !n.out.is_cut;
}

size_t aot_assembly_len(const char *mangled)
{
	static const char tail[] = "__Module___StartupCodeMain";
	size_t len = strlen(mangled);

	return len > strlen(tail) && !strcmp(mangled + len - strlen(tail), tail)
		       ? len - strlen(tail)
		       : 0;
}
