// SPDX-License-Identifier: BSD-2-Clause

/*
 * Makes a case from a plain core, which gcore or the kernel wrote. A plain core does not record the
 * walk's tables, does not always record which mappings were code, and omits the contents of mapped
 * files:
 *
 *	bytes in a PT_LOAD              known
 *	code of a file that is still    known, from the file; data is never taken from the
 *	the process's                   file, because the process may have changed it
 *	everything else                 not recorded
 *
 * Program headers and file mappings are both sorted; gcore writes no program header for most
 * mappings of code, but the kernel writes one for each.
 */

#include "case_opened.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define V8_INFO_IDX 1 /* index 0 is for code that is not V8's */

/* Masks of user addresses with 4-level page tables; used unless the core has a PAC mask. */
static const u64 va_masks[CASE_N_ARCHS] = { (1ull << 47) - 1, (1ull << 48) - 1 };

struct plain {
	const struct core *core;
	const struct case_modules *modules;
	struct case_place *places;
	struct case_range *ranges;
	struct case_mapping *mappings;
	u32 n_ranges, n_mappings;
	u64 vdso_addr;
};

static void add_range(struct plain *p, u64 addr, u64 len, u8 prot, struct case_place place)
{
	p->places[p->n_ranges] = place;
	p->ranges[p->n_ranges++] = (struct case_range){
		.addr = addr,
		.len = len,
		.origin = CASE_COPIED,
		.holds = prot & PF_X ? CASE_CODE : CASE_OTHER,
		.prot = prot,
	};
}

static void add_mapping(struct plain *p, const struct uw_mapping *m, const char *path,
			const struct elf_file *elf)
{
	if (m->start_addr < m->end_addr && m->end_addr <= UW_MAX_MAPPING_END)
		p->mappings[p->n_mappings++] =
			(struct case_mapping){ *m, path, elf ? elf_file_build_id(elf) : NULL };
}

/* The address of a file offset in a mapping, clamped to the mapping. */
static u64 addr_of(const struct uw_mapping *m, u64 file_off)
{
	u64 len = m->end_addr - m->start_addr;

	if (file_off <= m->file_off)
		return m->start_addr;
	return file_off - m->file_off < len ? m->start_addr + (file_off - m->file_off)
					    : m->end_addr;
}

/* Adds the code of a file as up to three mappings, because V8's embedded builtins get their own. */
static void add_file_code(struct plain *p, u32 file, u64 start, u64 end)
{
	const struct case_map_file *f = &p->core->files[file];
	struct uw_mapping m = {
		.start_addr = start,
		.end_addr = end,
		.file_off = f->file_off + (start - f->start_addr),
		.module = p->modules->of[file],
	};
	const struct elf_file *elf = p->modules->at[m.module - 1];
	struct uw_mapping blob = m, rest = m;

	if (m.module != p->modules->v8 || !p->modules->blob_len) {
		add_mapping(p, &m, f->path, elf);
		return;
	}
	blob.start_addr = addr_of(&m, p->modules->blob_off);
	blob.end_addr = addr_of(&m, p->modules->blob_off + p->modules->blob_len);
	blob.file_off += blob.start_addr - start;
	blob.kind = UW_MAP_V8_BUILTINS;
	blob.info_idx = V8_INFO_IDX;
	rest.start_addr = blob.end_addr;
	rest.file_off += rest.start_addr - start;
	m.end_addr = blob.start_addr;
	add_mapping(p, &m, f->path, elf);
	add_mapping(p, &blob, f->path, elf);
	add_mapping(p, &rest, f->path, elf);
}

static void add_anonymous_code(struct plain *p, const struct core_segment *s)
{
	struct uw_mapping m = { .start_addr = s->addr, .end_addr = s->addr + s->len };

	if (p->modules->v8 && s->addr != p->vdso_addr) {
		m.kind = UW_MAP_V8_JIT;
		m.info_idx = V8_INFO_IDX;
	} else if (p->modules->dotnet && s->addr != p->vdso_addr) {
		m.kind = UW_MAP_DOTNET_STUBS; /* a default; the runtime's records may give
					       * another kind */
		m.info_idx = DOTNET_STUB_HELPER;
	}
	add_mapping(p, &m, NULL, NULL);
}

/* Adds the bytes of code that the file contains and the core does not. */
static void add_file_bytes(struct plain *p, u32 file, u64 start, u64 end)
{
	const struct case_map_file *f = &p->core->files[file];
	u32 module = p->modules->of[file];
	const struct elf_file *elf = p->modules->at[module - 1];
	u64 off = f->file_off + (start - f->start_addr), file_len;

	if (!case_module_is_code(p->modules, module, off))
		return;
	file_len = (u64)lseek(elf_file_fd(elf), 0, SEEK_END);
	if (off >= file_len)
		return;
	if (file_len - off < end - start)
		end = start + (file_len - off);
	add_range(p, start, end - start, PF_R | PF_X, (struct case_place){ elf_file_fd(elf), off });
}

