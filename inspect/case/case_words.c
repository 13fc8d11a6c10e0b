// SPDX-License-Identifier: BSD-2-Clause

/* Words of the format, and the registers of the two architectures. */

#include "case_format.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * struct user_regs_struct of arch/x86/include/asm/user_64.h and struct user_pt_regs of
 * arch/arm64/include/uapi/asm/ptrace.h, both at v6.1.
 */
const struct case_machine case_machines[CASE_N_ARCHS] = {
	[CASE_X86_64] = { "x86_64",
			  EM_X86_64,
			  27,
			  16,
			  19,
			  4,
			  CASE_NO_REG,
			  UW_N_SCRATCH,
			  { 7, 10, 11, 9, 8, 6 } },
	[CASE_ARM64] = { "arm64", EM_AARCH64, 34, 32, 31, 29, 30, 0, {} },
};

const char *const case_origin_words[] = { "walk", "copy", NULL };
const char *const case_holds_words[] = { "other", "stack", "heap", "strings", "code", NULL };
const char *const case_map_kind_words[] = { "native",	  "v8_builtins",  "v8_jit", "dotnet_jit",
					    "dotnet_r2r", "dotnet_stubs", NULL };
const char *const case_kind_words[] = { "unknown",	  "kernel",	"native",
					"v8_stub",	  "v8_js",	"v8_code",
					"dotnet_method",  "dotnet_r2r", "dotnet_stub",
					"dotnet_awaiter", NULL };
const char *const case_frame_flag_words[] = { "ra",	   "guess",   "no_rows", "async",
					      "first_run", "syscall", NULL };
const char *const case_async_type_words[] = { "shared_type",	     "promise_type",
					      "reaction_type",	     "capability_type",
					      "async_function_type", "async_generator_type",
					      "request_type",	     NULL };
const char *const case_cfa_words[] = { "none", "sp",	 "fp",	 "scratch", "at_sp",	"at_fp",
				       "plt",  "signal", "root", "fp_away", "hijacked", NULL };
const char *const case_saved_words[] = { "same", "cfa", "fp", "lost", "scratch", NULL };

const char *const case_status_words[] = {
#define X(name, class, words, meaning) words,
	UW_STATUS_LIST(X)
#undef X
		NULL
};

_Static_assert(sizeof(case_origin_words) == (CASE_N_ORIGINS + 1) * sizeof(char *), "all");
_Static_assert(sizeof(case_holds_words) == (CASE_N_HOLDS + 1) * sizeof(char *), "all");
_Static_assert(sizeof(case_map_kind_words) == (UW_N_MAP_KINDS + 1) * sizeof(char *), "all");
_Static_assert(sizeof(case_kind_words) == (UW_N_KINDS + 1) * sizeof(char *), "all");
_Static_assert(sizeof(case_async_type_words) == (V8_ASYNC_N_TYPES + 1) * sizeof(char *), "all");
_Static_assert(sizeof(case_cfa_words) == (UW_N_CFAS + 1) * sizeof(char *), "all");
_Static_assert(sizeof(case_saved_words) == (UW_N_SAVED + 1) * sizeof(char *), "all");

void case_scratch(const struct case_file *c, u64 scratch[UW_N_SCRATCH])
{
	const struct case_machine *m = &case_machines[c->arch];

	memset(scratch, 0, UW_N_SCRATCH * sizeof(*scratch));
	for (u8 i = 0; c->regs.has_all && i < m->n_scratch; i++)
		scratch[i] = c->regs.all[m->scratch[i]];
}

void case_set_scratch(struct case_file *c, const u64 scratch[UW_N_SCRATCH])
{
	const struct case_machine *m = &case_machines[c->arch];

	c->regs.has_all = m->n_scratch;
	for (u8 i = 0; i < m->n_scratch; i++)
		c->regs.all[m->scratch[i]] = scratch[i];
}

const struct v8_info *case_v8(const struct case_file *c)
{
	return c->n_v8_builds ? &c->v8_builds[c->n_v8_builds - 1] : NULL;
}

const char *case_arch_name(enum case_arch arch)
{
	return case_machines[arch].name;
}

const char *case_status_class(u8 status)
{
	static const char *const classes[] = { "complete", "truncated", "failed", "frame" };
	static const u8 class_of[] = {
#define X(name, class, words, meaning) UW_CLASS_##class,
		UW_STATUS_LIST(X)
#undef X
	};

	return status < UW_N_STATUS ? classes[class_of[status]] : "?";
}

const char *case_profile_kind(u8 kind)
{
	static const char *const kinds[UW_N_KINDS] = {
		[UW_KERNEL] = "kernel",		[UW_NATIVE] = "native",
		[UW_V8_STUB] = "stub",		[UW_V8_JS] = "js",
		[UW_V8_CODE] = "jit",		[UW_DOTNET_METHOD] = "dotnet",
		[UW_DOTNET_R2R] = "dotnet",	[UW_DOTNET_STUB] = "stub",
		[UW_DOTNET_AWAITER] = "dotnet",
	};

	return kind < UW_N_KINDS ? kinds[kind] : NULL;
}

int case_fail(struct case_error *error, int err, const char *path, const char *fmt, ...)
{
	int n = 0;
	va_list ap;

	if (!error)
		return err;
	if (path)
		n = snprintf(error->text, sizeof(error->text), "%.160s: ", path);
	va_start(ap, fmt);
	vsnprintf(error->text + n, sizeof(error->text) - n, fmt, ap);
	va_end(ap);
	return err;
}
