/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Definitions of the format that reader and writer share. Private to inspect/case. */

#include "../util/search.h"
#include "case.h"

#include <jansson.h>

#define CASE_NOTE_NAME "Unspool"
#define CASE_NOTE_TYPE 0x4e4f534a /* "JSON" in ASCII; no other note has this type */
#define CASE_PAGE_LEN 4096

#define CASE_MAX_LEN (256ull << 20) /* maximum length of an uncompressed case */
#define CASE_MAX_NOTES_LEN (32u << 20) /* of all note segments together */
#define CASE_MAX_SEGMENTS 65000 /* e_phnum has 16 bits */
#define CASE_MAX_MAPPINGS 65536
#define CASE_MAX_BUILDS 64
#define CASE_MAX_LIST 1000000

/* Index of the first of @n elements that ends at or above @addr. Ends are inclusive. */
#define CASE_FIRST_AT(list, n, addr)                                                               \
	((u32)search_first(n, i_, (list)[i_].addr + ((list)[i_].len - 1) < (addr)))

#define CASE_NO_REG (-1)

/* The registers in an architecture's NT_PRSTATUS. */
struct case_machine {
	const char *name;
	u16 machine; /* EM_* */
	u8 n_regs;
	u8 pc, sp, fp; /* indexes in NT_PRSTATUS */
	s8 lr; /* or CASE_NO_REG */
	u8 n_scratch, scratch[UW_N_SCRATCH]; /* indexes in NT_PRSTATUS */
};

extern const struct case_machine case_machines[CASE_N_ARCHS];

/*
 * struct elf_prstatus of 64-bit Linux up to and including pr_reg; pr_fpvalid follows.
 * include/linux/elfcore.h at v6.1; identical on both architectures.
 */
#define CASE_PRSTATUS_SIG_OFF 12
#define CASE_PRSTATUS_PID_OFF 32
#define CASE_PRSTATUS_REGS_OFF 112
#define CASE_PRSTATUS_TAIL_LEN 8

/* Fields of struct v8_async except the types; the names of these fields are keys of the note. */
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

/* The note's words for the values of an enum, in the enum's order; NULL-terminated. */
extern const char *const case_origin_words[];
extern const char *const case_holds_words[];
extern const char *const case_map_kind_words[];
extern const char *const case_kind_words[];
extern const char *const case_frame_flag_words[]; /* indexed by bit number */
extern const char *const case_async_type_words[]; /* indexed by enum v8_async_type */
extern const char *const case_cfa_words[];
extern const char *const case_saved_words[];
extern const char *const case_status_words[];

/* Formats "@path: ..." into @error; omits "@path: " if @path is NULL. Return: @err. */
int case_fail(struct case_error *error, int err, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * case_check() - check the invariants of a case
 * @why:	set to the reason, one line without a file name
 *
 * Return: 0, -EINVAL or -E2BIG.
 */
int case_check(const struct case_file *c, struct case_error *why);

/**
 * case_state() - check that the @len (not 0) bytes at @addr are known
 * @first:	receives the index of the range that contains @addr
 *
 * Return: 0, -EFAULT when a byte lies in a fault, -ENODATA when one is not recorded.
 */
int case_state(const struct case_file *c, u64 addr, u32 len, u32 *first);

/* Makes the note as JSON. Return: NULL if out of memory. */
json_t *case_note_json(const struct case_file *c);

/*
 * Dumps the note as text with jansson's @flags. Return: the text, to be freed with free(), or NULL
 * if out of memory.
 */
char *case_note_dump(const struct case_file *c, size_t flags, size_t *len);

/**
 * case_note_read() - read a note into a case
 * @note:	the parsed JSON; strings of @c point into it
 * @c:		receives arrays; free them with case_note_deinit(), also after a failure
 * @why:	set to the reason, one line
 *
 * Return: 0, -EINVAL for an invalid value, -ENOTSUP for another format, or -ENOMEM.
 */
int case_note_read(const json_t *note, struct case_file *c, struct case_error *why);
void case_note_deinit(struct case_file *c);
