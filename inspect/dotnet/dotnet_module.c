/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A Module stores its assembly's simple name as a pointer into the metadata's string heap, and
 * (from .NET 9 on) the address of the image. The image may be a file mapped as a whole or section
 * by section, bytes on the heap, or a part of a single-file program. The code treats all these
 * cases alike, because it reads only memory. Both layouts of an image are tried. The image is
 * accepted as the module's if its row of table Assembly contains the same name as the Module.
 *
 * If the Module does not have the image's address, the code here searches backwards from the name
 * for the root of the metadata. The metadata is accepted if its row of table Assembly refers to the
 * byte that the Module points to.
 *
 * A module made by Reflection.Emit has no image. For each new type, the runtime serializes the
 * module's metadata for debuggers again, so this metadata is not cached.
 */

#include <errno.h>
#include <string.h>

#include "../util/cleanup.h"
#include "dotnet_module.h"
#include "metadata.h"
#include "pdb.h"
#include "pe.h"

#define CLI_METADATA 1
#define MAX_METADATA (256u << 20)
#define MAX_BEFORE_NAME (64u << 20) /* maximum distance from the metadata's root to the name */
#define PAGE 4096u /* the smallest page size */

static const char *const not_found = "module metadata not found";

static int assembly_name(const struct metadata *m, u32 *idx)
{
	return metadata_cell(m, METADATA_ASSEMBLY, 1, ASSEMBLY_NAME, idx);
}

/* Accepts the metadata at @addr if its assembly has the module's name. */
static int take_metadata(struct dotnet_runtime *rt, struct dotnet_module *module, u64 addr, u32 len)
{
	struct metadata metadata;
	char name[sizeof(module->name)];
	u32 idx;
	int err = metadata_init(&metadata, rt->target, addr, len);

	if (!err)
		err = assembly_name(&metadata, &idx);
	if (!err)
		err = metadata_string(&metadata, idx, name, sizeof(name));
	if (!err && strcmp(name, module->name))
		err = -ENOENT;
	if (!err)
		module->metadata = metadata;
	return err;
}

static int find_in_image(struct dotnet_runtime *rt, struct dotnet_module *module, bool is_flat)
{
	struct pe_range range;
	struct pe pe;
	u64 addr;
	int err = pe_init(&pe, rt->target, module->base_addr, is_flat);

	if (!err)
		err = pe_cli_range(&pe, CLI_METADATA, &range);
	if (!err)
		err = pe_addr(&pe, range, &addr);
	return err ? err : take_metadata(rt, module, addr, range.len);
}

/* The start of CoreCLR's SBuffer (inc/sbuffer.h at v8.0.33). */
struct sbuffer {
	u32 len, room;
	u64 flags, addr;
};
_Static_assert(sizeof(struct sbuffer) == 24, "the runtime's layout");

static int find_dynamic(struct dotnet_runtime *rt, struct dotnet_module *module)
{
	struct sbuffer buffer;
	u64 addr;
	u32 len;
	int err;

	if (!rt->l->module_dynamic)
		return -ENOENT;
	err = dotnet_word(rt, module->addr + rt->l->module_dynamic, &addr);
	if (!err && !addr)
		err = -ENOENT;
	if (!err && rt->l->dynamic_is_buffer) {
		err = dotnet_read(rt, addr, &buffer, sizeof(buffer));
		len = buffer.len;
		addr = buffer.addr;
	} else if (!err) {
		err = dotnet_read(rt, addr, &len, sizeof(len));
		addr += sizeof(len);
	}
	if (!err)
		err = take_metadata(rt, module, addr, len < MAX_METADATA ? len : MAX_METADATA);
	module->is_dynamic = !err;
	return err;
}

/*
 * Returns whether @root is the root of the metadata that contains the name to which the Module
 * points.
 */
static bool try_root(struct dotnet_runtime *rt, struct dotnet_module *module, u64 addr)
{
	struct metadata m;
	u32 idx;

	if (metadata_init(&m, rt->target, addr, MAX_METADATA) || assembly_name(&m, &idx) ||
	    m.strings.addr + idx != module->name_addr)
		return false;
	module->metadata = m;
	return true;
}

