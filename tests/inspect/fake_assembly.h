/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A small hand-made assembly after ECMA-335: a PE32+ file whose only section contains the
 * CLI header and the metadata.
 *
 *	namespace Demo { class Outer<T> { ctor; class Inner { Work; Pick<M>; class <RunAsync>d__1
 *	{ MoveNext } } } class Empty {} }
 */

#include "../../core/types.h"

enum {
	FAKE_METADATA_OFF = 0x248, /* offset in the file; the RVA is 0x2048 */
	FAKE_OUTER = 2,
	FAKE_EMPTY = 3,
	FAKE_INNER = 4,
	FAKE_BODY = 5, /* rows of TypeDef */
	FAKE_CTOR = 1,
	FAKE_WORK = 2,
	FAKE_PICK = 3,
	FAKE_MOVE_NEXT = 4, /* rows of MethodDef */
};

struct fake_assembly {
	u8 bytes[4096];
	u32 len; /* length of the file */
	u32 metadata_len;
	u32 nested_off; /* file offset of the first row of NestedClass */
	u32 assembly_name_off; /* file offset of the assembly's name */
	u32 n_more; /* number of additional TypeRef rows; they shift all data after them */
};

/* @signature: the signature of method Pick without its length, at most 100 bytes. */
void fake_assembly_make(struct fake_assembly *a, const u8 *signature, u32 len);

/*
 * Makes another assembly with the same name, but with @n_more unused TypeRef rows and another
 * GUID.
 */
void fake_assembly_make_more(struct fake_assembly *a, const u8 *signature, u32 len, u32 n_more);

/* void (int, List<T>): the signature of Inner.Work, also used as that of Pick. */
extern const u8 fake_signature[9];
