// SPDX-License-Identifier: BSD-2-Clause

/*
 * Derives unwind rows of a V8 builtin from its instructions. The first byte of the input selects
 * the kind of builtin and the machine; the other bytes are the builtin's code.
 */

#include "file.h"

#include <elf.h>

#include "../inspect/made_cfi.h"
#include "../../inspect/v8/arch/v8_arches.h"
#include "../../inspect/v8/v8_build.h"
#include "../../inspect/v8/v8_rows.h"

struct rows {
	u64 end; /* end of the code that the last rule covers */
	u64 sum; /* checksum of all rules */
};

static void check_rule(const struct uw_rule *rule, u64 start, u64 end, void *data)
{
	struct rows *rows = data;
	const u8 *bytes = (const u8 *)rule;

	FUZZ_MUST(start >= rows->end && start < end,
		  "a rule that begins at %llx is empty or begins before the previous rule's end at "
		  "%llx",
		  start, rows->end);
	FUZZ_MUST(rule->cfa < UW_N_CFAS && rule->ra < UW_N_SAVED && rule->fp < UW_N_SAVED,
		  "rule of %u, %u, %u", rule->cfa, rule->ra, rule->fp);
	FUZZ_MUST(rule->cfa != UW_CFA_SCRATCH ||
			  (rule->cfa_add >= 0 && rule->cfa_add < UW_N_SCRATCH),
		  "scratch register %d", rule->cfa_add);
	rows->end = end;
	for (size_t i = 0; i < sizeof(*rule); i++)
		rows->sum = rows->sum * 31 + bytes[i];
	rows->sum = rows->sum * 31 + start + end;
}

/* Derives the rows of @build. */
static struct rows read_rows(const struct v8_build *build, struct elf_file *f)
{
	struct rows rows = { .end = MADE_CODE };

	FUZZ_MUST(!v8_build_rows(build, f, 0, UINT64_MAX, check_rule, &rows),
		  "the rows cannot be derived");
	FUZZ_MUST(rows.end <= MADE_CODE + build->blob_len,
		  "the last rule ends at %llx, after the end of the builtins", rows.end);
	return rows;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* Builtins of each kind. */
	static const char *const names[] = { "StringAdd", "InterpreterEnterAtBytecode",
					     "BaselineOutOfLinePrologue", "DeoptimizationEntry" };
	static struct made_cfi files[2];
	struct fuzz_input in = { data, size };
	u8 k = fuzz_u8(&in);
	struct made_cfi *m = &files[k & 1];
	u32 len = in.left < MADE_CODE_LEN ? (u32)in.left : MADE_CODE_LEN;
	struct v8_builtin builtin = { .len = len, .name = names[k >> 1 & 3] };
	struct v8_build build = {
		.arch = v8_arch_of(k & 1 ? EM_AARCH64 : EM_X86_64),
		.blob_off = MADE_CODE_OFF,
		.blob_len = len,
		.builtins = &builtin,
		.n_builtins = 1,
	};
	struct elf_file *f;
	struct rows rows;

	if (!m->bytes)
		made_init(m, k & 1 ? EM_AARCH64 : EM_X86_64, 0);
	memcpy(m->bytes + MADE_CODE_OFF, in.data, len);
	FUZZ_MUST(!elf_file_open_fd(&f, fuzz_fd(m->bytes, m->len)), "no file");
	rows = read_rows(&build, f);
	FUZZ_MUST(read_rows(&build, f).sum == rows.sum,
		  "reading the file a second time gives different rows");
	elf_file_free(&f);
	return 0;
}
