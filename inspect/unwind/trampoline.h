/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Unwind rows of memory that a JIT has filled with copies of one trampoline. With -X perf, CPython
 * calls each Python function through its own copy, so that the address of the copy identifies the
 * function (Python/asm_trampoline.S and Python/perf_trampoline.c at v3.12.0 and v3.13.0):
 *
 *	         endbr64            optional
 *	         sub  $n, %rsp      cfa = sp + 8 up to the end of this instruction
 *	         call *%reg         cfa = sp + 8 + n
 *	         add  $n, %rsp
 *	         ret                cfa = sp + 8
 *	         zeros              up to 16 bytes; the next copy follows
 *
 * Only memory that contains nothing else is described, because other code of a JIT may change at
 * any time. On arm64 a trampoline keeps a frame record.
 */

#include "paint.h"

#define TRAMPOLINE_LEN 16 /* a copy and its padding, bytes */
#define TRAMPOLINES_LEN 65536u /* copies in one mapping of CPython, bytes */

struct trampoline {
	u8 code[TRAMPOLINE_LEN];
	u8 call_off, ret_off,
		end_off; /* offsets of the call and ret instructions, and of the end */
	u8 frame_len; /* n */
};

/* Parses TRAMPOLINE_LEN bytes of code. Return: whether they are a trampoline. */
bool trampoline_parse(struct trampoline *t, const u8 *code);

/* Return: whether @bytes has only copies; @len is a multiple of TRAMPOLINE_LEN. */
bool trampoline_fills(const struct trampoline *t, const u8 *bytes, size_t len);

/**
 * trampoline_open() - read a file that trampoline_write() has made
 *
 * Return: 0, -ENOEXEC (another file) or the errno of reading.
 */
int trampoline_open(struct trampoline *t, int fd);

/* Writes TRAMPOLINES_LEN bytes of copies to an empty file. Return: 0 or a negative errno. */
int trampoline_write(const struct trampoline *t, int fd);

/* Makes the rows of a page of copies, UW_MAX_PAGE_ROWS at most. Return: their number. */
u32 trampoline_page(const struct trampoline *t, struct rules *rules, u32 *rows);
