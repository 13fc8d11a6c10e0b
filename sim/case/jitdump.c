// SPDX-License-Identifier: BSD-2-Clause

#include "jitdump.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/jitdump/jd_file.h"
#include "../../inspect/jitdump/jdw.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/term.h"
#include "../mem/mem.h"
#include "../sweep/disasm.h"

#define MAX_FUNCTION_LEN (16u << 20)
#define PID 1 /* used as the pid, because a case has none */

static u32 machine_of(const struct sim_arch *arch)
{
	return arch == &sim_arch_arm64 ? EM_AARCH64 : EM_X86_64;
}

static int put(FILE *out, const void *bytes, size_t len)
{
	return fwrite(bytes, 1, len, out) == len ? 0 : -EIO;
}

/* Reads code page by page, because the case may contain only some of the pages. */
static bool read_code(struct sim_mem *mem, u8 *code, u64 addr, u64 len)
{
	for (u64 at = 0; at < len;) {
		u64 room = SIM_PAGE_LEN - (addr + at) % SIM_PAGE_LEN;
		u32 n = (u32)(len - at < room ? len - at : room);

		if (sim_mem_read(mem, code + at, n, addr + at))
			return false;
		at += n;
	}
	return true;
}

/*
 * Writes a function. Return: 0, -ENODATA if the function's bytes are unknown, or another negative
 * errno.
 */
static int write_function(const struct sim_case *c, const struct sim_function *f, u32 number,
			  FILE *out)
{
	_cleanup_(jdw_buf_deinit) struct jdw_buf b = { 0 };
	_cleanup_free_ u8 *code = NULL;
	int err;

	if (!f->len || f->len > MAX_FUNCTION_LEN)
		return -ENODATA;
	code = malloc(f->len);
	if (!code)
		return -ENOMEM;
	if (!read_code(c->target.mem, code, f->start_addr, f->len))
		return -ENODATA;
	err = jdw_group(&b, &(struct jdw_code){ .name = *f->name ? f->name : "?",
						.addr = f->start_addr,
						.code = code,
						.size = f->len });
	if (err)
		return err;
	jdw_group_stamp(&b, number + 1, PID, PID, number);
	err = put(out, b.bytes, b.len);
	return err ? err : put(out, code, f->len);
}

int sim_jitdump_write(const struct sim_case *c, FILE *out, u32 *n_missing)
{
	_cleanup_(jdw_buf_deinit) struct jdw_buf b = { 0 };
	u32 missing = 0;
	int err;

	jdw_put_header(&b, &(struct jdr_header){ .mach = machine_of(c->arch), .pid = PID });
	err = b.no_memory ? -ENOMEM : put(out, b.bytes, b.len);
	for (u32 i = 0; !err && i < c->n_functions; i++) {
		err = write_function(c, &c->functions[i], i - missing, out);
		missing += err == -ENODATA;
		err = err == -ENODATA ? 0 : err;
	}
	if (!err && missing == c->n_functions)
		return -ENODATA;
	*n_missing = missing;
	return err;
}

static void print_code(const struct sim_arch *arch, const struct jdr_load *l)
{
	char text[160], name[256];

	printf("%#14llx %5llu  %s\n", l->addr, l->code_len,
	       term_escape(l->name, name, sizeof(name)));
	for (u64 at = 0, n; arch && at < l->code_len; at += n) {
		size_t left = l->code_len - at < 16 ? (size_t)(l->code_len - at) : 16;

		n = sim_disasm_insn(arch, l->code + at, left, l->addr + at, text, sizeof(text));
		n = n ? n : arch == &sim_arch_arm64 && left >= 4 ? 4 : 1;
		printf("  %#14llx  %s\n", l->addr + at, text);
	}
}

int sim_jitdump_show(const char *path, const char *arch_name, struct sim_error *error)
{
	static const struct sim_arch *const archs[] = { &sim_arch_x86_64, &sim_arch_arm64 };
	const struct sim_arch *arch = NULL;
	struct jd_file f = { 0 };
	struct jdr_record rec;
	u64 at = 0;
	int err = jd_file_read(&f, path);

	if (err)
		return sim_fail(error, err, "%s: %s", path,
				err == -EBADMSG || err == -ENODATA ? "not a jitdump"
								   : strerror(-err));
	for (u32 i = 0; i < 2; i++)
		if (f.h.mach == machine_of(archs[i]))
			arch = archs[i];
	printf("%s: machine %u (%s)\n", path, f.h.mach, arch ? arch->name : "not disassembled");
	while (jd_file_next(&f, &at, &rec) == JDR_RECORD)
		if (rec.id == JD_LOAD && !rec.fault &&
		    (!strcmp(arch_name, "all") || (arch && !strcmp(arch_name, arch->name))))
			print_code(arch, &rec.load);
	jd_file_deinit(&f);
	return 0;
}

int sim_jitdump_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		     struct sim_error *error)
{
	(void)arch;
	(void)out;
	return sim_fail(error, -ENOTSUP, "%s: a jitdump has code but no stack", path);
}
