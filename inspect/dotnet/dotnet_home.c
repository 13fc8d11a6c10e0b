/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * In its prologue, a method with an exception handler stores `this` into its frame by
 *
 *	mov %rdi,n(%rbp)
 *
 * in every tier. An OSR method does not store `this`: it uses the slot in the frame of the Tier0
 * body, and builds its own frame below that frame.
 *
 *	cfa - 16          Tier0's rbp points here; holds the caller's rbp
 *	      - 16 + this   PatchpointInfo of the Tier0 body: the home of its first local
 *	...
 *	      + d         OSR's rbp, by `lea d(%rsp),%rbp`
 *	cfa - 8 - total   sp after OSR's prologue; total is the sum of its UNWIND_INFO
 *
 * The Tier0 body is the code that the MethodDesc itself points to. Source: coreclr
 * jit/codegencommon.cpp (genGeneratePatchpointInfo, genFnProlog) and inc/patchpointinfo.h at
 * v8.0.33 and v10.0.14. x86-64 only.
 */

#include <errno.h>
#include <string.h>

#include "dotnet_home.h"
#include "dotnet_method.h"
#include "unwind_info.h"

#define PROLOGUE_LEN 96
#define HEADER_METHOD_DESC 0x18

static s32 read_s8(const u8 *p)
{
	return (s8)*p;
}

static s32 read_s32(const u8 *p)
{
	s32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Finds mov %rdi,n(%rbp). */
static int find_store(const u8 *code, struct dotnet_home *home)
{
	for (u32 i = 0; i + 7 <= PROLOGUE_LEN; i++) {
		if (code[i] != 0x48 || code[i + 1] != 0x89)
			continue;
		if (code[i + 2] == 0x7d) {
			*home = (struct dotnet_home){ read_s8(code + i + 3), i + 4 };
			return 0;
		}
		if (code[i + 2] == 0xbd) {
			*home = (struct dotnet_home){ read_s32(code + i + 3), i + 7 };
			return 0;
		}
	}
	return -ENOENT;
}

/*
 * Finds lea d(%rsp),%rbp, or mov %rsp,%rbp. Sets @d, and sets @end to the offset after the
 * instruction.
 */
static int find_frame(const u8 *code, s32 *d, u32 *end)
{
	for (u32 i = 0; i + 8 <= PROLOGUE_LEN; i++) {
		if (code[i] != 0x48)
			continue;
		if (code[i + 1] == 0x8d && code[i + 2] == 0x6c && code[i + 3] == 0x24) {
			*d = read_s8(code + i + 4);
			*end = i + 5;
			return 0;
		}
		if (code[i + 1] == 0x8d && code[i + 2] == 0xac && code[i + 3] == 0x24) {
			*d = read_s32(code + i + 4);
			*end = i + 8;
			return 0;
		}
		if (code[i + 1] == 0x8b && code[i + 2] == 0xec) {
			*d = 0;
			*end = i + 3;
			return 0;
		}
	}
	return -ENOENT;
}

static u32 undone_len(const struct unwind_info *info)
{
	u32 len = 0;

	for (u32 i = 0; i < info->n_codes; i++)
		if (info->codes[i].op == UNWIND_PUSH)
			len += 8;
		else if (info->codes[i].op == UNWIND_ALLOC)
			len += info->codes[i].value;
	return len;
}

/*
 * Finds the stack slot of `this`, relative to Tier0's rbp, in the debug information of the body
 * that the MethodDesc points to.
 */
static int find_tier0_home(struct dotnet_runtime *rt, u64 method_desc, s32 *off)
{
	u64 start, header, own, info;
	int err = dotnet_method_code(rt, method_desc, &start);

	if (!err)
		err = dotnet_word(rt, start - 8, &header);
	if (!err)
		err = dotnet_word(rt, header + HEADER_METHOD_DESC, &own);
	if (!err && own != method_desc)
		err = -ENOENT;
	if (!err)
		err = dotnet_word(rt, header, &info);
	return err ? err : debug_info_home(&rt->l->debug_info, rt->target, info, off);
}

static int find_osr_home(struct dotnet_runtime *rt, const struct dotnet_code *code, const u8 *bytes,
			 struct dotnet_home *home)
{
	struct dotnet_function f;
	struct unwind_info info;
	u32 end;
	s32 off, d;
	int err = find_tier0_home(rt, code->method_desc, &off);

	if (!err)
		err = dotnet_function_find(rt, code, code->start_addr, &f);
	if (!err)
		err = unwind_info_read(rt->target, f.unwind_addr, &info);
	if (!err)
		err = find_frame(bytes, &d, &end);
	if (!err)
		*home = (struct dotnet_home){ (s32)((u32)off + undone_len(&info) - 8 - (u32)d),
					      end };
	return err;
}

int dotnet_home_find(struct dotnet_runtime *rt, const struct dotnet_code *code,
		     struct dotnet_home *home)
{
	u8 bytes[PROLOGUE_LEN];
	int err = dotnet_read(rt, code->start_addr, bytes, sizeof(bytes));

	if (err)
		return err;
	if (dotnet_tier_get(rt, code) == DOTNET_TIER_OSR)
		return find_osr_home(rt, code, bytes, home);
	return find_store(bytes, home);
}
