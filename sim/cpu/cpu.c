// SPDX-License-Identifier: BSD-2-Clause

/*
 * A call or return is recognized before it executes. It is applied to the shadow stack only when
 * the next instruction is reached, because before that moment it is not certain that it has
 * executed.
 *
 *	shadow.words:  [ ....... | pc | return address | ... | outermost return address ]
 *	                           ^ top
 */

#include "cpu.h"

#include "unicorn.h"
#include "../case/where.h"
#include "../../inspect/util/cleanup.h"
#include "cpu_arch.h"
#include "guard.h"
#include "windows.h"

#include <errno.h>
#include <string.h>

#define WHERE_LEN 128

struct cpu {
	const struct sim_case *c;
	const struct cpu_arch *arch;
	struct sim_cpu_run *run;
	struct sim_error *error;
	uc_engine *uc;
	struct cpu_windows windows;
	u64 shadow[SIM_CPU_MAX_DEPTH + 1];
	u64 sps[SIM_CPU_MAX_DEPTH + 1]; /* sp after the call that pushed the word with this index */
	u32 top; /* index of the word for the current pc */
	enum cpu_insn pending; /* kind of the previous instruction */
	u64 last_pc; /* address of the previous instruction */
	u64 return_addr; /* return address of a pending call */
	u64 fault_addr; /* address of the access that faulted */
	u8 code[CPU_CODE_LEN];
	int result; /* result of the run; if it is not 0, the run stops */
};

static void end_run(struct cpu *cpu, int result)
{
	cpu->result = result;
	uc_emu_stop(cpu->uc);
}

static const char *where(const struct cpu *cpu, u64 pc, char *out)
{
	return sim_where(cpu->c, pc, out, WHERE_LEN);
}

#define refuse(cpu, ...) end_run(cpu, sim_fail((cpu)->error, -ENOEXEC, __VA_ARGS__))

static void finish_call(struct cpu *cpu, u64 sp)
{
	char at[WHERE_LEN];

	if (!cpu->top) {
		refuse(cpu, "calls nest deeper than %d levels at %s", SIM_CPU_MAX_DEPTH,
		       where(cpu, cpu->last_pc, at));
		return;
	}
	cpu->sps[cpu->top] = sp;
	cpu->shadow[cpu->top--] = cpu->return_addr;
}

static void refuse_return(struct cpu *cpu, u64 pc)
{
	char from[WHERE_LEN], to[WHERE_LEN], due[WHERE_LEN];

	where(cpu, cpu->last_pc, from);
	if (cpu->top == SIM_CPU_MAX_DEPTH)
		refuse(cpu, "%s returns without a call", from);
	else
		refuse(cpu, "%s returns to %s instead of %s", from, where(cpu, pc, to),
		       where(cpu, cpu->shadow[cpu->top + 1], due));
}

static void finish_return(struct cpu *cpu, u64 pc)
{
	if (cpu->top < SIM_CPU_MAX_DEPTH && cpu->shadow[cpu->top + 1] == pc)
		cpu->top++;
	else
		refuse_return(cpu, pc);
}

/*
 * Reports an error if a jump has the effect of a return: this is so if the jump goes to the
 * return address of the current call while sp is above the words that the call pushed.
 */
static void check_jump(struct cpu *cpu, u64 pc, u64 sp)
{
	char at[WHERE_LEN];

	if (cpu->top < SIM_CPU_MAX_DEPTH && cpu->shadow[cpu->top + 1] == pc &&
	    sp >= cpu->sps[cpu->top + 1] + cpu->arch->ra_len)
		refuse(cpu, "%s returns by a jump; use a return instruction",
		       where(cpu, cpu->last_pc, at));
}

/* Applies the previous instruction, which has executed by now, to the shadow stack. */
static void finish_last(struct cpu *cpu, u64 pc, u64 sp)
{
	if (cpu->pending == CPU_CALL)
		finish_call(cpu, sp);
	else if (cpu->pending == CPU_RETURN)
		finish_return(cpu, pc);
	else
		check_jump(cpu, pc, sp);
	cpu->pending = CPU_PLAIN;
}

static void read_regs(const struct cpu *cpu, struct uw_regs *regs)
{
	const struct cpu_arch *a = cpu->arch;
	int ids[3 + UW_N_SCRATCH] = { a->sp, a->fp }, n = 2;
	void *values[3 + UW_N_SCRATCH] = { &regs->sp, &regs->fp };

	*regs = (struct uw_regs){ .pc = regs->pc };
	if (a->lr != CPU_NO_REG) {
		ids[n] = a->lr;
		values[n++] = &regs->lr;
	}
	for (int i = 0; i < a->n_scratch; i++) {
		ids[n] = a->scratch[i];
		values[n++] = &regs->scratch[i];
	}
	uc_reg_read_batch(cpu->uc, ids, values, n);
}

