/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Makes a method's name from the method's row of metadata and the runtime's data:
 *
 *	Demo.Outer`1+Inner  Work      ->  Demo.Outer<string>.Inner.Work(long)
 *	Demo.Maker+<SumAsync>d__5  MoveNext      ->  Demo.Maker.SumAsync
 *	Demo.Maker+<>c  <Captured>b__6_0         ->  Demo.Maker.Captured.<lambda_6_0>(int)
 *
 * The type is found in two independent ways, which must agree: by the metadata of the method's row,
 * which is in the MethodDesc; and by the MethodTable.
 */

#include <errno.h>

#include "../util/utf8.h"
#include "dotnet_image.h"
#include "dotnet_method.h"
#include "dotnet_module.h"
#include "dotnet_type.h"
#include "metadata_type.h"
#include "r2r.h"
#include "readable.h"

#define MAX_NAME 512
#define MAX_METHODS 64 /* MoveNext is searched only among this many methods of a state machine */

struct naming {
	struct dotnet_runtime *rt;
	const struct metadata *m;
	struct dotnet_method method; /* R2R code: only module and token are set */
	struct r2r_instance instance; /* row 0: the method is not an instantiation */
	struct metadata_path path;
	u32 row;
	struct dotnet_arguments of_type, of_method;
	u32 used; /* number of the type's arguments that are already in the name */
	bool path_started;
	struct text out;
	struct dotnet_name *name;
};

static int read_string(const struct metadata *m, enum metadata_table table, u32 row, u32 column,
		       char *dst, size_t len)
{
	u32 idx;
	int err = metadata_cell(m, table, row, column, &idx);

	return err ? err : metadata_string(m, idx, dst, len);
}

static void add_arguments(struct text *out, const struct dotnet_arguments *a, u32 from, u32 n)
{
	for (u32 i = 0; i < n && from + i < a->n; i++)
		text_add(out, "%s%s", i ? ", " : "<", a->text[from + i]);
	if (n && from < a->n)
		text_add(out, ">");
}

/* @arity: number of type parameters that a nested type has besides those of its enclosing types. */
static void add_type_arguments(struct naming *n, u32 arity)
{
	add_arguments(&n->out, &n->of_type, n->used, arity);
	n->used += arity;
}

/*
 * Adds the method's type or one of its enclosing types to the name. @is_part: the compiler
 * generated the method as a part of another method, which the type stands for.
 */
static void add_segment(struct naming *n, const char *name, bool is_part)
{
	char plain[MAX_NAME], of[MAX_NAME];
	enum readable_type kind = READABLE_PLAIN;
	struct text text;
	u32 arity;
	size_t len = metadata_plain_len(name, &arity);

	snprintf(plain, sizeof(plain), "%.*s", (int)len, name);
	text_init(&text, of, sizeof(of));
	if (is_part)
		kind = readable_type(plain, &text);
	if (kind == READABLE_CLOSURE) {
		n->used += arity;
		return;
	}
	text_add(&n->out, "%s%s", n->path_started ? "." : "",
		 kind == READABLE_STATE_MACHINE ? of : plain);
	n->path_started = true;
	add_type_arguments(n, arity);
}

/* Is the method a lambda, a local function, or part of a state machine? */
static bool is_part(const char *type, const char *method, bool *is_body)
{
	char ignored[MAX_NAME];
	struct text text;

	text_init(&text, ignored, sizeof(ignored));
	if (readable_type(type, &text) == READABLE_STATE_MACHINE) {
		*is_body = !strcmp(method, "MoveNext");
		return true;
	}
	*is_body = false;
	text_init(&text, ignored, sizeof(ignored));
	readable_method(method, &text);
	return strcmp(ignored, method) != 0;
}

static int add_type(struct naming *n, bool *is_body)
{
	char name[MAX_NAME];
	bool part;
	int err = read_string(n->m, METADATA_TYPE_DEF, n->path.rows[n->path.n - 1], TYPE_DEF_NAME,
			      name, sizeof(name));

	if (err)
		return err;
	part = is_part(name, n->name->method, is_body);
	err = read_string(n->m, METADATA_TYPE_DEF, n->path.rows[0], TYPE_DEF_NAMESPACE, name,
			  sizeof(name));
	if (err)
		return err;
	text_add(&n->out, "%s%s", name, name[0] ? "." : "");
	for (u32 i = 0; i < n->path.n; i++) {
		err = read_string(n->m, METADATA_TYPE_DEF, n->path.rows[i], TYPE_DEF_NAME, name,
				  sizeof(name));
		if (err)
			return err;
		add_segment(n, name, part);
	}
	return 0;
}

static int make_readable(struct naming *n)
{
	bool is_body;
	int err = add_type(n, &is_body);

	if (err || is_body)
		return err;
	text_add(&n->out, ".");
	readable_method(n->name->method, &n->out);
	add_arguments(&n->out, &n->of_method, 0, n->of_method.n);
	err = metadata_parameters(n->m, n->row, &n->out);
	if (err)
		n->name->reason = "method signature unreadable";
	return err == -ESRCH ? err : 0;
}

/* Reads the names in metadata, if the type's row is that of the MethodTable. */
static int read_plain(struct naming *n)
{
	struct text type;
	u32 type_row;
	int err = metadata_method_type(n->m, n->row, &type_row);

	if (err)
		return err;
	if (n->method.type && type_row != dotnet_type_row(n->rt, n->method.type))
		return -EINVAL;
	err = metadata_path_get(n->m, type_row, &n->path);
	if (err)
		return err;
	text_init(&type, n->name->type, sizeof(n->name->type));
	err = metadata_path_text(n->m, &n->path, &type);
	if (!err)
		err = read_string(n->m, METADATA_METHOD_DEF, n->row, METHOD_DEF_NAME,
				  n->name->method, sizeof(n->name->method));
	return err;
}

static int read_arguments(struct naming *n)
{
	int err = 0;

	if (n->instance.row)
		err = dotnet_instance_arguments(n->m, &n->instance, &n->of_type, &n->of_method);
	else if (n->method.type)
		err = dotnet_type_arguments(n->rt, n->method.type, &n->of_type);
	if (!err && n->method.type)
		err = dotnet_method_arguments(n->rt, &n->method, &n->of_method);
	/* Discards the name, because the row belongs to another module. */
	if (err == -EINVAL && n->instance.row)
		return err;
	if (err) {
		n->of_type.n = n->of_method.n = 0;
		n->name->reason = "type argument unreadable";
	}
	return err == -ESRCH ? err : 0;
}

/* Replaces invalid UTF-8 by '?'. Returns the number of replacements. */
static u32 make_utf8(char *s)
{
	u32 n_broken = 0;

	for (size_t left = strlen(s), used; left; s += used, left -= used) {
		u32 cp;

		used = utf8_decode(s, left, &cp);
		/* an invalid sequence decodes to U+FFFD; compare with the bytes of a valid one */
		if (cp == UTF8_REPLACEMENT && memcmp(s, "\xef\xbf\xbd", used < 3 ? used : 3)) {
			memset(s, '?', used);
			n_broken++;
		}
	}
	return n_broken;
}

/* Is @s readable text? A dynamic method's name can't be checked against a second source. */
static bool is_text(const char *s)
{
	char copy[DOTNET_NAME_LEN];
	u32 cp;

	memcpy(copy, s, sizeof(copy));
	if (!s[0] || make_utf8(copy))
		return false;
	for (size_t left = strlen(s), used; left; s += used, left -= used) {
		used = utf8_decode(s, left, &cp);
		if (utf8_is_control(cp))
			return false;
	}
	return true;
}

/* Names a dynamic method. When the method is collected, its MethodDesc is reused for other code. */
static int name_dynamic(struct naming *n, const struct dotnet_code *code)
{
	struct dotnet_name *name = n->name;
	struct dotnet_code now;
	u64 addr;
	int err = dotnet_code_find(n->rt, code->start_addr, &now);

	if (err == -ESRCH)
		return err;
	if (err || now.start_addr != code->start_addr || now.method_desc != code->method_desc) {
		name->reason = "dynamic method freed";
		return -ENOENT;
	}
	err = dotnet_word(n->rt, n->method.addr + n->rt->l->dynamic_name, &addr);
	if (!err)
		err = dotnet_text(n->rt, addr, name->method, sizeof(name->method));
	if (err || !is_text(name->method)) {
		name->reason = "dynamic method unnamed";
		return err == -ESRCH ? err : -ENOENT;
	}
	name->is_dynamic = true;
	memcpy(name->name, name->method, sizeof(name->name));
	return 0;
}

static int name_by_metadata(struct naming *n)
{
	struct dotnet_module *module;
	int err = dotnet_module_get(n->rt, n->method.module, &module);

	if (!err && module->reason) {
		n->name->reason = module->reason;
		return -ENOENT;
	}
	if (!err) {
		n->m = &module->metadata;
		n->row = n->method.token & 0xffffff;
		n->name->token = n->method.token;
		snprintf(n->name->module, sizeof(n->name->module), "%s", module->name);
		err = read_plain(n);
	}
	if (!err)
		err = read_arguments(n);
	return err ? err : make_readable(n);
}

static int name_compiled(struct naming *n, const struct dotnet_code *code)
{
	int err = dotnet_method_read(n->rt, code->method_desc, &n->method);

	if (err)
		return err;
	return n->method.class == DOTNET_CLASS_DYNAMIC ? name_dynamic(n, code)
						       : name_by_metadata(n);
}

/* Names R2R code: the image has the method's row and, for an instantiation, the arguments. */
static int name_r2r(struct naming *n, const struct dotnet_code *code)
{
	struct r2r *r2r;
	struct r2r_code f;
	const u8 *after;
	int err = dotnet_image_get(n->rt, code->image_addr, code->module, &r2r);

	if (err == -ENOENT)
		n->name->reason = "ReadyToRun index unreadable";
	if (!err && r2r->is_composite) {
		n->name->reason = "composite method unknown";
		err = -ENOENT;
	}
	if (!err)
		err = r2r_find(r2r, (u32)(code->start_addr - code->image_addr), &f);
	if (!err && f.entry->instance_off)
		err = r2r_instance_get(r2r->instances + f.entry->instance_off,
				       r2r->instances + r2r->instances_len, &n->instance, &after);
	if (err)
		return err;
	n->method.module = code->module;
	n->method.token = 0x06000000 | f.entry->row;
	return name_by_metadata(n);
}

static int fail(struct dotnet_name *name, int r)
{
	const char *reason = name->reason ? name->reason : "method data unreadable";

	*name = (struct dotnet_name){ .reason = reason };
	return r == -ESRCH ? r : -ENOENT;
}

static int name_stub(const struct dotnet_code *code, struct dotnet_name *name)
{
	const char *stub = dotnet_stub_name(code->stub_kind);

	if (!stub) {
		name->reason = "unknown stub kind";
		return -ENOENT;
	}
	snprintf(name->name, sizeof(name->name), "%s", stub);
	return 0;
}

static int finish(struct naming *n, int r)
{
	struct dotnet_name *name = n->name;

	name->is_cut = n->out.is_cut;
	if (r)
		return fail(name, r);
	make_utf8(name->name);
	make_utf8(name->type);
	make_utf8(name->method);
	make_utf8(name->module);
	return 0;
}

/* Finds the row of a type's MoveNext method. */
static int find_body(struct dotnet_runtime *rt, struct dotnet_method *m)
{
	u32 row, end, type = dotnet_type_row(rt, m->type);
	struct dotnet_module *module;
	char found[16];
	int err = dotnet_module_get(rt, m->module, &module);

	if (!err && (module->reason || !type))
		err = -ENOENT;
	if (!err)
		err = metadata_cell(&module->metadata, METADATA_TYPE_DEF, type, TYPE_DEF_METHODS,
				    &row);
	if (err)
		return err;
	end = row + MAX_METHODS;
	for (; row < end && row <= module->metadata.rows[METADATA_METHOD_DEF]; row++) {
		err = read_string(&module->metadata, METADATA_METHOD_DEF, row, METHOD_DEF_NAME,
				  found, sizeof(found));
		m->token = 0x06000000 | row;
		if (!err && !strcmp(found, "MoveNext"))
			return 0;
	}
	return -ENOENT;
}

int dotnet_await_name(struct dotnet_runtime *rt, u64 machine, struct dotnet_name *name)
{
	struct naming n = { .rt = rt, .name = name, .method.type = machine };
	int err;

	*name = (struct dotnet_name){};
	dotnet_runtime_trim(rt);
	text_init(&n.out, name->name, sizeof(name->name));
	err = dotnet_word(rt, machine + DOTNET_TYPE_MODULE, &n.method.module);
	if (!err)
		err = find_body(rt, &n.method);
	if (!err)
		err = name_by_metadata(&n);
	return finish(&n, err);
}

int dotnet_name_get(struct dotnet_runtime *rt, const struct dotnet_code *code,
		    struct dotnet_name *name)
{
	struct naming n = { .rt = rt, .name = name };

	*name = (struct dotnet_name){};
	dotnet_runtime_trim(rt);
	if (code->kind == DOTNET_STUB)
		return name_stub(code, name);
	text_init(&n.out, name->name, sizeof(name->name));
	if (code->kind == DOTNET_R2R && !code->method_desc)
		return finish(&n, name_r2r(&n, code));
	return finish(&n, name_compiled(&n, code));
}
