/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The format as both directions know it. Private to inspect/case. */

#include "../util/search.h"
#include "case.h"

#include <jansson.h>

#define CASE_NOTE_NAME "Unspool"
#define CASE_NOTE_TYPE 0x4e4f534a /* "JSON": no number that a reader of notes takes for its own */
#define CASE_PAGE_LEN 4096

#define CASE_MAX_LEN (256ull << 20) /* of a case, expanded */
#define CASE_MAX_NOTES_LEN (32u << 20)
#define CASE_MAX_SEGMENTS 65000 /* e_phnum has 16 bits */
#define CASE_MAX_MAPPINGS 65536
#define CASE_MAX_BUILDS 64
#define CASE_MAX_LIST 1000000

/* Index of the first of @n elements that ends at or above @addr. Ends are inclusive. */
#define CASE_FIRST_AT(list, n, addr)                                                               \
	((u32)search_first(n, i_, (list)[i_].addr + ((list)[i_].len - 1) < (addr)))

/* An architecture's NT_PRSTATUS: where registers are in it. */
struct case_machine {
	const char *name;
	u16 machine; /* EM_* */
	u8 n_regs;
	u8 pc, sp, fp; /* index of each */
	s8 lr; /* -1: there is none */
	u8 n_scratch, scratch[UW_N_SCRATCH]; /* index of each */
};

extern const struct case_machine case_machines[CASE_N_ARCHS];

/*
 * struct elf_prstatus of Linux, 64 bits, up to and with pr_reg; behind it pr_fpvalid.
 * include/linux/elfcore.h at v6.1; the same on both architectures.
 */
#define CASE_PRSTATUS_SIG_OFF 12
#define CASE_PRSTATUS_PID_OFF 32
#define CASE_PRSTATUS_REGS_OFF 112
#define CASE_PRSTATUS_TAIL_LEN 8

/* Fields of struct v8_async, beside the types: keys of the note. */
#define CASE_ASYNC_FIELDS(X)                                                                       \
	X(job_off)                                                                                 \
	X(job_len)                                                                                 \
	X(map_type_off)                                                                            \
	X(context_off)                                                                             \
	X(id_off)                                                                                  \
	X(fulfill_off)                                                                             \
	X(await_id)                                                                                \
	X(generate_id)                                                                             \
	X(element_id)                                                                              \
	X(resolve_id)

/* Words for enums: the note's. NULL-terminated, by value. */
extern const char *const case_origin_words[];
extern const char *const case_holds_words[];
extern const char *const case_map_kind_words[];
extern const char *const case_kind_words[];
extern const char *const case_frame_flag_words[]; /* by bit */
extern const char *const case_async_type_words[]; /* by enum v8_async_type */
extern const char *const case_cfa_words[];
extern const char *const case_saved_words[];
extern const char *const case_status_words[];

/* Says "@path: ..." (no path: only the rest). Return: @err. */
int case_fail(struct case_error *error, int err, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * case_check() - is it a case that can be?
 * @why:	one line, without a name of a file
 *
 * Return: 0, -EINVAL or -E2BIG.
 */
int case_check(const struct case_file *c, struct case_error *why);

/**
 * case_state() - is all of @addr, @len (not 0) known?
 * @first:	gets the index of the range that holds @addr
 *
 * Return: 0, -EFAULT when a read of it fails, -ENODATA when that is not recorded.
 */
int case_state(const struct case_file *c, u64 addr, u32 len, u32 *first);

/* The note, dumped with jansson's @flags: text to free(), or NULL without memory. */
/* The note; NULL without memory. */
json_t *case_note_json(const struct case_file *c);
char *case_note_dump(const struct case_file *c, size_t flags, size_t *len);

/**
 * case_note_read() - what a note says
 * @note:	the tree; strings of @c point into it
 * @c:		gets arrays that case_note_deinit() frees, also after a failure
 * @why:	one line
 *
 * Return: 0, -EINVAL for what no case has, -ENOTSUP for another format, or -ENOMEM.
 */
int case_note_read(const json_t *note, struct case_file *c, struct case_error *why);
void case_note_deinit(struct case_file *c);