/* Whether the code at @pc works on the frame of the function that called it. */
static bool shares_frame(const struct cpu *cpu, u64 pc)
{
	const struct sim_window *w = sim_window_at(cpu->c, pc);

	return w && w->is_shared && cpu->top < SIM_CPU_MAX_DEPTH;
}

static void look(struct cpu *cpu, struct sim_stop *stop)
{
	u32 leaf = cpu->top + shares_frame(cpu, stop->regs.pc);
	u64 replaced = cpu->shadow[leaf];
	int result;

	cpu->shadow[leaf] = stop->regs.pc;
	stop->truth.pcs = &cpu->shadow[leaf];
	stop->truth.n = SIM_CPU_MAX_DEPTH + 1 - leaf;
	cpu->run->n_insns++;
	cpu_guard_pause();
	result = cpu->run->at_stop(cpu->run->ctx, stop);
	cpu_guard_resume();
	cpu->shadow[leaf] = replaced;
	if (result)
		end_run(cpu, result);
}

/* Reports an error for instructions that a case may not use. */
static void check_insn(struct cpu *cpu, u64 pc, enum cpu_insn kind)
{
	char at[WHERE_LEN];

	if (kind == CPU_SYSCALL)
		refuse(cpu, "the code makes a system call at %s", where(cpu, pc, at));
	else if (kind == CPU_MODE)
		refuse(cpu, "the code changes the CPU's mode at %s", where(cpu, pc, at));
}

static void on_insn(uc_engine *uc, uint64_t pc, uint32_t size, void *ctx)
{
	struct cpu *cpu = ctx;
	struct sim_stop stop = { .regs.pc = pc };
	char at[WHERE_LEN];

	(void)uc;
	stop.code_len = cpu_windows_code(&cpu->windows, pc, cpu->code, &stop.code);
	if (cpu->result || !stop.code_len)
		return;
	read_regs(cpu, &stop.regs);
	finish_last(cpu, pc, stop.regs.sp);
	if (cpu->result)
		return;
	if (pc % cpu->arch->insn_align)
		refuse(cpu, "%s jumps into the middle of an instruction, to %#lx",
		       where(cpu, cpu->last_pc, at), pc);
	else if (cpu->run->n_insns == cpu->c->max_insns)
		refuse(cpu, "the code runs longer than %llu instructions; it is at %s",
		       cpu->c->max_insns, where(cpu, pc, at));
	if (cpu->result)
		return;
	look(cpu, &stop);
	cpu->last_pc = pc;
	cpu->return_addr = pc + size;
	cpu->pending = cpu->arch->kind(stop.code, stop.code_len);
	if (!cpu->result)
		check_insn(cpu, pc, cpu->pending);
}

static void on_code_write(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value,
			  void *ctx)
{
	struct cpu *cpu = ctx;
	char at[WHERE_LEN];

	(void)uc;
	(void)type;
	(void)size;
	(void)value;
	if (!cpu->result)
		refuse(cpu,
		       "%s stores to executable memory at %#lx: self-modifying code is not "
		       "supported",
		       where(cpu, cpu->last_pc, at), addr);
}

static bool on_fault(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value,
		     void *ctx)
{
	struct cpu *cpu = ctx;

	(void)uc;
	(void)type;
	(void)size;
	(void)value;
	cpu->fault_addr = addr;
	return false;
}

/*
 * Adds the hooks before all else, because Unicorn must know them when it translates the first
 * instruction.
 */
static int add_hooks(struct cpu *cpu)
{
	uc_hook hook;
	uc_err err = uc_hook_add(cpu->uc, &hook, UC_HOOK_CODE, (void *)on_insn, cpu, 1, 0);

	if (!err)
		err = uc_hook_add(cpu->uc, &hook, UC_HOOK_MEM_INVALID, (void *)on_fault, cpu, 1, 0);
	for (u32 i = 0; i < cpu->windows.n && !err; i++) {
		const struct cpu_window *w = &cpu->windows.at[i];

		if (w->prot & SIM_WRITE && w->prot & SIM_EXEC)
			err = uc_hook_add(cpu->uc, &hook, UC_HOOK_MEM_WRITE, (void *)on_code_write,
					  cpu, w->addr, w->addr + w->len - 1);
	}
	return err ? -ENOTSUP : 0;
}

static int write_regs(const struct cpu *cpu)
{
	const struct uw_regs *regs = &cpu->c->target.regs;
	uc_err err = uc_reg_write(cpu->uc, cpu->arch->sp, &regs->sp);

	if (!err)
		err = uc_reg_write(cpu->uc, cpu->arch->fp, &regs->fp);
	for (int i = 0; !err && i < cpu->arch->n_scratch; i++)
		err = uc_reg_write(cpu->uc, cpu->arch->scratch[i], &regs->scratch[i]);
	if (!err && cpu->arch->lr != CPU_NO_REG)
		err = uc_reg_write(cpu->uc, cpu->arch->lr, &regs->lr);
	return err ? -ENOTSUP : 0;
}

