// SPDX-License-Identifier: BSD-2-Clause

/*
 * naive_fp CASE: an example of a plug-in for unspool-sim that trusts every frame pointer.
 * CASE is a 64-bit ELF core of x86-64 or arm64. Build: cc -o naive_fp naive_fp.c
 */

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PR_REG 112 /* offset of pr_reg in struct elf_prstatus, <linux/elfcore.h> */
#define PADDED(len) (((len) + 3) / 4 * 4)

static unsigned char core[64 << 20];
static const Elf64_Ehdr *const elf = (void *)core;

/* Reads 8 bytes of the target; returns 0 if the core does not contain them. */
static int at(uint64_t addr, uint64_t *word)
{
	const Elf64_Phdr *p = (void *)(core + elf->e_phoff);

	for (int i = 0; i < elf->e_phnum; i++, p++)
		if (p->p_type == PT_LOAD && addr - p->p_vaddr < p->p_filesz)
			return !!memcpy(word, core + p->p_offset + (addr - p->p_vaddr), 8);
	return 0;
}

static const uint64_t *find_regs(void)
{
	const Elf64_Phdr *p = (void *)(core + elf->e_phoff);
	const Elf64_Nhdr *n;

	while (p->p_type != PT_NOTE)
		p++;
	n = (void *)(core + p->p_offset);
	while (n->n_type != NT_PRSTATUS)
		n = (void *)((char *)(n + 1) + PADDED(n->n_namesz) + PADDED(n->n_descsz));
	return (void *)((char *)(n + 1) + PADDED(n->n_namesz) + PR_REG);
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	uint64_t fp, ra, next, last = 0;

	if (!f || !fread(core, 1, sizeof(core), f))
		return 2;
	fp = find_regs()[elf->e_machine == EM_AARCH64 ? 29 : 4];
	printf("{\"frames\":[{\"pc\":\"0x%lx\"}",
	       find_regs()[elf->e_machine == EM_AARCH64 ? 32 : 16]);
	for (; fp >= 4096 && fp > last && at(fp, &next) && at(fp + 8, &ra); last = fp, fp = next)
		printf(",{\"pc\":\"0x%lx\"}", ra << 16 >> 16); /* removes arm64's signature */
	printf("],\"status\":\"%s\"}\n", fp < 4096 ? "complete" : "failed");
	return 0;
}
