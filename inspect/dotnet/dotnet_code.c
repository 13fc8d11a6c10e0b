/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The word before a method's first byte points to the method's RealCodeHeader:
 *
 *	code start - 8:  RealCodeHeader *
 *	RealCodeHeader   0x00 DebugInfo  0x08 EHInfo  0x10 GCInfo  0x18 MethodDesc
 *	                 0x20 u32 number of unwind entries, then, on x86-64,
 *	                      { begin, end, UNWIND_INFO } u32 each, relative to a common base
 *	                      (the first entry starts at the start of the code)
 *
 * A value of at most 15 is not a pointer but the kind of a block of stubs. The nibble map does not
 * contain a method's end; a method ends with its last unwind entry. These structures are the same
 * from .NET 6 to 10. Source: coreclr vm/codeman.h, RealCodeHeader and StubCodeBlockKind at
 * v10.0.14.
 */

#include <errno.h>
#include <stdint.h>

#include "dotnet_code.h"
#include "dotnet_image.h"
#include "dotnet_method.h"
#include "dotnet_range.h"
#include "dotnet_restored.h"
#include "nibble_map.h"
#include "r2r.h"

#define STUB_CODE_BLOCK_LAST 15
#define MAX_UNWIND_INFOS 4096 /* one per funclet */

struct code_header {
	u64 debug_info, eh_info, gc_info, method_desc;
	u32 n_unwind_infos;
};

struct unwind_entry {
	u32 begin, end, info;
};