static int set_up(struct cpu *cpu)
{
	int err = 0;

	if (sim_uc_open(cpu->arch->arch, cpu->arch->mode, &cpu->uc))
		return sim_fail(cpu->error, -ENOTSUP, "Unicorn has no %s", cpu->c->arch->name);
	if (cpu->arch->model != CPU_DEFAULT_MODEL &&
	    uc_ctl_set_cpu_model(cpu->uc, cpu->arch->model))
		err = -ENOTSUP;
	if (!err)
		err = cpu->arch->prepare(cpu->uc);
	if (err)
		return sim_fail(cpu->error, err, "Unicorn lacks the required CPU model");
	if (cpu_windows_list(cpu->c->target.mem, &cpu->windows))
		return sim_fail(cpu->error, -ENOTSUP, "the case's memory has more than %d ranges",
				CPU_MAX_WINDOWS);
	err = cpu_windows_map(&cpu->windows, cpu->uc);
	if (!err)
		err = add_hooks(cpu);
	if (!err)
		err = write_regs(cpu);
	return err ? sim_fail(cpu->error, err, "Unicorn can't map the memory of the case") : 0;
}

/* Sets the error to the reason why Unicorn stopped. */
static int blame(const struct cpu *cpu, uc_err err, u64 pc)
{
	char at[WHERE_LEN];
	u64 addr = cpu->fault_addr;

	where(cpu, cpu->last_pc, at);
	switch (err) {
	case UC_ERR_OK:
		return sim_fail(cpu->error, -ENOEXEC, "%s halts", at);
	case UC_ERR_FETCH_UNMAPPED:
	case UC_ERR_FETCH_PROT:
		return sim_fail(cpu->error, -ENOEXEC,
				"%s jumps outside of the code of the case, to %#llx", at, pc);
	case UC_ERR_READ_UNMAPPED:
	case UC_ERR_READ_PROT:
		return sim_fail(cpu->error, -ENOEXEC, "%s reads %#llx, which can't be read", at,
				addr);
	case UC_ERR_WRITE_UNMAPPED:
	case UC_ERR_WRITE_PROT:
		return sim_fail(cpu->error, -ENOEXEC, "%s writes %#llx, which can't be written", at,
				addr);
	case UC_ERR_INSN_INVALID:
	case UC_ERR_EXCEPTION:
		return sim_fail(cpu->error, -ENOEXEC, "%s traps, or the CPU can't execute it", at);
	default:
		return sim_fail(cpu->error, -ENOTSUP, "Unicorn fails at %s: %s", at,
				uc_strerror(err));
	}
}

/* At exit_addr, checks that all calls have returned. */
static int finish(struct cpu *cpu)
{
	struct uw_regs regs;
	char at[WHERE_LEN];

	read_regs(cpu, &regs);
	finish_last(cpu, cpu->c->exit_addr, regs.sp);
	if (!cpu->result && cpu->top != SIM_CPU_MAX_DEPTH && !cpu->c->ends_inside)
		refuse(cpu, "%s ends the case, but %d calls have not returned",
		       where(cpu, cpu->last_pc, at), SIM_CPU_MAX_DEPTH - cpu->top);
	return cpu->result;
}

static int execute(struct cpu *cpu)
{
	char at[WHERE_LEN];
	uc_err end;
	u64 pc = 0;

	if (cpu_guard_start(cpu->uc, cpu->c->target.regs.pc, cpu->c->exit_addr, &end))
		return sim_fail(cpu->error, -ENOEXEC,
				"Unicorn aborts while translating the code after %s",
				where(cpu, cpu->last_pc, at));
	if (cpu->result)
		return cpu->result;
	uc_reg_read(cpu->uc, cpu->arch->pc, &pc);
	return !end && pc == cpu->c->exit_addr ? finish(cpu) : blame(cpu, end, pc);
}

static void cleanup_cpu(struct cpu **cpu)
{
	if (*cpu && (*cpu)->uc)
		uc_close((*cpu)->uc);
	free(*cpu);
}

int sim_cpu_run(const struct sim_case *c, struct sim_cpu_run *run, struct sim_error *error)
{
	_cleanup_(cleanup_cpu) struct cpu *cpu = NULL;
	int err;

	run->n_insns = 0;
	if (!c->is_executed || strcmp(c->target.mem->ops->name, "image") != 0)
		return sim_fail(error, -ENOTSUP, "the case has no executable code");
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu)
		return -ENOMEM;
	cpu->c = c;
	cpu->arch = c->arch == &sim_arch_arm64 ? &cpu_arm64 : &cpu_x86_64;
	cpu->run = run;
	cpu->error = error;
	cpu->top = SIM_CPU_MAX_DEPTH;
	cpu->last_pc = c->target.regs.pc;
	err = set_up(cpu);
	return err ? err : execute(cpu);
}
