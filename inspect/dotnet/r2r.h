/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * ReadyToRun: the code compiled ahead of time in an assembly's image, and the methods that
 * the code belongs to.
 */

#include "../target/target.h"
#include "pe.h"

/* A method, or an instantiation of a generic method, whose funclets follow the body. */
struct r2r_entry {
	u32 function; /* index of the method's first runtime function */
	u32 row; /* row of MethodDef; in a composite image, of an unknown component */
	u32 instance_off; /* offset of the signature in r2r.instances; 0: no instantiation */
};

struct r2r {
	struct target *target;
	u64 base_addr;
	u64 functions_addr;
	u32 n_functions;
	struct r2r_entry *entries; /* sorted by function */
	u32 n_entries;
	u8 *instances;
	u32 instances_len;
	u32 debug_rva, debug_len; /* section of debug information; 0: none */
	u8 *debug; /* a copy, read on first use; NULL until then */
	u16 major; /* version of the format */
	bool is_composite;
};

/**
 * r2r_new() - read the index of a ReadyToRun image
 * @r:		the new object, free with r2r_free()
 * @base:	address of the image, which is mapped section by section
 *
 * x86-64 only. Return: 0, -ENOEXEC (no such image, or crafted data), -ENOTSUP (no index of methods,
 * or functions that are split into parts), -ENOMEM or the errno of reading.
 */
int r2r_new(struct r2r **r, struct target *t, u64 base);
void r2r_free(struct r2r **r);

/* A method's code, which is consecutive runtime functions: the body, then the funclets. */
struct r2r_code {
	const struct r2r_entry *entry; /* borrowed */
	u32 begin, end; /* RVAs of all of the method's functions */
};

/**
 * r2r_find() - find the method at an RVA
 * @code:	filled on success
 *
 * Return: 0, -ENOENT (no code is at this RVA) or the errno of reading.
 */
int r2r_find(const struct r2r *r, u32 rva, struct r2r_code *code);

/**
 * r2r_debug_info() - find the debug information of a method
 * @code:	from r2r_find()
 * @addr:	for debug_info_find()
 *
 * Return: 0, -ENOENT (the method has none), -ENOEXEC (crafted data), -ENOMEM or the errno of
 * reading.
 */
int r2r_debug_info(struct r2r *r, const struct r2r_code *code, u64 *addr);

/*
 * Gets the range of an image's runtime functions. Returns 0, -ENOEXEC, -ENOTSUP or the errno of
 * reading.
 */
int r2r_functions_range(const struct pe *pe, struct pe_range *range);

/* A runtime function: the RVAs of its begin and end and of its UNWIND_INFO. */
struct r2r_function {
	u32 begin, end, unwind;
};

/* Finds the function at an RVA. Returns 0, -ENOENT or the errno of reading. */
int r2r_function_find(const struct r2r *r, u32 rva, struct r2r_function *f);

/* The decoded signature of an instantiated method (instance_off). */
struct r2r_instance {
	const u8 *owner; /* the type that declares the method; NULL: the row's own type */
	const u8 *arguments; /* the method's own type arguments, n_arguments types */
	const u8 *end; /* end of the readable bytes */
	u32 n_arguments;
	u32 row;
	bool is_elsewhere; /* row and types refer to another module */
};

/* Decodes a signature. Returns 0 or -ENOTSUP (unknown encoding). */
int r2r_instance_get(const u8 *bytes, const u8 *end, struct r2r_instance *instance,
		     const u8 **after);
