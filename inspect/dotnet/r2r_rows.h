/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Unwind rows of code that was compiled ahead of time (ReadyToRun), from the image's file: its
 * runtime functions and their UNWIND_INFO, as cfi.h makes them of call frame information.
 */

#include "../unwind/rules.h"
#include "../target/target.h"

struct r2r_rows;

/**
 * r2r_rows_open() - the ReadyToRun image that a file is, or has in it
 * @r:		the new object, free with r2r_rows_free()
 * @fd:		open file, regular; borrowed until it returns
 * @image_off:	where the image begins in the file: not 0 in programs that are a single file
 *
 * x86-64 only. Return: 0, -ENOEXEC (no such image, or crafted), -ENOMEM or what reading gave.
 */
int r2r_rows_open(struct r2r_rows **r, int fd, u64 image_off);
void r2r_rows_free(struct r2r_rows **r);

/**
 * r2r_rows_image_off() - where in its file an image begins that a process has mapped
 * @base:	of the image
 * @start_addr, @end_addr: executable mapping, a part of the image
 * @file_off:	of @start_addr in the file
 * @image_off:	filled on success
 *
 * Return: 0, -ENOEXEC (no such image, or the mapping is none of its sections) or what reading
 * gave.
 */
int r2r_rows_image_off(struct target *t, u64 base, u64 start_addr, u64 end_addr, u64 file_off,
		       u64 *image_off);

/* The offsets in the file between which its code lies. */
void r2r_rows_span(const struct r2r_rows *r, u64 *start_off, u64 *end_off);

/**
 * r2r_rows_page() - the rows of one page of the file
 * @rules:	where its rules are entered
 * @page_off:	offset in the file, a multiple of UW_ROW_PAGE_LEN
 * @rows:	room for UW_MAX_PAGE_ROWS
 * @n:		at least 1
 *
 * Epilogues have no rows of their own: the walk tells them by their instructions.
 *
 * Return: 0, -ENOENT (no code is there) or what reading gave.
 */
int r2r_rows_page(const struct r2r_rows *r, struct rules *rules, u64 page_off, u32 *rows, u32 *n);