static void add_segment(struct plain *p, const struct core_segment *s)
{
	u32 file = core_file_at(p->core, s->addr);
	bool is_file = file < p->core->n_files && !dotnet_is_code_file(p->core->files[file].path);

	if (s->prot & PF_X && is_file)
		add_file_code(p, file, s->addr, s->addr + s->len);
	else if (s->prot & PF_X)
		add_anonymous_code(p, s);
	if (s->file_len)
		add_range(p, s->addr, s->file_len, s->prot, (struct case_place){ -1, s->off });
	if (s->file_len < s->len && s->prot & PF_X && !(s->prot & PF_W) && is_file)
		add_file_bytes(p, file, s->addr + s->file_len, s->addr + s->len);
}

/* Adds a file mapping for which the core has no program header. */
static void add_file(struct plain *p, u32 file)
{
	const struct case_map_file *f = &p->core->files[file];

	if (!case_module_is_code(p->modules, p->modules->of[file], f->file_off))
		return;
	add_file_code(p, file, f->start_addr, f->end_addr);
	add_file_bytes(p, file, f->start_addr, f->end_addr);
}

static void add_all(struct plain *p)
{
	const struct core *core = p->core;
	u32 i = 0, k = 0;

	while (i < core->n_segments || k < core->n_files) {
		const struct core_segment *s = i < core->n_segments ? &core->segments[i] : NULL;
		const struct case_map_file *f = k < core->n_files ? &core->files[k] : NULL;

		if (!f || (s && s->addr < f->end_addr)) {
			/* A file mapping that the segment overlaps is added with the segment. */
			while (k < core->n_files &&
			       core->files[k].start_addr <= s->addr + (s->len - 1))
				k++;
			add_segment(p, s);
			i++;
		} else {
			add_file(p, k++);
		}
	}
}

static void take_registers(struct case_opened *o)
{
	const struct case_machine *m = &case_machines[o->core.arch];
	const u64 *regs = o->core.regs;

	o->c.regs = (struct case_regs){ regs[m->pc], regs[m->sp],
					regs[m->fp], m->lr == CASE_NO_REG ? 0 : regs[m->lr],
					true,	     { 0 } };
	memcpy(o->c.regs.all, regs, sizeof(o->c.regs.all));
	o->c.tid = o->core.tid;
	o->c.va_mask = va_masks[o->core.arch];
	if (o->core.pac_mask)
		o->c.va_mask &= (o->core.pac_mask & -o->core.pac_mask) - 1;
}

static u64 vdso_addr(const struct core *core)
{
	for (u32 i = 0; i < core->n_auxv; i++)
		if (core->auxv[i].type == AT_SYSINFO_EHDR)
			return core->auxv[i].value;
	return 0;
}

int case_take_plain(struct case_opened *o, const char *path, struct case_error *error)
{
	size_t n = (size_t)o->core.n_segments + o->core.n_files;
	struct plain p = { .core = &o->core, .modules = &o->modules };

	o->c.is_plain_core = true;
	o->c.arch = o->core.arch;
	o->c.ranges = p.ranges = calloc(2 * n + 1, sizeof(*p.ranges));
	o->places = p.places = calloc(2 * n + 1, sizeof(*p.places));
	o->c.mappings = p.mappings = calloc(3 * n + 1, sizeof(*p.mappings));
	o->c.v8_builds = calloc(V8_INFO_IDX + 1, sizeof(*o->c.v8_builds));
	if (!p.ranges || !p.places || !p.mappings || !o->c.v8_builds ||
	    case_modules_open(&o->core, &o->modules))
		return case_fail(error, -ENOMEM, path, "out of memory");
	take_registers(o);
	p.vdso_addr = vdso_addr(&o->core);
	add_all(&p);
	((struct v8_info *)o->c.v8_builds)[V8_INFO_IDX] = o->modules.v8_info;
	o->c.n_v8_builds = o->modules.v8 ? V8_INFO_IDX + 1 : 0;
	o->c.n_ranges = p.n_ranges;
	o->c.n_mappings = p.n_mappings;
	o->c.files = o->core.files;
	o->c.n_files = o->core.n_files;
	o->c.auxv = o->core.auxv;
	o->c.n_auxv = o->core.n_auxv;
	if (case_plain_add_dotnet(o))
		return case_fail(error, -ENOMEM, path, "out of memory");
	o->c.extent = o->c.n_mappings;
	return 0;
}
