/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The functions of an ELF file, indexed by address. Needs 16 bytes per function and a file
 * descriptor, because names are read from the file when they are requested.
 */

#include "../../core/types.h"
#include "../elf/elf_file.h"

struct symbols;

/* Enough for nearly every demangled name; longer names are shown mangled or truncated. */
#define SYMBOLS_NAME_LEN 1024

/* A function from another table than the file's symbols. The function's name is shown unchanged. */
struct symbols_named {
	u64 addr, len;
	u64 name_off; /* file offset of the name */
};

typedef int symbols_named_fn(const struct symbols_named *s, void *data);

/*
 * Calls @fn for each function of another table. Returns the last result of @fn, or a negative
 * errno.
 */
typedef int symbols_table_fn(struct elf_file *f, symbols_named_fn *fn, void *data);

/**
 * symbols_new() - build the function table of a file
 * @s:		the new table, free with symbols_free()
 * @f:		the file; may be freed afterwards
 * @code:	the file that has the code: @f or, if @f is a debug file, its binary
 * @table:	names that take precedence (go_symbols()); NULL: none
 *
 * Reads .symtab and .dynsym. Of several names at one address, prefers a name with a length, then a
 * global one, then one with fewer leading underscores. A symbol without a length (assembly) ends
 * where the FDE of its address ends; without an FDE, it ends before the next FDE, at the next
 * symbol or after 4 KiB. If the file has no .symtab, other symbols are missing, so such a symbol is
 * used only at the start of an FDE. Stubs of the procedure linkage table are named "NAME@plt"; the
 * cold part of a function
 * ("NAME.cold") has the function's name.
 *
 * Return: 0 (also if there are no symbols), -ENOEXEC, -ENOMEM or -EMFILE.
 */
int symbols_new(struct symbols **s, struct elf_file *f, struct elf_file *code,
		symbols_table_fn *table);
void symbols_free(struct symbols **s);
size_t symbols_count(const struct symbols *s);

/* Whether the file has .symtab, with all functions and not only the dynamic ones. */
bool symbols_has_symtab(const struct symbols *s);

/**
 * symbols_lookup() - find the function at an address
 * @addr:	link-time address; for a return address, subtract one
 * @name:	receives the demangled name, also of .NET methods that NativeAOT compiled; at least
 *		one byte
 * @len:	size of @name
 * @off:	receives @addr minus the function's address
 *
 * Return: 0, -ENOENT (no function), -ESTALE (the file was changed) or the errno of
 * reading. @name and @off are only written on success.
 */
int symbols_lookup(const struct symbols *s, u64 addr, char *name, size_t len, u64 *off);

/* As symbols_lookup(), for a file offset. */
int symbols_lookup_file_off(const struct symbols *s, u64 file_off, char *name, size_t len,
			    u64 *off);

/* Translates a file offset to a link-time address. Return: 0 or -ERANGE. */
int symbols_off_to_addr(const struct symbols *s, u64 file_off, u64 *addr);