const char *dotnet_stub_name(u32 kind)
{
	static const char *const names[] = {
		[1] = "jump stub",	  [2] = "precode",	   [3] = "dynamic helper",
		[4] = "stub precode",	  [5] = "fixup precode",   [6] = "VSD dispatch stub",
		[7] = "VSD resolve stub", [8] = "VSD lookup stub", [9] = "VSD vtable stub",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

static int find_end(struct dotnet_runtime *rt, u64 entries, u32 n, struct dotnet_code *code)
{
	struct unwind_entry first, last;
	int err;

	if (!n || n > MAX_UNWIND_INFOS)
		return -EINVAL;
	err = dotnet_read(rt, entries, &first, sizeof(first));
	if (!err)
		err = dotnet_read(rt, entries + (n - 1) * sizeof(last), &last, sizeof(last));
	if (err)
		return err;
	if (last.end <= first.begin)
		return -EINVAL;
	code->end_addr = code->start_addr + (last.end - first.begin);
	return 0;
}

static int read_header(struct dotnet_runtime *rt, struct dotnet_code *code)
{
	struct code_header h;
	int err = dotnet_word(rt, code->start_addr - 8, &code->header_addr);

	if (err)
		return err;
	if (code->header_addr <= STUB_CODE_BLOCK_LAST) {
		code->kind = DOTNET_STUB;
		code->stub_kind = (u32)code->header_addr;
		code->header_addr = 0;
		return code->stub_kind ? 0 : -EINVAL;
	}
	err = dotnet_read(rt, code->header_addr, &h,
			  offsetof(struct code_header, n_unwind_infos) + 4);
	if (err)
		return err;
	code->method_desc = h.method_desc;
	return find_end(rt, code->header_addr + 0x24, h.n_unwind_infos, code);
}

int dotnet_heap_read(struct dotnet_runtime *rt, u64 addr, struct dotnet_heap *out)
{
	struct dotnet_heap heap;
	int err = dotnet_read(rt, addr, &heap, sizeof(heap));

	if (!err && (heap.map_base > heap.start || heap.start >= heap.end))
		err = -EINVAL;
	if (!err)
		*out = heap;
	return err;
}

static int find_in_heap(struct dotnet_runtime *rt, u64 heap_addr, u64 pc, struct dotnet_code *code)
{
	struct nibble_map map = { rt->target,
				  .is_constant_time = rt->l->nibbles_are_constant_time };
	struct dotnet_heap heap;
	int err = dotnet_heap_read(rt, heap_addr, &heap);

	if (err)
		return err;
	if (pc < heap.start || pc >= heap.end)
		return -ENOENT;
	map.map_addr = heap.header_map;
	map.base_addr = heap.map_base;
	map.code_len = heap.end - heap.map_base;
	err = nibble_map_find(&map, pc, &code->start_addr);
	if (err)
		return err;
	code->kind = DOTNET_METHOD;
	err = read_header(rt, code);
	/* An address between two methods or after the last method of the heap is in no code. */
	return err || !code->end_addr || pc < code->end_addr ? err : -ENOENT;
}

/*
 * In a composite image, only the runtime's table identifies the component of a method; that table
 * must have the same row as the image.
 */
static int find_method(struct dotnet_runtime *rt, u32 row, struct dotnet_code *code)
{
	struct dotnet_method method;
	u64 method_desc;
	int err = dotnet_restored_find(rt, code->module, code->start_addr, &method_desc);

	if (!err)
		err = dotnet_method_read(rt, method_desc, &method);
	if (!err && (method.token & 0xffffff) == row)
		code->method_desc = method_desc;
	return err == -ESRCH ? err : 0;
}

/* If the index of an image is unreadable, the code is found but has no name. */
static int find_in_image(struct dotnet_runtime *rt, const struct dotnet_section *s, u64 pc,
			 struct dotnet_code *code)
{
	struct r2r *r2r;
	struct r2r_code f;
	int err = dotnet_image_get(rt, s->start_addr, s->heap, &r2r);

	*code = (struct dotnet_code){ DOTNET_R2R, s->start_addr, 0 };
	code->image_addr = s->start_addr;
	code->module = s->heap;
	if (err)
		return err == -ENOENT ? 0 : err;
	if (pc - s->start_addr > UINT32_MAX)
		return -EINVAL;
	err = r2r_find(r2r, (u32)(pc - s->start_addr), &f);
	if (err)
		return err;
	code->start_addr = s->start_addr + f.begin;
	code->end_addr = s->start_addr + f.end;
	return r2r->is_composite ? find_method(rt, f.entry->row, code) : 0;
}

int dotnet_code_find(struct dotnet_runtime *rt, u64 pc, struct dotnet_code *out)
{
	struct dotnet_code code = {};
	struct dotnet_section s;
	int err;

	dotnet_runtime_trim(rt);
	err = dotnet_section_find(rt, pc, &s);
	if (err)
		return err;
	switch (s.kind) {
	case DOTNET_SECTION_HEAP:
		err = find_in_heap(rt, s.heap, pc, &code);
		break;
	case DOTNET_SECTION_STUBS:
		code = (struct dotnet_code){ DOTNET_STUB, s.start_addr, s.end_addr };
		err = dotnet_read(rt, s.heap + rt->l->range_list_kind, &code.stub_kind, 4);
		break;
	case DOTNET_SECTION_R2R:
		err = find_in_image(rt, &s, pc, &code);
		break;
	}
	if (!err)
		*out = code;
	return err;
}

/* For JIT-compiled code, searches the header's unwind entries, which are few and sorted. */
static int find_entry(struct dotnet_runtime *rt, const struct dotnet_code *code, u64 pc,
		      struct dotnet_function *f)
{
	u64 base = 0;
	u32 n;
	int err = dotnet_read(rt, code->header_addr + 0x20, &n, sizeof(n));

	if (!err && n > MAX_UNWIND_INFOS)
		err = -EINVAL;
	for (u32 i = 0; !err && i < n; i++) {
		struct unwind_entry e;

		err = dotnet_read(rt, code->header_addr + 0x24 + (u64)i * sizeof(e), &e, sizeof(e));
		if (err)
			return err;
		if (!i)
			base = code->start_addr - e.begin;
		if (pc >= base + e.begin && pc < base + e.end) {
			*f = (struct dotnet_function){ base + e.begin, base + e.end,
						       base + e.info };
			return 0;
		}
	}
	return err ? err : -ENOENT;
}

int dotnet_function_find(struct dotnet_runtime *rt, const struct dotnet_code *code, u64 pc,
			 struct dotnet_function *f)
{
	struct r2r *r2r;
	struct r2r_function found;
	int err;

	if (code->kind == DOTNET_METHOD)
		return find_entry(rt, code, pc, f);
	if (code->kind != DOTNET_R2R || pc < code->image_addr || pc - code->image_addr > UINT32_MAX)
		return -ENOENT;
	err = dotnet_image_get(rt, code->image_addr, code->module, &r2r);
	if (!err)
		err = r2r_function_find(r2r, (u32)(pc - code->image_addr), &found);
	if (!err)
		*f = (struct dotnet_function){ code->image_addr + found.begin,
					       code->image_addr + found.end,
					       code->image_addr + found.unwind };
	return err;
}
