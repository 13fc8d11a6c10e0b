/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes unwind rows for ReadyToRun code from the image's file: from the runtime functions and their
 * UNWIND_INFO, as cfi.h makes rows from call frame information.
 */

#include "../unwind/rules.h"
#include "../target/target.h"

struct r2r_rows;

/**
 * r2r_rows_open() - open the ReadyToRun image in a file
 * @r:		the new object, free with r2r_rows_free()
 * @fd:		open regular file; borrowed until return
 * @image_off:	file offset of the image, which is not 0 in single-file programs
 *
 * x86-64 only. Return: 0, -ENOEXEC (no such image, or crafted data), -ENOMEM or the errno of
 * reading.
 */
int r2r_rows_open(struct r2r_rows **r, int fd, u64 image_off);
void r2r_rows_free(struct r2r_rows **r);

/**
 * r2r_rows_image_off() - find the file offset of an image that a process has mapped
 * @base:	address of the image
 * @start_addr, @end_addr: executable mapping, a part of the image
 * @file_off:	offset of @start_addr in the file
 * @image_off:	filled on success
 *
 * Return: 0, -ENOEXEC (no such image, or the mapping is not one of its sections) or the errno of
 * reading.
 */
int r2r_rows_image_off(struct target *t, u64 base, u64 start_addr, u64 end_addr, u64 file_off,
		       u64 *image_off);

/* Gets the range of file offsets that contains the image's code. */
void r2r_rows_span(const struct r2r_rows *r, u64 *start_off, u64 *end_off);

/**
 * r2r_rows_page() - get the rows of one page of the file
 * @rules:	receives the rules
 * @page_off:	offset in the file, a multiple of UW_ROW_PAGE_LEN
 * @rows:	room for UW_MAX_PAGE_ROWS
 * @n:		set to the number of rows, at least 1
 *
 * There are no separate rows for epilogues, because the walk recognizes them by their instructions.
 *
 * Return: 0, -ENOENT (the page has no code) or the errno of reading.
 */
int r2r_rows_page(const struct r2r_rows *r, struct rules *rules, u64 page_off, u32 *rows, u32 *n);
