/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Reads the type arguments of a type or method from the runtime's own data about types:
 *
 *	MethodTable     0x00 u32 flags; 0x08 u32 (row of TypeDef << 8) (.NET 9, 10), u16 row
 *	                at 0x0a (6 to 8; 0xffff: too large); 0x18 Module; 0x30 dictionaries,
 *	                in an array type the element's type
 *	dictionaries    at -4 u16 their number, at -2 u16 the number of arguments; the last is the
 *	                type's own: an array of TypeHandles, the arguments first
 *	instantiated    after MethodDesc + 8: dictionary; + 8: u16 flags, u16 arguments
 *	method
 *
 * A TypeHandle with bit 1 set is not a MethodTable but a TypeDesc (pointers, variables).
 * Source: coreclr vm/methodtable.h, vm/generics.h, vm/method.hpp at v10.0.14; measured on
 * 8, 9 and 10.
 */

#include <errno.h>

#include "dotnet_method.h"
#include "dotnet_module.h"
#include "dotnet_type.h"
#include "metadata.h"
#include "metadata_number.h"
#include "metadata_type.h"
#include "r2r.h"
#include "readable.h"
#include "text.h"

#define MAX_DEPTH 6

enum {
	FLAG_HAS_COMPONENT_SIZE = 0x80000000, /* arrays and strings */
	FLAG_GENERICS = 0x30,
	FLAG_CATEGORY = 0x000c0000, /* mask of the type's category; 0x80000 is an array */
	FLAG_ARRAY = 0x00080000,
	FLAG_VALUE = 0x00040000,
	FLAG_SZ_ARRAY = 0x00020000,
};

struct type_head {
	u32 flags, base_size;
	u32 flags2;
};

u32 dotnet_type_row(struct dotnet_runtime *rt, u64 type)
{
	struct type_head head;

	if (dotnet_read(rt, type, &head, sizeof(head)))
		return 0;
	if (rt->l->type_has_token)
		return head.flags2 >> 8;
	return head.flags2 >> 16 == 0xffff ? 0 : head.flags2 >> 16;
}

static int add_type(struct dotnet_runtime *rt, u64 type, struct text *out, int depth);

