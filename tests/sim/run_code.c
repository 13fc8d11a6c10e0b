// SPDX-License-Identifier: BSD-2-Clause

#include "run_code.h"

#include <string.h>
#include <unicorn/unicorn.h>

#include "../../sim/mem/image.h"

struct cpu {
	uc_engine *uc;
	struct run *run;
	bool is_call_pending, is_return_pending;
	u64 return_addr;
};

enum insn { INSN_OTHER, INSN_CALL, INSN_RETURN };

static enum insn classify(const u8 *code, bool is_arm64)
{
	bool rex = (code[0] & 0xf0) == 0x40;
	u32 word;

	memcpy(&word, code, 4);
	if (is_arm64 && (word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000))
		return INSN_CALL;
	if (is_arm64)
		return (word & 0xfffffc1f) == 0xd65f0000 ? INSN_RETURN : INSN_OTHER;
	if (code[0] == 0xe8 || (code[rex] == 0xff && (code[rex + 1] >> 3 & 7) == 2))
		return INSN_CALL;
	return code[0] == 0xc3 || code[0] == 0xc2 ? INSN_RETURN : INSN_OTHER;
}

static u64 reg(uc_engine *uc, int id)
{
	u64 value = 0;

	uc_reg_read(uc, id, &value);
	return value;
}

static void read_regs(struct cpu *cpu, struct uw_regs *regs)
{
	bool arm = cpu->run->is_arm64;

	regs->sp = reg(cpu->uc, arm ? UC_ARM64_REG_SP : UC_X86_REG_RSP);
	regs->fp = reg(cpu->uc, arm ? UC_ARM64_REG_FP : UC_X86_REG_RBP);
	regs->lr = arm ? reg(cpu->uc, UC_ARM64_REG_LR) : 0;
}

/* What the instruction before this one did. */
static void settle(struct cpu *cpu, u64 pc)
{
	struct run *run = cpu->run;

	if (cpu->is_call_pending && run->depth < RUN_MAX_DEPTH) {
		run->truth[run->depth++] = cpu->return_addr;
		run->n_calls++;
	}
	if (cpu->is_return_pending && (!run->depth || run->truth[--run->depth] != pc))
		run->n_wrong_returns++;
	if (run->depth > run->max_depth)
		run->max_depth = run->depth;
	cpu->is_call_pending = cpu->is_return_pending = false;
}

static void on_insn(uc_engine *uc, uint64_t pc, uint32_t size, void *data)
{
	struct cpu *cpu = data;
	struct run *run = cpu->run;
	struct uw_regs regs = { .pc = pc };
	const u8 *code;
	enum insn insn;

	settle(cpu, pc);
	code = sim_image_host(run->c->target.mem, pc, 8);
	if (!code || ++run->n_insns > run->c->max_insns) {
		run->error = code ? "too many instructions" : "left the code";
		uc_emu_stop(uc);
		return;
	}
	insn = classify(code, run->is_arm64);
	read_regs(cpu, &regs);
	if (run->at_insn)
		run->at_insn(run, &regs, insn == INSN_CALL, run->data);
	cpu->is_call_pending = insn == INSN_CALL;
	cpu->is_return_pending = insn == INSN_RETURN;
	cpu->return_addr = pc + size;
}

static const char *run_engine(struct cpu *cpu)
{
	const struct sim_target *target = &cpu->run->c->target;
	bool arm = cpu->run->is_arm64;
	size_t n;
	const struct sim_region *regions = sim_image_regions(target->mem, &n);
	uc_hook hook;
	uc_err err = UC_ERR_OK;

	for (size_t i = 0; i < n && !err; i++)
		err = uc_mem_map_ptr(cpu->uc, regions[i].addr, regions[i].len, UC_PROT_ALL,
				     regions[i].bytes);
	uc_reg_write(cpu->uc, arm ? UC_ARM64_REG_SP : UC_X86_REG_RSP, &target->regs.sp);
	uc_reg_write(cpu->uc, arm ? UC_ARM64_REG_FP : UC_X86_REG_RBP, &target->regs.fp);
	if (!err)
		err = uc_hook_add(cpu->uc, &hook, UC_HOOK_CODE, on_insn, cpu, 1, 0);
	if (!err)
		err = uc_emu_start(cpu->uc, target->regs.pc, cpu->run->c->exit_addr, 0, 0);
	return err ? uc_strerror(err) : NULL;
}

void run_code(const struct sim_case *c, struct run *run)
{
	bool arm = !strcmp(c->arch->name, "arm64");
	struct cpu cpu = { .run = run };
	const char *error;

	run->c = c;
	run->is_arm64 = arm;
	if (uc_open(arm ? UC_ARCH_ARM64 : UC_ARCH_X86, arm ? UC_MODE_ARM : UC_MODE_64, &cpu.uc)) {
		run->error = "no engine";
		return;
	}
	error = run_engine(&cpu);
	if (!run->error)
		run->error = error;
	run->end_pc = reg(cpu.uc, arm ? UC_ARM64_REG_PC : UC_X86_REG_RIP);
	settle(&cpu, run->end_pc);
	run->end_sp = reg(cpu.uc, arm ? UC_ARM64_REG_SP : UC_X86_REG_RSP);
	uc_close(cpu.uc);
}
