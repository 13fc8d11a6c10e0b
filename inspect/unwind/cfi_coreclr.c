// SPDX-License-Identifier: BSD-2-Clause

/*
 * To stop a thread of .NET, the runtime hijacks it: it replaces the return address on the thread's
 * stack by the address of OnHijackTripThread. This function reserves a word for the true return
 * address and calls a function that writes it there.
 *	push rax            room for the return address
 *	push rbp .. rax
 *	lea -n(%rsp), %rsp
 *	call                writes the return address
 *	lea n(%rsp), %rsp
 *	pop rax .. rbp
 *	ret
 *
 * The function's call frame information is wrong, because it assumes that the function was called;
 * it therefore gives a slot for the return address that is one word too low. Until the function's
 * own call, the return address is not on the stack at all. The same holds at the byte before the
 * function, which the walk looks up for a return to the function's start. Source: coreclr
 * vm/amd64/asmhelpers.S (8), vm/amd64/unixasmhelpers.S and unixasmmacrosamd64.inc at v10.0.14; the
 * bytes are those of 8.0.33, 9.0.22 and 10.0.14.
 */

#include <string.h>

#include "cfi_code.h"

static const u8 pushes[] = { 0x50, 0x55, 0x53, 0x41, 0x57, 0x41, 0x56, 0x41, 0x55, 0x41, 0x54 };
#define N_PUSHES 7 /* rax, rbp, rbx, r15 to r12 */
#define PUSH_RCX 0x51 /* push rcx, which .NET 10 and later add */
static const u8 rest[] = { 0x52, 0x50, 0x48, 0x89, 0xe7, 0x48, 0x8d, 0x64, 0x24 };
#define BODY_LEN 64 /* length of the code that is searched for the pops */
static const u8 pops[] = { 0x41, 0x5c, 0x41, 0x5d, 0x41, 0x5e, 0x41, 0x5f, 0x5b, 0x5d, 0xc3 };

/* Reports the rule of [@start, @end), where the return address is at sp + @off. */
static void emit(const struct cfi_code *c, u64 start, u64 end, u32 off)
{
	struct uw_rule rule = {
		.cfa = UW_CFA_SP, .cfa_off = (s32)off + 8, .ra = UW_SAVED_CFA, .ra_off = -8
	};

	c->fn(&rule, start, end, c->data);
}

/*
 * Reports the rules of the pops at @at. There are @n words from sp up to the return address,
 * inclusive.
 */
static void report_pops(const struct cfi_code *c, size_t at, u32 n)
{
	for (; n > 1 && at + 1 < c->len; n--) {
		size_t len = c->bytes[at] == 0x41 ? 2 : 1;

		emit(c, c->addr + at, c->addr + at + len, 8 * (n - 1));
		at += len;
	}
	emit(c, c->addr + at, c->addr + at + 1, 0);
}

static void report_function(const struct cfi_code *c, size_t start)
{
	static const struct uw_rule hijacked = { .cfa = UW_CFA_HIJACKED };
	size_t at = start + sizeof(pushes);
	u32 n = N_PUSHES + 2;
	const u8 *leave;

	if (at < c->len && c->bytes[at] == PUSH_RCX) {
		n++;
		at++;
	}
	if (c->len - at < sizeof(rest) + 1 + BODY_LEN || memcmp(c->bytes + at, rest, sizeof(rest)))
		return;
	at += sizeof(rest) + 1;
	leave = memmem(c->bytes + at, BODY_LEN, pops, sizeof(pops));
	c->fn(&hijacked, c->addr + start - 1, c->addr + at, c->data);
	if (!leave)
		return;
	leave -= n - N_PUSHES; /* start at the pops of rax, rdx and rcx, one byte each */
	emit(c, c->addr + at, c->addr + (u64)(leave - c->bytes),
	     8 * (n - 1) + (u32) - (s8)c->bytes[at - 1]);
	report_pops(c, (size_t)(leave - c->bytes), n);
}

void cfi_code_coreclr(const struct cfi_code *c)
{
	const u8 *p = c->bytes, *end = c->bytes + c->len;

	for (; !c->is_arm64 && (p = memmem(p, (size_t)(end - p), pushes, sizeof(pushes))); p++)
		report_function(c, (size_t)(p - c->bytes));
}