static int add_list(struct dotnet_runtime *rt, u64 addr, u32 n, struct text *out, int depth)
{
	for (u32 i = 0; i < n; i++) {
		u64 type;
		int err = dotnet_word(rt, addr + 8ull * i, &type);

		if (err)
			return err;
		if (i)
			text_add(out, ", ");
		err = add_type(rt, type, out, depth);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Finds the address and number of a type's arguments; the number is 0 if the type is not generic.
 */
static int find_arguments(struct dotnet_runtime *rt, u64 type, u32 flags, u64 *addr, u32 *n)
{
	u16 counts[2];
	u64 dictionaries;
	int err;

	*n = 0;
	if (flags & FLAG_HAS_COMPONENT_SIZE || !(flags & FLAG_GENERICS))
		return 0;
	err = dotnet_word(rt, type + 0x30, &dictionaries);
	if (!err)
		err = dotnet_read(rt, dictionaries - 4, counts, sizeof(counts));
	if (!err && (!counts[0] || !counts[1] || counts[1] > DOTNET_MAX_ARGUMENTS))
		return -EINVAL;
	if (!err)
		err = dotnet_word(rt, dictionaries + 8ull * (counts[0] - 1u), addr);
	if (!err)
		*n = counts[1];
	return err;
}

/* Adds the name of the type, without the names of the enclosing types. */
static int add_name(struct dotnet_runtime *rt, u64 type, struct text *out)
{
	char name[256], namespace[256];
	struct dotnet_module *module;
	const char *keyword;
	u32 row = dotnet_type_row(rt, type), idx, arity;
	u64 module_addr;
	int err = dotnet_word(rt, type + DOTNET_TYPE_MODULE, &module_addr);

	if (!err)
		err = dotnet_module_get(rt, module_addr, &module);
	if (!err && (module->reason || !row))
		err = -ENOENT;
	if (!err)
		err = metadata_cell(&module->metadata, METADATA_TYPE_DEF, row, TYPE_DEF_NAMESPACE,
				    &idx);
	if (!err)
		err = metadata_string(&module->metadata, idx, namespace, sizeof(namespace));
	if (!err)
		err = metadata_cell(&module->metadata, METADATA_TYPE_DEF, row, TYPE_DEF_NAME, &idx);
	if (!err)
		err = metadata_string(&module->metadata, idx, name, sizeof(name));
	if (err)
		return err;
	keyword = strcmp(namespace, "System") ? NULL : metadata_keyword(name);
	if (keyword)
		text_add(out, "%s", keyword);
	else
		readable_type_name(name, metadata_plain_len(name, &arity), out);
	return 0;
}

static int add_array(struct dotnet_runtime *rt, u64 type, u32 flags, struct text *out, int depth)
{
	u64 element;
	int err = flags & FLAG_SZ_ARRAY ? dotnet_word(rt, type + 0x30, &element) : -ENOENT;

	if (!err)
		err = add_type(rt, element, out, depth + 1);
	if (!err)
		text_add(out, "[]");
	return err;
}

static int add_type(struct dotnet_runtime *rt, u64 type, struct text *out, int depth)
{
	struct type_head head;
	u64 arguments;
	u32 n;
	int err = type & 3 || depth == MAX_DEPTH || out->is_cut
			  ? -ENOENT
			  : dotnet_read(rt, type, &head, sizeof(head));

	if (err)
		return err;
	if (head.flags & FLAG_HAS_COMPONENT_SIZE && (head.flags & FLAG_CATEGORY) == FLAG_ARRAY)
		return add_array(rt, type, head.flags, out, depth);
	err = find_arguments(rt, type, head.flags, &arguments, &n);
	if (!err)
		err = add_name(rt, type, out);
	if (err || !n)
		return err;
	text_add(out, "<");
	err = add_list(rt, arguments, n, out, depth + 1);
	text_add(out, ">");
	return err;
}

int dotnet_type_argument(struct dotnet_runtime *rt, u64 type, u32 idx, u64 *argument)
{
	struct type_head head;
	u64 arguments;
	u32 n;
	int err = dotnet_read(rt, type, &head, sizeof(head));

	if (!err)
		err = find_arguments(rt, type, head.flags, &arguments, &n);
	if (!err && idx >= n)
		err = -ENOENT;
	return err ? err : dotnet_word(rt, arguments + 8ull * idx, argument);
}

int dotnet_type_is_value(struct dotnet_runtime *rt, u64 type, bool *is_value)
{
	struct type_head head;
	int err = dotnet_read(rt, type, &head, sizeof(head));

	if (!err)
		*is_value = (head.flags & FLAG_CATEGORY) == FLAG_VALUE;
	return err;
}

static int take_arguments(struct dotnet_runtime *rt, u64 addr, u32 n, struct dotnet_arguments *out)
{
	for (u32 i = 0; i < n; i++) {
		struct text text;
		u64 type;
		int err = dotnet_word(rt, addr + 8ull * i, &type);

		text_init(&text, out->text[i], sizeof(out->text[i]));
		if (!err)
			err = add_type(rt, type, &text, 0);
		if (err)
			return err;
	}
	out->n = n;
	return 0;
}

int dotnet_type_arguments(struct dotnet_runtime *rt, u64 type, struct dotnet_arguments *out)
{
	struct type_head head;
	u64 arguments;
	u32 n;
	int err = dotnet_read(rt, type, &head, sizeof(head));

	out->n = 0;
	if (!err)
		err = find_arguments(rt, type, head.flags, &arguments, &n);
	return err ? err : take_arguments(rt, arguments, n, out);
}

int dotnet_method_arguments(struct dotnet_runtime *rt, const struct dotnet_method *m,
			    struct dotnet_arguments *out)
{
	struct {
		u64 dictionary;
		u16 flags, n;
	} own;
	int err;

	out->n = 0;
	if (m->class != DOTNET_CLASS_INSTANTIATED)
		return 0;
	err = dotnet_read(rt, m->addr + rt->l->method_desc_len + 8, &own, 12);
	if (err)
		return err;
	if (own.n > DOTNET_MAX_ARGUMENTS || (own.n && !own.dictionary))
		return -EINVAL;
	return take_arguments(rt, own.dictionary, own.n, out);
}

static int take_types(const struct metadata *m, const u8 *p, const u8 *end, u32 n,
		      struct dotnet_arguments *out)
{
	for (u32 i = 0; i < n; i++) {
		struct text text;
		int len;

		text_init(&text, out->text[i], sizeof(out->text[i]));
		len = metadata_type_text(m, p, end, &text);
		if (len < 0)
			return -ENOENT;
		p += len;
	}
	out->n = n;
	return 0;
}

/*
 * Reads the type arguments from the signature "GENERICINST CLASS|VALUETYPE TypeDef n types", if
 * TypeDef is the row's type.
 */
static int take_owner(const struct metadata *m, const struct r2r_instance *i,
		      struct dotnet_arguments *out)
{
	const u8 *p = i->owner;
	u32 parts[4], type_row;

	for (int k = 0; k < 4; k++) {
		int n = metadata_uint(p, (size_t)(i->end - p), &parts[k]);

		/* The signature of a type that is not generic ends after the token. */
		if (n < 0)
			return -EINVAL;
		p += n;
		if (k == 0 && parts[0] != 0x15) {
			parts[3] = 0;
			n = metadata_uint(p, (size_t)(i->end - p), &parts[2]);
			if (n < 0)
				return -EINVAL;
			break;
		}
	}
	if (parts[2] & 3 || metadata_method_type(m, i->row, &type_row) ||
	    type_row != parts[2] >> 2 || parts[3] > DOTNET_MAX_ARGUMENTS)
		return -EINVAL;
	return take_types(m, p, i->end, parts[3], out);
}

int dotnet_instance_arguments(const struct metadata *m, const struct r2r_instance *i,
			      struct dotnet_arguments *of_type, struct dotnet_arguments *of_method)
{
	int err = 0;

	of_type->n = of_method->n = 0;
	if (i->n_arguments > DOTNET_MAX_ARGUMENTS)
		return -EINVAL;
	if (i->owner)
		err = take_owner(m, i, of_type);
	return err ? err : take_types(m, i->arguments, i->end, i->n_arguments, of_method);
}
