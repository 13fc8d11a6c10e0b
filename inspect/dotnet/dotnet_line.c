/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds the line of a pc: the debug information of the JIT or Crossgen (debug_info.h) has the IL
 * offset for the pc, and the assembly's portable PDB has the line for the IL offset. The image's
 * debug directory identifies the PDB:
 *
 *	type 2   "RSDS", GUID, u32 age, path; the PDB's id is GUID and time stamp
 *	type 17  "MPDB", u32 length, the PDB itself, deflated
 *
 *	entry { u32, u32 time stamp, u16, u16 minor, u32 type, u32 length, u32 rva, u32 }
 *
 * Only the last component of the path is used, because the path is one on the build machine. A file
 * is accepted as the PDB if its id is the one in the debug directory. Source: Microsoft's PE
 * format; dotnet/runtime docs/design/specs/PE-COFF.md at v10.0.14.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "../util/cleanup.h"
#include "dotnet_image.h"
#include "dotnet_method.h"
#include "dotnet_module.h"
#include "pdb.h"
#include "r2r.h"
#include "text.h"

#define CLI_METADATA 1
#define MAX_PDB_LEN (64u << 20)
#define MAX_ENTRIES 32
#define MAX_PATH_LEN 1024
#define MAX_BEFORE_METADATA (64u << 20)
#define IMAGE_ALIGN 16
#define PAGE 4096u
#define PACKED_MAJOR 16 /* this version of the ReadyToRun format is that of .NET 10 */

enum { TYPE_CODE_VIEW = 2, TYPE_EMBEDDED = 17, MINOR_PORTABLE = 0x504d };

struct entry {
	u32 characteristics, stamp;
	u16 major, minor;
	u32 type, len, rva, file_off;
};

static bool is_its_image(const struct pe *pe, u64 metadata)
{
	struct pe_range range;
	u64 addr;

	return !pe_cli_range(pe, CLI_METADATA, &range) && !pe_addr(pe, range, &addr) &&
	       addr == metadata;
}

/*
 * Finds the image by searching backwards from its metadata. Before .NET 9, the Module has no
 * pointer to the image.
 */
static int find_image(struct dotnet_runtime *rt, u64 metadata, struct pe *pe)
{
	u64 end = metadata & ~(u64)(IMAGE_ALIGN - 1);
	u8 page[PAGE];

	for (u32 seen = 0, len; seen < MAX_BEFORE_METADATA && end > PAGE; seen += len, end -= len) {
		len = (u32)(end - ((end - 1) & ~(u64)(PAGE - 1)));
		if (dotnet_read(rt, end - len, page, len))
			return -ENOENT;
		for (u32 off = len; off >= IMAGE_ALIGN; off -= IMAGE_ALIGN) {
			u64 base = end - len + off - IMAGE_ALIGN;

			if (memcmp(page + off - IMAGE_ALIGN, "MZ", 2))
				continue;
			for (int is_flat = 0; is_flat <= 1; is_flat++)
				if (!pe_init(pe, rt->target, base, is_flat) &&
				    is_its_image(pe, metadata))
					return 0;
		}
	}
	return -ENOENT;
}

static int open_image(struct dotnet_runtime *rt, const struct dotnet_module *module, struct pe *pe)
{
	if (!module->base_addr)
		return find_image(rt, module->metadata.addr, pe);
	for (int is_flat = 0; is_flat <= 1; is_flat++)
		if (!pe_init(pe, rt->target, module->base_addr, is_flat) &&
		    is_its_image(pe, module->metadata.addr))
			return 0;
	return -ENOENT;
}

static int read_all(int fd, u8 **bytes, size_t *len)
{
	_cleanup_free_ u8 *p = NULL;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    st.st_size > MAX_PDB_LEN)
		return -ENOENT;
	p = malloc((size_t)st.st_size);
	if (!p)
		return -ENOMEM;
	if (pread(fd, p, (size_t)st.st_size, 0) != st.st_size)
		return -EIO;
	*len = (size_t)st.st_size;
	*bytes = TAKE_PTR(p);
	return 0;
}

