/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Toy from outside: inspect/toy/, if it were the product's. A program with Toy in it has a symbol
 * `toy_functions`, where its functions are named while it runs:
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
	char name[TOY_NAME_LEN + 1]; /* terminated, whatever the table has */
};

/* The link-time address of the table. 0, -ENOENT or what reading gave. */
int toy_table_find(struct elf_file *elf, u64 *addr);

/**
 * toy_function_at() - the function at an address
 * @table_addr:	in the process
 * @pc:		of a return address: minus one
 *
 * Return: 0, -ENOENT (none), -EINVAL (this can't be a table), -EFAULT or -ESRCH.
 */
int toy_function_at(struct target *t, u64 table_addr, u64 pc, struct toy_function *f);
