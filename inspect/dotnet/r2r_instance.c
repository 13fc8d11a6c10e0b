/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The signature of an instantiated method is a sequence of compressed integers:
 *
 *	flags  [0x80: module]  [0x40: type that declares it]  row of MethodDef  [4: n, n types]
 *
 * Other flags (a MemberRef, constrained calls) do not occur in images of .NET 8 to 10; a signature
 * with such flags is refused with -ENOTSUP. Types are encoded as in ECMA-335 II.23.2.12; two codes
 * are the runtime's: 0x3e is the shared __Canon, 0x3f a type of another module. Source: coreclr
 * docs/design/coreclr/botr/readytorun-format.md at v10.0.14, "Fixup signatures".
 */

#include <errno.h>

#include "metadata_number.h"
#include "r2r.h"

#define MAX_DEPTH 16

enum { FLAG_METHOD_INSTANTIATION = 4, FLAG_OWNER = 0x40, FLAG_MODULE = 0x80 };

static int take(const u8 **p, const u8 *end, u32 *value)
{
	int n = metadata_uint(*p, (size_t)(end - *p), value);

	if (n < 0)
		return -ENOTSUP;
	*p += n;
	return 0;
}

static int skip_type(const u8 **p, const u8 *end, int depth);

static int skip_types(const u8 **p, const u8 *end, int depth)
{
	u32 n;
	int err = take(p, end, &n);

	for (u32 i = 0; !err && i < n; i++)
		err = skip_type(p, end, depth);
	return err;
}

static int skip_numbers(const u8 **p, const u8 *end)
{
	u32 n, ignored;
	int err = take(p, end, &n);

	for (u32 i = 0; !err && i < n; i++)
		err = take(p, end, &ignored);
	return err;
}

static int skip_array(const u8 **p, const u8 *end, int depth)
{
	u32 rank;
	int err = skip_type(p, end, depth);

	if (!err)
		err = take(p, end, &rank);
	if (!err)
		err = skip_numbers(p, end);
	return err ? err : skip_numbers(p, end);
}

static int skip_type(const u8 **p, const u8 *end, int depth)
{
	u32 code, ignored;
	int err = depth == MAX_DEPTH ? -ENOTSUP : take(p, end, &code);

	if (err)
		return err;
	switch (code) {
	case 0x11: /* VALUETYPE, CLASS: token */
	case 0x12:
	case 0x13: /* VAR, MVAR: number */
	case 0x1e:
	case 0x22:
		return take(p, end, &ignored);
	case 0x0f: /* PTR, BYREF, SZARRAY, PINNED */
	case 0x10:
	case 0x1d:
	case 0x45:
		return skip_type(p, end, depth + 1);
	case 0x14:
		return skip_array(p, end, depth + 1);
	case 0x15: /* GENERICINST */
		err = skip_type(p, end, depth + 1);
		return err ? err : skip_types(p, end, depth + 1);
	case 0x1f: /* before a type: a modifier's token, or another module's number */
	case 0x20:
	case 0x3f:
		err = take(p, end, &ignored);
		return err ? err : skip_type(p, end, depth + 1);
	default:
		return code <= 0x1c || code == 0x3e ? 0 : -ENOTSUP;
	}
}

int r2r_instance_get(const u8 *bytes, const u8 *end, struct r2r_instance *out, const u8 **after)
{
	struct r2r_instance i = { .end = end };
	const u8 *p = bytes;
	u32 flags, ignored;
	int err = take(&p, end, &flags);

	if (err || flags & ~(u32)(FLAG_OWNER | FLAG_METHOD_INSTANTIATION | FLAG_MODULE))
		return -ENOTSUP;
	i.is_elsewhere = flags & FLAG_MODULE;
	if (i.is_elsewhere)
		err = take(&p, end, &ignored);
	if (!err && flags & FLAG_OWNER) {
		i.owner = p;
		err = skip_type(&p, end, 0);
	}
	if (!err)
		err = take(&p, end, &i.row);
	if (!err && flags & FLAG_METHOD_INSTANTIATION) {
		err = take(&p, end, &i.n_arguments);
		i.arguments = p;
		for (u32 k = 0; !err && k < i.n_arguments; k++)
			err = skip_type(&p, end, 0);
	}
	if (err)
		return err;
	*out = i;
	*after = p;
	return 0;
}
