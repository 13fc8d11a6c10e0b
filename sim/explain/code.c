// SPDX-License-Identifier: BSD-2-Clause

/*
 * Prints the disassembly around the pc. Decoding starts at the function's start, because x86-64
 * code can't be decoded backwards.
 */

#include "explain.h"

#include "../../inspect/util/cleanup.h"
#include "../case/where.h"
#include "../sweep/disasm.h"

#include <errno.h>
#include <string.h>

#define MAX_CODE_LEN 0x10000
#define N_BEFORE 8
#define N_AFTER 6
#define MAX_INSN_LEN 16

/* Reads up to @len bytes, page by page, as far as the memory is readable. */
static u32 read_code(const struct explain *e, u64 addr, u8 *out, u32 len)
{
	u32 n = 0;

	while (n < len) {
		u32 part = (u32)(SIM_PAGE_LEN - (addr + n) % SIM_PAGE_LEN);

		if (part > len - n)
			part = len - n;
		if (sim_mem_read(e->target.mem, out + n, part, addr + n))
			break;
		n += part;
	}
	return n;
}

/*
 * Returns the length of the instruction; 1 if the bytes are no instruction, so that they are
 * printed one at a time.
 */
static u32 insn_len(const struct explain *e, const u8 *code, u32 len, u64 pc)
{
	u32 unit = e->c->arch == &sim_arch_arm64 ? 4 : 1, n;
	char text[128];

	n = sim_disasm_insn(e->c->arch, code, len, pc, text, sizeof(text));
	return n ? n : unit;
}

static void print_insn(const struct explain *e, const u8 *code, u32 len, u64 pc, FILE *f)
{
	char text[128], bytes[3 * MAX_INSN_LEN + 1] = "";
	u32 n = insn_len(e, code, len, pc);

	if (n > len)
		n = len;
	for (u32 i = 0; i < n && i < MAX_INSN_LEN; i++)
		snprintf(bytes + 3 * i, 4, "%02x ", code[i]);
	fprintf(f, "  %s %#llx  %-30s %s\n", pc == e->target.regs.pc ? "->" : "  ", pc, bytes,
		sim_disasm(e->c->arch, code, len, pc, text, sizeof(text)));
}

/*
 * Finds the offset of the instruction that is N_BEFORE instructions before @at; @at itself if
 * decoding from the start does not reach @at.
 */
static u32 find_first(const struct explain *e, const u8 *code, u32 len, u64 addr, u32 at)
{
	u32 last[N_BEFORE] = { 0 }, n = 0, off = 0;

	while (off < at) {
		last[n++ % N_BEFORE] = off;
		off += insn_len(e, code + off, len - off, addr + off);
	}
	if (off != at || !n)
		return at;
	return last[n < N_BEFORE ? 0 : n % N_BEFORE];
}

int explain_print_code(const struct explain *e, FILE *f)
{
	u64 pc = e->target.regs.pc;
	const struct sim_function *fn = sim_function_at(e->c, pc);
	u64 start = fn && pc - fn->start_addr < MAX_CODE_LEN / 2 ? fn->start_addr : pc;
	_cleanup_free_ u8 *code = malloc(MAX_CODE_LEN);
	u32 len, off, n_after = 0;

	if (!code)
		return -ENOMEM;
	len = read_code(e, start, code, MAX_CODE_LEN);
	if (len <= pc - start) {
		fputs("\ncode     can't be read\n", f);
		return 0;
	}
	fprintf(f, "\ncode     %s\n", explain_where(e, start, false).text);
	off = find_first(e, code, len, start, (u32)(pc - start));
	while (off < len && n_after <= N_AFTER && (!fn || start + off - fn->start_addr < fn->len)) {
		print_insn(e, code + off, len - off, start + off, f);
		n_after += start + off >= pc;
		off += insn_len(e, code + off, len - off, start + off);
	}
	return 0;
}
