/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * MethodDescs are in chunks. A chunk's header has the data that is common to its methods:
 *
 *	MethodDescChunk { MethodTable, next, u8 size, u8 count, u16 token range }   24 bytes
 *	MethodDesc      { u16 token remainder, u8 index in units of 8, ..., u16 flags at 6 }
 *
 *	chunk = MethodDesc - 8 * index - 24
 *	row   = (token range << bits) | (remainder & ((1 << bits) - 1))
 *
 * After a MethodDesc that is neither generic nor dynamic come these parts, each only if its flag is
 * set:
 *
 *	0x08  the method's own slot, 8 bytes
 *	0x10  the methods that it overrides, 16 bytes
 *	0x20  the address of its first code
 *
 * Source: coreclr vm/method.hpp at v6.0.36 to v10.0.14; confirmed by measurement on 8, 9 and 10.
 */

#include <errno.h>

#include "dotnet_method.h"
#include "dotnet_type.h"

#define CHUNK_LEN 24
#define CLASS_IL 0
#define HAS_SLOT 0x08
#define HAS_OVERRIDES 0x10
#define HAS_CODE 0x20
#define IS_TIERED 0x8000 /* eligible for tiered compilation; known since .NET 8 */
#define TOKEN_METHOD_DEF 0x06000000u

struct method_chunk {
	u64 type, next;
	u8 size, count;
	u16 token_range;
	u32 padding;
};

struct method_desc {
	u16 token_remainder;
	u8 chunk_index, flags2;
	u16 slot, flags;
};

static u32 row_of(const struct dotnet_layout *l, const struct method_chunk *c,
		  const struct method_desc *d)
{
	u32 low = (1u << l->token_bits) - 1, high = (1u << (24 - l->token_bits)) - 1;

	return (c->token_range & high) << l->token_bits | (d->token_remainder & low);
}

int dotnet_method_read(struct dotnet_runtime *rt, u64 method_desc, struct dotnet_method *out)
{
	struct dotnet_method m = { .addr = method_desc };
	struct method_chunk chunk;
	struct method_desc desc;
	u64 chunk_addr;
	int err = method_desc & 7 ? -EINVAL : dotnet_read(rt, method_desc, &desc, sizeof(desc));

	if (err)
		return err;
	m.class = desc.flags & 7;
	m.is_tiered = desc.token_remainder & IS_TIERED;
	chunk_addr = method_desc - 8ull * desc.chunk_index - CHUNK_LEN;
	err = dotnet_read(rt, chunk_addr, &chunk, sizeof(chunk));
	if (!err)
		err = dotnet_word(rt, chunk.type + DOTNET_TYPE_MODULE, &m.module);
	if (err)
		return err;
	m.type = chunk.type;
	m.token = TOKEN_METHOD_DEF | row_of(rt->l, &chunk, &desc);
	*out = m;
	return 0;
}

int dotnet_method_code(struct dotnet_runtime *rt, u64 method_desc, u64 *start)
{
	u64 addr = method_desc + rt->l->method_desc_len;
	struct method_desc desc;
	int err = method_desc & 7 ? -EINVAL : dotnet_read(rt, method_desc, &desc, sizeof(desc));

	if (err)
		return err;
	if ((desc.flags & 7) != CLASS_IL || !(desc.flags & HAS_CODE))
		return -ENOENT;
	addr += desc.flags & HAS_SLOT ? 8 : 0;
	addr += desc.flags & HAS_OVERRIDES ? 16 : 0;
	err = dotnet_word(rt, addr, start);
	return err || *start ? err : -ENOENT;
}
