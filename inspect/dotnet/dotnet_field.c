/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds the offset of a field in an object by the field's name:
 *
 *	MethodTable   0x28 EEClass, or the MethodTable with the EEClass (shared instantiation) | 1
 *	EEClass       0x18 FieldDescs, in the order of metadata; only of the type's own fields
 *	FieldDesc     0 MethodTable, 8 u32 row of Field (24 bits), bit 24: static;
 *	              0xc u32 offset (27 bits), from the end of the object's MethodTable word
 *
 * There are no FieldDescs for constants. The offsets of a Module's table of MethodTables
 * (vm/ceeload.h, LookupMap) are in dotnet_layout.c. Source: coreclr vm/methodtable.h, vm/class.h,
 * vm/field.h at v8.0.33 and v10.0.14; measured on 8, 9 and 10.
 */

#include <errno.h>

#include "dotnet_field.h"
#include "dotnet_module.h"
#include "dotnet_type.h"
#include "metadata.h"
#include "metadata_type.h"
#include "text.h"

#define MAX_FIELDS 4096 /* maximum number of fields of a type */
#define TYPE_PARENT 0x10
#define TYPE_CLASS 0x28
#define CLASS_FIELDS 0x18
#define IS_STATIC (1u << 24)

struct field_desc {
	u64 type;
	u32 row, off;
};

int dotnet_type_get(struct dotnet_runtime *rt, u64 addr, struct dotnet_type *type)
{
	struct metadata_path path;
	struct text text;
	u64 module;
	int err = addr & 7 ? -EINVAL : dotnet_word(rt, addr + DOTNET_TYPE_MODULE, &module);

	if (!err)
		err = dotnet_module_get(rt, module, &type->module);
	if (err)
		return err;
	type->addr = addr;
	type->row = dotnet_type_row(rt, addr);
	if (type->module->reason || !type->row)
		return -ENOENT;
	err = metadata_path_get(&type->module->metadata, type->row, &path);
	if (err)
		return err;
	text_init(&text, type->name, sizeof(type->name));
	err = metadata_path_text(&type->module->metadata, &path, &text);
	return err ? err : dotnet_word(rt, addr + TYPE_PARENT, &type->parent);
}

int dotnet_type_find(struct dotnet_runtime *rt, const struct dotnet_module *module, u32 row,
		     u64 *addr)
{
	struct dotnet_arguments arguments;
	struct {
		u64 first;
		u32 n, padding;
	} types;
	u64 type, of;
	int err = rt->l->module_types ? dotnet_read(rt, module->addr + rt->l->module_types, &types,
						    sizeof(types))
				      : -ENOENT;

	if (!err && row >= types.n)
		err = -ENOENT;
	if (!err)
		err = dotnet_word(rt, types.first + 8ull * row, &type);
	if (!err && !type)
		err = -ENOENT;
	if (!err)
		err = dotnet_word(rt, type + DOTNET_TYPE_MODULE, &of);
	if (!err && (of != module->addr || dotnet_type_row(rt, type) != row))
		err = -EINVAL;
	if (!err)
		err = dotnet_type_arguments(rt, type, &arguments);
	if (err || arguments.n)
		return err ? err : -ENOENT;
	*addr = type;
	return 0;
}

/* Finds the rows of a type's own fields: [*first, *end). */
static int field_rows(const struct metadata *m, u32 type_row, u32 *first, u32 *end)
{
	int err = metadata_cell(m, METADATA_TYPE_DEF, type_row, TYPE_DEF_FIELDS, first);

	if (err)
		return err;
	*end = m->rows[METADATA_FIELD] + 1;
	if (type_row < m->rows[METADATA_TYPE_DEF])
		err = metadata_cell(m, METADATA_TYPE_DEF, type_row + 1, TYPE_DEF_FIELDS, end);
	if (!err && (*end < *first || *end - *first > MAX_FIELDS))
		err = -EINVAL;
	return err;
}

int dotnet_field_row(const struct metadata *m, u32 type_row, const char *name, u32 *out)
{
	char found[64];
	u32 row, end, idx;
	int err = field_rows(m, type_row, &row, &end);

	for (; !err && row < end; row++) {
		err = metadata_cell(m, METADATA_FIELD, row, FIELD_NAME, &idx);
		if (!err)
			err = metadata_string(m, idx, found, sizeof(found));
		if (!err && !strcmp(found, name)) {
			*out = row;
			return 0;
		}
		if (err == -E2BIG)
			err = 0; /* the field's name is too long to be one that is looked up */
	}
	return err ? err : -ENOENT;
}

int dotnet_field_off(struct dotnet_runtime *rt, const struct dotnet_type *type, const char *name,
		     u32 *off)
{
	const struct metadata *m = &type->module->metadata;
	u64 of = type->addr, class, list;
	struct field_desc f;
	u32 row, first, end;
	int err = dotnet_field_row(m, type->row, name, &row);

	if (!err)
		err = field_rows(m, type->row, &first, &end);
	if (!err)
		err = dotnet_word(rt, of + TYPE_CLASS, &class);
	if (!err && class & 1) {
		of = class & ~1ull;
		err = dotnet_word(rt, of + TYPE_CLASS, &class);
	}
	if (!err)
		err = dotnet_word(rt, class + CLASS_FIELDS, &list);
	for (u32 i = 0; !err && i < end - first; i++) {
		err = dotnet_read(rt, list + i * sizeof(f), &f, sizeof(f));
		if (!err && f.type != of)
			err = -ENOENT; /* end of the type's fields */
		if (!err && (f.row & 0xffffff) == row && !(f.row & IS_STATIC)) {
			*off = f.off & 0x7ffffff;
			return 0;
		}
	}
	return err ? err : -ENOENT;
}
