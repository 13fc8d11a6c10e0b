/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * An ELF file: build id, segments, symbols, bytes. The file belongs to a target, so it may be
 * hostile. Therefore only regular files are opened, without blocking; sizes are capped; and the
 * file is read and checked by libelf, but never mapped.
 */

#include "../../core/types.h"

struct elf_file;
struct Elf_Scn; /* of libelf */

struct elf_symbol {
	const char *name; /* as in the string table, at most 64 KiB; valid only during the call */
	u64 name_off; /* file offset of the name */
	u64 addr; /* link-time address */
	u64 len; /* 0: unknown */
	u8 type; /* STT_* */
	u8 bind; /* STB_* */
	bool defined;
	bool in_text; /* the symbol's section holds instructions */
	bool is_dynamic; /* from .dynsym */
};

/* A PT_LOAD. */
struct elf_segment {
	u64 addr, file_off, file_len, mem_len;
	bool is_exec;
};

/**
 * elf_file_open_fd() - read an ELF file
 * @file:	the new object, free with elf_file_free()
 * @fd:		open file; borrowed; may be closed afterwards
 *
 * Return: 0, -EINVAL (not a regular file), -ENOEXEC (not a little-endian ELF64, or
 * crafted), -EFBIG, -ENOMEM or the errno of reading.
 */
int elf_file_open_fd(struct elf_file **file, int fd);

/*
 * As elf_file_open_fd(), but opens the file at @path; also returns the errors of open(2). Never
 * blocks on special files.
 */
int elf_file_open(struct elf_file **file, const char *path);
void elf_file_free(struct elf_file **file);

/* The descriptor that @f owns; borrowed. */
int elf_file_fd(const struct elf_file *f);

/* The machine, EM_*; EM_NONE if the ELF header is unreadable. */
u16 elf_file_machine(const struct elf_file *f);

/* The libelf handle, for queries that have no function here; borrowed. */
struct Elf *elf_file_elf(const struct elf_file *f);

/**
 * elf_file_section() - get the bytes of a section, decompressed
 * @name:	name of the section
 * @max_len:	a section longer than this is refused
 * @bytes:	borrowed, valid while the file is open
 *
 * Return: 0, -ENOENT (no such section, or no bytes in this file), -EFBIG, -ENOEXEC.
 */
int elf_file_section(struct elf_file *f, const char *name, u64 max_len, const u8 **bytes,
		     size_t *len);

/* The decompressed length of a section; 0: there is none. */
u64 elf_file_section_len(struct elf_file *f, const char *name);

/*
 * The link-time addresses of a section that is loaded, also if the file is a debug file, which has
 * only its header; false: there is none.
 */
bool elf_file_section_span(struct elf_file *f, const char *name, u64 *start, u64 *end);

/* The build id in lower-case hex, or NULL if there is none. Valid while the file is open. */
const char *elf_file_build_id(const struct elf_file *f);

/* The PT_LOADs and their number; valid while the file is open. */
const struct elf_segment *elf_file_segments(const struct elf_file *f, size_t *n);

/*
 * Translate between file offsets and link-time addresses through the PT_LOADs. If segments share
 * bytes of the file, an offset belongs to the executable segment. Return: 0 or -ERANGE.
 */
int elf_file_off_to_addr(const struct elf_file *f, u64 off, u64 *addr);
int elf_file_addr_to_off(const struct elf_file *f, u64 addr, u64 *off);

/**
 * elf_file_may_load() - count bytes that libelf is about to load for this file
 *
 * libelf keeps what it loads until elf_file_free(), and a section may be a hole of a sparse file.
 * Call this before elf_getdata(), elf_rawdata() and the like.
 *
 * Return: false if the bytes exceed the limit for a file, 96 MiB.
 */
bool elf_file_may_load(struct elf_file *f, u64 len);

/* As elf_file_may_load(), for a whole section, which counts only once. */
bool elf_file_may_load_section(struct elf_file *f, struct Elf_Scn *scn);

/* As elf_file_off_to_addr(), but for a copy of the segments, which may outlive the file. */
int elf_segments_off_to_addr(const struct elf_segment *s, size_t n, u64 off, u64 *addr);

/**
 * elf_file_bias() - compute the load bias from an executable mapping of the file
 * @start:	start address of the mapping
 * @file_off:	file offset of @start, at most a page before the segment's first byte
 * @bias:	address in the process minus link-time address
 *
 * Return: 0 or -ERANGE: no executable segment matches the mapping.
 */
int elf_file_bias(const struct elf_file *f, u64 start, u64 file_off, u64 *bias);

/*
 * Reads bytes at a link-time address; .bss reads as zeros. Return: 0, -ERANGE or the errno of
 * reading.
 */
int elf_file_read_addr(const struct elf_file *f, u64 addr, void *dst, size_t len);

/**
 * elf_file_each_symbol() - visit every symbol of .symtab, then of .dynsym
 * @fn:		called for each symbol; a non-zero return ends the loop
 *
 * Without section headers, visits the symbols that the dynamic linker finds.
 *
 * Return: the last result of @fn, or 0, or -ENOEXEC on a crafted table.
 */
int elf_file_each_symbol(struct elf_file *f, int (*fn)(const struct elf_symbol *s, void *data),
			 void *data);