static int find_before_name(struct dotnet_runtime *rt, struct dotnet_module *module)
{
	u64 end = module->name_addr & ~3ull;
	u8 page[PAGE];

	for (u32 seen = 0; seen < MAX_BEFORE_NAME && end > PAGE;) {
		u32 len = (u32)(end - ((end - 1) & ~(u64)(PAGE - 1)));
		int err = dotnet_read(rt, end - len, page, len);

		if (err)
			return err == -ESRCH ? err : -ENOENT;
		for (u32 off = len; off >= 4; off -= 4)
			if (!memcmp(page + off - 4, "BSJB", 4) &&
			    try_root(rt, module, end - len + off - 4))
				return 0;
		end -= len;
		seen += len;
	}
	return -ENOENT;
}

static int find_metadata(struct dotnet_runtime *rt, struct dotnet_module *module)
{
	int err = module->base_addr ? find_in_image(rt, module, false) : find_dynamic(rt, module);

	if (err && err != -ESRCH && module->base_addr)
		err = find_in_image(rt, module, true);
	else if (err && err != -ESRCH && !rt->l->module_base)
		err = find_before_name(rt, module);
	if (err == -ESRCH || err == -ENOMEM)
		return err;
	module->reason = err ? not_found : NULL;
	return 0;
}

static int read_mvid(struct dotnet_runtime *rt, struct dotnet_module *module)
{
	const struct metadata_heap *guids = &module->metadata.guids;
	u32 idx;

	module->mvid_addr = 0;
	if (module->reason ||
	    metadata_cell(&module->metadata, METADATA_MODULE, 1, MODULE_MVID, &idx) || !idx ||
	    (u64)idx * sizeof(module->mvid) > guids->len)
		return 0;
	module->mvid_addr = guids->addr + (idx - 1) * sizeof(module->mvid);
	return dotnet_read(rt, module->mvid_addr, module->mvid, sizeof(module->mvid));
}

/*
 * Is the module unchanged? The memory of a collectible assembly is reused, perhaps for a later
 * build of the same assembly.
 */
static bool is_still_there(struct dotnet_runtime *rt, const struct dotnet_module *kept)
{
	u8 mvid[sizeof(kept->mvid)];

	return !kept->mvid_addr || (!dotnet_read(rt, kept->mvid_addr, mvid, sizeof(mvid)) &&
				    !memcmp(mvid, kept->mvid, sizeof(mvid)));
}

static int read_module(struct dotnet_runtime *rt, u64 addr, struct dotnet_module *module)
{
	int err = dotnet_word(rt, addr + rt->l->module_name, &module->name_addr);

	if (!err && rt->l->module_base)
		err = dotnet_word(rt, addr + rt->l->module_base, &module->base_addr);
	module->addr = addr;
	return err;
}

static struct dotnet_module *kept_module(struct dotnet_runtime *rt, u64 addr)
{
	for (size_t i = 0; i < rt->n_modules; i++)
		if (rt->modules[i]->addr == addr)
			return rt->modules[i];
	return NULL;
}

static int add_module(struct dotnet_runtime *rt, struct dotnet_module *module)
{
	struct dotnet_module **p;

	if (rt->n_modules == DOTNET_MAX_MODULES)
		return -ENOMEM;
	if (!(rt->n_modules & (rt->n_modules - 1))) {
		p = reallocarray(rt->modules, rt->n_modules ? 2 * rt->n_modules : 1, sizeof(*p));
		if (!p)
			return -ENOMEM;
		rt->modules = p;
	}
	rt->modules[rt->n_modules++] = module;
	return 0;
}

int dotnet_module_get(struct dotnet_runtime *rt, u64 addr, struct dotnet_module **out)
{
	_cleanup_free_ struct dotnet_module *read = calloc(1, sizeof(*read));
	struct dotnet_module *kept = kept_module(rt, addr);
	int err;

	if (!read)
		return -ENOMEM;
	err = read_module(rt, addr, read);
	if (!err)
		err = dotnet_text(rt, read->name_addr, read->name, sizeof(read->name));
	if (err)
		return err;
	if (kept && !kept->is_dynamic && kept->name_addr == read->name_addr &&
	    kept->base_addr == read->base_addr && !strcmp(kept->name, read->name) &&
	    is_still_there(rt, kept)) {
		*out = kept;
		return 0;
	}
	err = find_metadata(rt, read);
	if (!err)
		err = read_mvid(rt, read);
	if (err)
		return err;
	if (kept) {
		pdb_free(&kept->pdb);
		*kept = *read;
	} else {
		err = add_module(rt, read);
		if (err)
			return err;
		kept = TAKE_PTR(read);
	}
	*out = kept;
	return 0;
}
