/* SPDX-License-Identifier: BSD-2-Clause */

#include "aot_code.h"

#include <string.h>

#include "../symbols/demangle.h"
#include "../util/array.h"
#include "aot_name.h"

static bool is_in(const struct aot_code *code, u64 addr)
{
	for (size_t i = 0; i < ARRAY_SIZE(code->start); i++)
		if (addr >= code->start[i] && addr < code->end[i])
			return true;
	return false;
}

static int find_assembly(const struct elf_symbol *s, void *data)
{
	struct aot_code *code = data;
	size_t len = aot_assembly_len(s->name);

	if (!len || len >= sizeof(code->assembly) || !is_in(code, s->addr))
		return 0;
	memcpy(code->assembly, s->name, len);
	code->assembly[len] = 0;
	return 1;
}

void aot_code_find(struct aot_code *code, struct elf_file *f)
{
	static const char *const sections[] = { "__managedcode", "__unbox" };
	bool is_any = false;

	*code = (struct aot_code){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		is_any |= elf_file_section_span(f, sections[i], &code->start[i], &code->end[i]);
	if (is_any)
		elf_file_each_symbol(f, find_assembly, code);
}

void aot_code_demangle(const struct aot_code *code, u64 addr, const char *mangled, char *dst,
		       size_t len)
{
	if (!is_in(code, addr) || !aot_name(mangled, code->assembly, dst, len))
		demangle(mangled, dst, len);
}
