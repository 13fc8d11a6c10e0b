/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reads the names of Toy's functions in another process. In the product, this would be
 * inspect/toy/. A program with Toy has a symbol `toy_functions`, the table of its functions at run
 * time:
 *
 *	u64 n
 *	n times	u64 start_addr, end_addr; char name[16]
 */

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/target/target.h"

#define TOY_MAX_FUNCTIONS 4096
#define TOY_NAME_LEN 16

struct toy_function {
	u64 start_addr, end_addr;
	char name[TOY_NAME_LEN + 1]; /* NUL-terminated even if the name in the table is not */
};

/* Gets the link-time address of the table. Returns 0, -ENOENT or the error of a failed read. */
int toy_table_find(struct elf_file *elf, u64 *addr);

/**
 * toy_function_at() - find the function at an address
 * @table_addr:	address of the table in the process
 * @pc:		an address in the function; for a return address, subtract one
 *
 * Return: 0, -ENOENT if no function has @pc, -EINVAL if this can't be a table, -EFAULT or -ESRCH.
 */
int toy_function_at(struct target *t, u64 table_addr, u64 pc, struct toy_function *f);
