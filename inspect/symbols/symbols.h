/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The functions of an ELF file by address. Holds 16 bytes a function and a
 * descriptor: names are read from the file when they are asked for.
 */

#include "../../core/types.h"
#include "../elf/elf_file.h"

struct symbols;

/* Room that holds nearly every demangled name; what is longer is shown mangled or cut. */
#define SYMBOLS_NAME_LEN 1024

/* A function by another table than the file's symbols. Its name is shown as it is. */
struct symbols_named {
	u64 addr, len;
	u64 name_off; /* in the file */
};

typedef int symbols_named_fn(const struct symbols_named *s, void *data);

/* Calls @fn for each function of such a table. What @fn returned last if not 0, 0 or an errno. */
typedef int symbols_table_fn(struct elf_file *f, symbols_named_fn *fn, void *data);

/**
 * symbols_new() - sort the function symbols of a file
 * @s:		the new table, free with symbols_free()
 * @f:		the file; may be freed afterwards
 * @table:	names that come before all others (go_symbols()); NULL: there are none
 *
 * Takes .symtab and .dynsym; of several names of one address the one with a
 * length, then the global one, then the one with fewest leading underscores. A
 * symbol without a length (assembly) ends at the next one, and is only believed
 * where .symtab has all the others. Stubs of the procedure linkage table are called
 * "NAME@plt"; a part of a function that lies elsewhere ("NAME.cold") has the function's name.
 *
 * Return: 0 (also with no symbol at all), -ENOEXEC, -ENOMEM or -EMFILE.
 */
int symbols_new(struct symbols **s, struct elf_file *f, symbols_table_fn *table);
void symbols_free(struct symbols **s);
size_t symbols_count(const struct symbols *s);

/* Did the file have .symtab, and so all functions and not just those for other files? */
bool symbols_has_symtab(const struct symbols *s);

/**
 * symbols_lookup() - the function at an address
 * @addr:	link-time address (of a return address: minus one)
 * @name:	at least one byte; demangled name
 * @len:	size of @name
 * @off:	@addr minus the function's first byte
 *
 * Return: 0, -ENOENT (no function is there), -ESTALE (the file was changed) or
 * what reading gave. @name and @off are only written on success.
 */
int symbols_lookup(const struct symbols *s, u64 addr, char *name, size_t len, u64 *off);

/* The same at an offset in the file. */
int symbols_lookup_file_off(const struct symbols *s, u64 file_off, char *name, size_t len,
			    u64 *off);

/* The link-time address of an offset in the file. 0 or -ERANGE. */
int symbols_off_to_addr(const struct symbols *s, u64 file_off, u64 *addr);
