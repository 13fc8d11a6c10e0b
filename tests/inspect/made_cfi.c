/* SPDX-License-Identifier: BSD-2-Clause */

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../inspect/go/go_rows.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "made_cfi.h"

#define N_PHDRS 3

void made_put(struct made_cfi *m, u32 off, u64 value, u32 len)
{
	assert_true(off + len <= MADE_CAP);
	memcpy(m->bytes + off, &value, len);
	if (m->len < off + len)
		m->len = off + len;
}

void made_headers(struct made_cfi *m)
{
	Elf64_Ehdr *eh = (void *)m->bytes;
	Elf64_Phdr *ph = (void *)(m->bytes + sizeof(*eh));

	*eh = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = m->machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(*eh),
		.e_ehsize = sizeof(*eh),
		.e_phentsize = sizeof(*ph),
		.e_phnum = N_PHDRS,
	};
	ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
			      .p_flags = PF_R | PF_X,
			      .p_vaddr = MADE_BASE,
			      .p_filesz = MADE_HDR_OFF,
			      .p_memsz = MADE_HDR_OFF };
	ph[1] = (Elf64_Phdr){ .p_type = PT_LOAD,
			      .p_flags = PF_R,
			      .p_offset = MADE_HDR_OFF,
			      .p_vaddr = MADE_BASE + MADE_HDR_OFF,
			      .p_filesz = m->len - MADE_HDR_OFF,
			      .p_memsz = m->len - MADE_HDR_OFF };
	ph[2] = (Elf64_Phdr){ .p_type = PT_GNU_EH_FRAME,
			      .p_offset = MADE_HDR_OFF,
			      .p_vaddr = MADE_BASE + MADE_HDR_OFF,
			      .p_filesz = m->frames_off - MADE_HDR_OFF };
}

void made_init(struct made_cfi *m, u16 machine, u32 n)
{
	static const u8 cie[][24] = {
		/*
		 * length, CIE ID, version, "zR", code_align, data_align, ra, augmentation of 1
		 * byte: pcrel | sdata4
		 */
		{
			20, 0, 0,    0,	 0, 0,	  0,	0, 1, 'z',  'R',
			0,  1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1 },
		{ 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 4, 0x78, 30, 1, 0x1b, 0x0c, 31, 0 },
	};

	*m = (struct made_cfi){ .bytes = calloc(1, MADE_CAP), .machine = machine, .table_len = n };
	assert_non_null(m->bytes);
	m->frames_off = MADE_HDR_OFF + 12 + 8 * n;
	memset(m->bytes + MADE_CODE_OFF, 0x06, MADE_CODE_LEN);
	made_put(m, MADE_HDR_OFF, 0x3b031b01, 4);
	made_put(m, MADE_HDR_OFF + 4, m->frames_off - (MADE_HDR_OFF + 4), 4);
	made_put(m, MADE_HDR_OFF + 8, 0, 4);
	memcpy(m->bytes + m->frames_off, cie[machine == EM_AARCH64], sizeof(cie[0]));
	m->len = m->frames_off + sizeof(cie[0]);
	made_headers(m);
}

void made_deinit(struct made_cfi *m)
{
	free(m->bytes);
}

u32 made_fde(struct made_cfi *m, u32 start, u32 len, const void *program, u32 program_len)
{
	u32 off = m->len, entry = MADE_HDR_OFF + 12 + 8 * m->n_fdes;

	assert_true(m->n_fdes < m->table_len);
	made_put(m, off, 13 + program_len, 4);
	made_put(m, off + 4, off + 4 - m->frames_off, 4);
	made_put(m, off + 8, MADE_CODE_OFF + start - (off + 8), 4);
	made_put(m, off + 12, len, 4);
	made_put(m, off + 16, 0, 1);
	for (u32 i = 0; i < program_len; i++)
		made_put(m, off + 17 + i, ((const u8 *)program)[i], 1);
	made_put(m, entry, MADE_CODE_OFF + start - MADE_HDR_OFF, 4);
	made_put(m, entry + 4, off - MADE_HDR_OFF, 4);
	made_put(m, MADE_HDR_OFF + 8, ++m->n_fdes, 4);
	made_headers(m);
	return off;
}

int made_fd(const struct made_cfi *m, u32 len)
{
	int fd = memfd_create("made", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, m->bytes, len, 0), len);
	return fd;
}

static struct uw_rule table[UW_MAX_RULES];

static void spread(const struct rules *r, const u32 *rows, struct made_page *page)
{
	u32 at = 0, k = 0;

	assert_in_range(page->n, 1, UW_MAX_PAGE_ROWS);
	assert_int_equal(rows[0] >> UW_ROW_OFF_SHIFT, 0);
	for (; at < UW_ROW_PAGE_LEN; at++) {
		if (k + 1 < page->n && rows[k + 1] >> UW_ROW_OFF_SHIFT == at)
			k++;
		assert_in_range(rows[k] & ((1u << UW_ROW_OFF_SHIFT) - 1), 0, r->n - 1);
		page->rule[at] = table[rows[k] & ((1u << UW_ROW_OFF_SHIFT) - 1)];
	}
	assert_int_equal(k + 1, page->n);
}

int made_page(int fd, u64 page_off, struct made_page *page)
{
	_cleanup_(elf_file_free) struct elf_file *f = NULL;
	_cleanup_(cfi_free) struct cfi *c = NULL;
	_cleanup_(rules_deinit) struct rules rules = {};
	u32 rows[UW_MAX_PAGE_ROWS];
	int r = elf_file_open_fd(&f, fd);

	assert_int_equal(rules_init(&rules, table, UW_MAX_RULES), 0);
	if (!r)
		r = cfi_open(&c, f);
	if (!r)
		r = go_rows_add(c, f);
	if (!r)
		r = cfi_page(c, &rules, page_off, rows, &page->n);
	if (r < 0)
		return r;
	page->counts = *cfi_counts(c);
	spread(&rules, rows, page);
	return 0;
}