static int take_pdb(u8 **bytes, size_t len, const u8 *id, struct pdb **out)
{
	_cleanup_(pdb_free) struct pdb *pdb = NULL;
	int err = pdb_new(&pdb, *bytes, len);

	if (err)
		return err;
	*bytes = NULL; /* the PDB owns the bytes now */
	if (id && memcmp(id, pdb_id(pdb), PDB_ID_LEN))
		return -ESTALE;
	*out = TAKE_PTR(pdb);
	return 0;
}

static int try_file(struct dotnet_runtime *rt, const struct pe *pe, const struct entry *e,
		    struct pdb **out)
{
	char data[24 + MAX_PATH_LEN + 1] = "";
	_cleanup_free_ u8 *bytes = NULL;
	_cleanup_close_ int fd = -1;
	u8 id[PDB_ID_LEN];
	const char *name;
	size_t len;
	u64 addr;
	int err;

	if (!rt->open_file || e->minor != MINOR_PORTABLE || e->len < 25 || e->len >= sizeof(data))
		return -ENOENT;
	err = pe_addr(pe, (struct pe_range){ e->rva, e->len }, &addr);
	if (!err)
		err = dotnet_read(rt, addr, data, e->len);
	if (err || memcmp(data, "RSDS", 4))
		return -ENOENT;
	memcpy(id, data + 4, 16);
	memcpy(id + 16, &e->stamp, 4);
	name = data + 24;
	for (const char *p = name; *p; p++)
		if (*p == '/' || *p == '\\')
			name = p + 1;
	if (!name[0] || !strcmp(name, ".") || !strcmp(name, ".."))
		return -ENOENT;
	fd = rt->open_file(rt->open_file_data, pe->base_addr, name);
	err = fd < 0 ? -ENOENT : read_all(fd, &bytes, &len);
	return err ? err : take_pdb(&bytes, len, id, out);
}

static int inflate_all(const u8 *from, u32 from_len, u8 *to, u32 to_len)
{
	z_stream z = {
		.next_in = (u8 *)from, .avail_in = from_len, .next_out = to, .avail_out = to_len
	};
	int r;

	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return -ENOMEM;
	r = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return r == Z_STREAM_END && !z.avail_out ? 0 : -ENOEXEC;
}

static int try_embedded(struct dotnet_runtime *rt, const struct pe *pe, const struct entry *e,
			struct pdb **out)
{
	_cleanup_free_ u8 *packed = NULL, *bytes = NULL;
	u32 len;
	u64 addr;
	int err = pe_addr(pe, (struct pe_range){ e->rva, e->len }, &addr);

	if (err || e->len <= 8 || e->len > MAX_PDB_LEN)
		return -ENOENT;
	packed = malloc(e->len);
	err = packed ? dotnet_read(rt, addr, packed, e->len) : -ENOMEM;
	if (err)
		return err;
	memcpy(&len, packed + 4, sizeof(len));
	if (memcmp(packed, "MPDB", 4) || !len || len > MAX_PDB_LEN)
		return -ENOEXEC;
	bytes = malloc(len);
	err = bytes ? inflate_all(packed + 8, e->len - 8, bytes, len) : -ENOMEM;
	return err ? err : take_pdb(&bytes, len, NULL, out);
}

static int find_pdb(struct dotnet_runtime *rt, const struct dotnet_module *module, struct pdb **out)
{
	struct pe_range dir;
	struct entry e;
	struct pe pe;
	u64 addr;
	int err = open_image(rt, module, &pe);

	if (err)
		return err;
	dir = pe.directories[PE_DIRECTORY_DEBUG];
	if (!dir.len || dir.len / sizeof(e) > MAX_ENTRIES || pe_addr(&pe, dir, &addr))
		return -ENOENT;
	for (u32 i = 0; i < dir.len / sizeof(e); i++) {
		err = dotnet_read(rt, addr + i * sizeof(e), &e, sizeof(e));
		if (err)
			return err;
		err = e.type == TYPE_CODE_VIEW	? try_file(rt, &pe, &e, out)
		      : e.type == TYPE_EMBEDDED ? try_embedded(rt, &pe, &e, out)
						: -ENOENT;
		if (!err)
			return 0;
	}
	return -ENOENT;
}

