// SPDX-License-Identifier: BSD-2-Clause

#include "guest_cover.h"

#include "../../sim/guest/guest.h"

#include <errno.h>
#include <string.h>
#include <unicorn/unicorn.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

static int x86_64_regs[] = { UC_X86_REG_RAX, UC_X86_REG_RBX, UC_X86_REG_RCX, UC_X86_REG_RDX,
			     UC_X86_REG_RSI, UC_X86_REG_RDI, UC_X86_REG_RBP, UC_X86_REG_RSP,
			     UC_X86_REG_R8,  UC_X86_REG_R9,  UC_X86_REG_R10, UC_X86_REG_R11,
			     UC_X86_REG_R12, UC_X86_REG_R13, UC_X86_REG_R14, UC_X86_REG_R15 };

static void read_regs(struct guest_cover *c, uc_engine *uc, u64 regs[32])
{
	static int arm64_regs[32];
	void *at[32];
	int n = c->is_arm64 ? 32 : (int)N(x86_64_regs);

	/* Unicorn numbers X0 to X28 consecutively; X29 and X30 are separate. */
	for (int i = 0; i < 29; i++)
		arm64_regs[i] = UC_ARM64_REG_X0 + i;
	arm64_regs[29] = UC_ARM64_REG_X29;
	arm64_regs[30] = UC_ARM64_REG_X30;
	arm64_regs[31] = UC_ARM64_REG_SP;
	memset(regs, 0, 32 * sizeof(regs[0]));
	for (int i = 0; i < n; i++)
		at[i] = &regs[i];
	uc_reg_read_batch(uc, c->is_arm64 ? arm64_regs : x86_64_regs, at, n);
}

static void on_code(uc_engine *uc, uint64_t pc, uint32_t size, void *data)
{
	struct guest_cover *c = data;
	u64 regs[32], off = pc - GUEST_TEXT_ADDR;

	read_regs(c, uc, regs);
	if (c->has_last && memcmp(regs, c->regs, sizeof(regs)) != 0)
		c->insns[c->last].has_effect = true;
	memcpy(c->regs, regs, sizeof(regs));
	c->has_last = off < c->len;
	if (!c->has_last)
		return;
	c->last = (u32)off;
	c->insns[off].len = (u8)size;
}

static void on_write(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value,
		     void *data)
{
	struct guest_cover *c = data;
	u64 before = 0;

	(void)type;
	if (c->has_last && size <= 8 && !uc_mem_read(uc, addr, &before, (size_t)size) &&
	    memcmp(&before, &value, (size_t)size) != 0)
		c->insns[c->last].has_effect = true;
}

int guest_cover_begin(struct guest_cover *c, struct sim_session *session)
{
	uc_engine *uc = sim_guest_uc(session);
	uc_hook hook;

	c->has_last = false;
	if (uc_hook_add(uc, &hook, UC_HOOK_CODE, (void *)on_code, c, 1, 0) ||
	    uc_hook_add(uc, &hook, UC_HOOK_MEM_WRITE, (void *)on_write, c, 1, 0))
		return -EIO;
	return 0;
}

static u64 hash(u64 h, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ ((const u8 *)bytes)[i]) * 0x100000001b3; /* FNV-1a */
	return h;
}

static void on_hypercall(uc_engine *uc, uint64_t pc, uint32_t size, void *data)
{
	struct guest_trace *t = data;
	u64 call[2]; /* len, addr */

	(void)pc, (void)size;
	uc_reg_read(uc, t->is_arm64 ? UC_ARM64_REG_X1 : UC_X86_REG_RSI, &call[0]);
	uc_reg_read(uc, t->is_arm64 ? UC_ARM64_REG_X2 : UC_X86_REG_RDX, &call[1]);
	call[0] = (u32)call[0];
	t->reads = hash(t->reads, call, sizeof(call));
}

int guest_trace_begin(struct guest_trace *t, struct sim_session *session)
{
	uc_hook hook;

	t->reads = 0;
	return uc_hook_add(sim_guest_uc(session), &hook, UC_HOOK_CODE, (void *)on_hypercall, t,
			   GUEST_READ_ADDR, GUEST_READ_ADDR)
		       ? -EIO
		       : 0;
}

u64 guest_trace_take(struct guest_trace *t, struct sim_session *session)
{
	const u64 at = GUEST_BOX_ADDR + offsetof(struct guest_box, state.sample);
	static struct uw_sample s;
	u64 h = t->reads;

	t->reads = 0;
	uc_mem_read(sim_guest_uc(session), at, &s, sizeof(s));
	if (s.n_frames > UW_MAX_FRAMES)
		return h;
	return hash(h, &s, offsetof(struct uw_sample, frames) + s.n_frames * sizeof(s.frames[0]));
}

void guest_foul(struct sim_session *session, u8 byte)
{
	static u8 bytes[sizeof(struct uw_state)];

	memset(bytes, byte, sizeof(bytes));
	uc_mem_write(sim_guest_uc(session), GUEST_BOX_ADDR + offsetof(struct guest_box, state),
		     bytes, sizeof(bytes));
}