/* The key of a line lookup. */
struct place {
	u64 module;
	u32 row; /* row of MethodDef */
	u32 il;
};

static const char *find_pdb_of(struct dotnet_runtime *rt, u64 addr, struct pdb **pdb)
{
	struct dotnet_module *module;

	if (dotnet_module_get(rt, addr, &module) || module->reason)
		return "module metadata not found";
	if (!module->was_pdb_sought) {
		module->was_pdb_sought = true;
		find_pdb(rt, module, &module->pdb);
	}
	*pdb = module->pdb;
	return *pdb ? NULL : "no portable PDB";
}

static const char *find_line(struct dotnet_runtime *rt, const struct place *at,
			     struct dotnet_line *line)
{
	struct pdb *pdb = NULL;
	const char *reason = find_pdb_of(rt, at->module, &pdb);
	struct pdb_line found;
	struct text file;

	if (reason)
		return reason;
	text_init(&file, line->file, sizeof(line->file));
	if (pdb_line(pdb, at->row, at->il, &found, &file) || file.is_cut)
		return "no line in PDB";
	line->line = found.line;
	line->start_line = found.start_line;
	line->start_column = found.start_column;
	return NULL;
}

static int place_compiled(struct dotnet_runtime *rt, const struct dotnet_code *code, u64 pc,
			  struct place *at)
{
	struct dotnet_method method;
	u64 info;
	int err = dotnet_word(rt, code->header_addr, &info);

	if (!err)
		err = dotnet_method_read(rt, code->method_desc, &method);
	if (err || method.class == DOTNET_CLASS_DYNAMIC)
		return err ? err : -ENOENT;
	*at = (struct place){ method.module, method.token & 0xffffff, 0 };
	return debug_info_find(&rt->l->debug_info, rt->target, info, (u32)(pc - code->start_addr),
			       &at->il);
}

/*
 * Reads the debug information only if there is a PDB; most assemblies with ReadyToRun code have
 * none.
 */
static int place_precompiled(struct dotnet_runtime *rt, const struct dotnet_code *code, u64 pc,
			     struct place *at)
{
	struct debug_info_layout l = { .lacks_flags = true };
	u64 module = code->module;
	struct dotnet_method method;
	struct r2r_code f;
	struct pdb *pdb;
	struct r2r *r2r;
	u64 info;
	int err = dotnet_image_get(rt, code->image_addr, code->module, &r2r);

	if (!err && r2r->is_composite) {
		err = code->method_desc ? dotnet_method_read(rt, code->method_desc, &method)
					: -ENOENT;
		module = method.module;
	}
	if (!err && find_pdb_of(rt, module, &pdb))
		err = -ENOENT;
	if (!err)
		err = r2r_find(r2r, (u32)(pc - code->image_addr), &f);
	if (!err)
		err = r2r_debug_info(r2r, &f, &info);
	if (err)
		return err;
	l.is_bit_packed = r2r->major >= PACKED_MAJOR;
	*at = (struct place){ module, f.entry->row, 0 };
	return debug_info_find(&l, rt->target, info, (u32)(pc - code->start_addr), &at->il);
}

int dotnet_line_get(struct dotnet_runtime *rt, const struct dotnet_code *code, u64 pc,
		    struct dotnet_line *line)
{
	struct place at;
	int err;

	*line = (struct dotnet_line){ .reason = "no IL for this code" };
	if (code->kind == DOTNET_STUB || pc < code->start_addr || pc >= code->end_addr)
		return -ENOENT;
	dotnet_runtime_trim(rt);
	err = code->kind == DOTNET_R2R ? place_precompiled(rt, code, pc, &at)
				       : place_compiled(rt, code, pc, &at);
	if (err)
		return err == -ESRCH ? err : -ENOENT;
	line->reason = find_line(rt, &at, line);
	if (!line->reason)
		return 0;
	line->file[0] = 0;
	line->line = 0;
	return -ENOENT;
}

void dotnet_runtime_set_files(struct dotnet_runtime *rt,
			      int (*open_file)(void *data, u64 addr, const char *name), void *data)
{
	rt->open_file = open_file;
	rt->open_file_data = data;
}
