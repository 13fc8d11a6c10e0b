// SPDX-License-Identifier: BSD-2-Clause

#include "row_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../inspect/dotnet/r2r_rows.h"
#include "../../inspect/go/go_rows.h"
#include "../../inspect/util/cleanup.h"

struct row_files {
	struct row_source source;
	struct row_file *v[ROW_MAX_FILES]; /* unordered */
	u32 n, n_open;
	u64 clock;
};

static bool is_open(const struct row_file *f)
{
	return f->elf || f->r2r || f->trampoline.end_off;
}

static void file_close(struct row_files *files, struct row_file *f)
{
	if (!is_open(f))
		return;
	cfi_free(&f->cfi);
	elf_file_free(&f->debug);
	elf_file_free(&f->elf);
	r2r_rows_free(&f->r2r);
	row_images_close(&f->images);
	f->trampoline.end_off = 0;
	f->has_debug = false;
	files->n_open--;
}

static void file_free(struct row_files *files, struct row_file *f)
{
	file_close(files, f);
	row_images_deinit(&f->images);
	free(f->loaded);
	free(f);
}

int row_files_new(struct row_files **out, const struct row_source *source)
{
	struct row_files *files = calloc(1, sizeof(*files));

	if (!files)
		return -ENOMEM;
	files->source = *source;
	*out = files;
	return 0;
}

void row_files_free(struct row_files **files)
{
	if (!*files)
		return;
	for (u32 i = 0; i < (*files)->n; i++)
		file_free(*files, (*files)->v[i]);
	free(TAKE_PTR(*files));
}

/* Index in v of the least recently used file, or of the least recently used open file. */
static u32 oldest(const struct row_files *files, bool open)
{
	u32 best = files->n;

	for (u32 i = 0; i < files->n; i++)
		if ((!open || is_open(files->v[i])) &&
		    (best == files->n || files->v[i]->used < files->v[best]->used))
			best = i;
	return best;
}

struct row_file *row_files_get(struct row_files *files, u32 module)
{
	struct row_file *f;

	for (u32 i = 0; i < files->n; i++)
		if (files->v[i]->module == module)
			return files->v[i];
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->module = module;
	f->used = ++files->clock;
	if (files->n == ROW_MAX_FILES) {
		u32 i = oldest(files, false);

		file_free(files, files->v[i]);
		files->v[i] = files->v[--files->n];
	}
	files->v[files->n++] = f;
	return f;
}

struct row_file *row_files_best(struct row_files *files,
				bool (*is_better)(const struct row_file *f,
						  const struct row_file *than))
{
	struct row_file *best = NULL;

	for (u32 i = 0; i < files->n; i++)
		if (is_better(files->v[i], best))
			best = files->v[i];
	return best;
}

/* Grows the bitmap of pages for code that ends at page @end. */
static int extend(struct row_file *f, u64 end)
{
	u64 n = end - f->first_page;
	size_t before = f->loaded ? (f->n_pages + 63) / 64 : 0, after;
	u64 *bits;

	n = n > ROW_MAX_FILE_PAGES ? ROW_MAX_FILE_PAGES : n;
	after = (n + 63) / 64;
	if (f->loaded && n <= f->n_pages)
		return 0;
	bits = reallocarray(f->loaded, after, sizeof(u64));
	if (!bits)
		return -ENOMEM;
	memset(bits + before, 0, (after - before) * sizeof(u64));
	f->loaded = bits;
	f->n_pages = (u32)n;
	return 0;
}

static int set_pages(struct row_file *f, u64 first, u64 end)
{
	int err = 0;

	if (first >= end || end > ~0u)
		return -ENOENT;
	f->first_page = (u32)first;
	f->end_page = (u32)end;
	err = extend(f, end);
	for (u32 i = 0; !err && i < f->images.n; i++)
		err = extend(f, f->images.v[i].end_page);
	return err;
}

void row_file_add_image(struct row_file *f, const struct row_image *image)
{
	if (f->has_none || (f->loaded && image->first_page < f->end_page) ||
	    row_images_add(&f->images, image) <= 0)
		return;
	if (f->loaded)
		extend(f, image->end_page);
}

/* Finds the first and last page of code. Only crafted files have gaps between pages of code. */
static int find_code(struct row_file *f)
{
	const struct elf_segment *s;
	u64 first = ~0ull, end = 0;
	size_t n;

	s = elf_file_segments(f->elf, &n);
	for (size_t i = 0; i < n; i++) {
		u64 last = (s[i].file_off + s[i].file_len - 1) / UW_ROW_PAGE_LEN;

		if (!s[i].is_exec || !s[i].file_len || last > ~0u)
			continue;
		if (s[i].file_off / UW_ROW_PAGE_LEN < first)
			first = s[i].file_off / UW_ROW_PAGE_LEN;
		if (last >= end)
			end = last + 1;
	}
	return set_pages(f, first, end);
}

static int find_r2r_code(struct row_file *f)
{
	u64 start_off, end_off;

	r2r_rows_span(f->r2r, &start_off, &end_off);
	return set_pages(f, start_off / UW_ROW_PAGE_LEN, end_off / UW_ROW_PAGE_LEN + 1);
}

/*
 * Limits background loading to code that has unwind information, because some linkers put read-only
 * data beside code.
 */
static void find_described(struct row_file *f)
{
	u64 start, end;
	u32 n;

	f->next = 0;
	f->end = f->n_pages;
	if (f->elf && !cfi_span(f->cfi, &start, &end) && start / UW_ROW_PAGE_LEN >= f->first_page &&
	    end / UW_ROW_PAGE_LEN < (u64)f->first_page + f->n_pages) {
		f->next = (u32)(start / UW_ROW_PAGE_LEN) - f->first_page;
		n = (u32)(end / UW_ROW_PAGE_LEN) + 2 -
		    f->first_page; /* + 2, because the last function may start in one page and end
				    * in the next */
		f->end = n < f->n_pages ? n : f->n_pages;
	}
	if (f->end - f->next > ROW_IDLE_PAGES)
		f->end = f->next + ROW_IDLE_PAGES;
}

static int open_cfi(struct row_files *files, struct row_file *f)
{
	const struct row_source *source = &files->source;
	struct row_code code = { 0 };
	int err = cfi_open(&f->cfi, f->elf);

	if (!err)
		err = go_rows_add(f->cfi, f->elf);
	if (err || !source->code || !source->code(f->module, &code, source->data))
		return err;
	f->costly_first = (u32)(code.off / UW_ROW_PAGE_LEN);
	f->costly_n = (u32)((code.off % UW_ROW_PAGE_LEN + code.len + UW_ROW_PAGE_LEN - 1) /
			    UW_ROW_PAGE_LEN);
	return cfi_add_provider(f->cfi, &code.provider);
}

/* Opens the reader that understands the file. */
static int reader_open(struct row_file *f, int fd)
{
	int err = elf_file_open_fd(&f->elf, fd);

	if (err == -ENOEXEC)
		err = r2r_rows_open(&f->r2r, fd, 0);
	if (err == -ENOEXEC)
		err = trampoline_open(&f->trampoline, fd);
	return err;
}

static int find_pages(struct row_file *f)
{
	if (f->elf)
		return find_code(f);
	return f->r2r ? find_r2r_code(f) : set_pages(f, 0, TRAMPOLINES_LEN / UW_ROW_PAGE_LEN);
}

static int file_open(struct row_files *files, struct row_file *f, int fd)
{
	int err = reader_open(f, fd);

	if (!err) {
		files->n_open++;
		err = find_pages(f);
	}
	if (!err && f->elf)
		err = open_cfi(files, f);
	if (!err && !f->end)
		find_described(f);
	if (err)
		file_close(files, f);
	if (err == -ENOEXEC || err == -EINVAL || err == -EFBIG || err == -ENOTSUP)
		err = -ENOENT;
	f->has_none = err == -ENOENT;
	return err;
}

int row_files_open(struct row_files *files, struct row_file *f)
{
	struct stat st;
	int fd;

	if (f->has_none)
		return -ENOENT;
	fd = files->source.open(f->module, false, files->source.data);
	f->used = ++files->clock;
	if (fd < 0 || is_open(f))
		return fd < 0 ? fd : 0;
	if (fstat(fd, &st))
		return -errno;
	f->uid = st.st_uid;
	if (files->n_open == ROW_MAX_OPEN_FILES)
		file_close(files, files->v[oldest(files, true)]);
	return file_open(files, f, fd);
}

/*
 * Opens the debug file. Errors in the debug file are ignored, because the file's own rows can still
 * be used.
 */
static int add_debug(struct row_files *files, struct row_file *f)
{
	int fd = -ENOENT;

	if (f->has_debug)
		return 0;
	if (!cfi_has_entries(f->cfi))
		fd = files->source.open(f->module, true, files->source.data);
	if (fd == -EINPROGRESS)
		return fd;
	f->has_debug = true;
	if (fd >= 0 && !elf_file_open_fd(&f->debug, fd))
		cfi_add_debug(f->cfi, f->debug);
	return 0;
}

int row_files_read(struct row_files *files, struct row_file *f, u32 page, struct rules *rules,
		   u32 *rows, u32 *n)
{
	int err = row_files_open(files, f);

	if (!err && page - f->first_page >= f->n_pages)
		err = -ENOENT;
	if (!err && f->r2r)
		return r2r_rows_page(f->r2r, rules, (u64)page * UW_ROW_PAGE_LEN, rows, n);
	if (!err && f->trampoline.end_off) {
		*n = trampoline_page(&f->trampoline, rules, rows);
		return 0;
	}
	if (!err && page >= f->end_page)
		return row_images_page(&f->images,
				       files->source.open(f->module, false, files->source.data),
				       rules, page, rows, n);
	if (!err)
		err = add_debug(files, f);
	if (err)
		return err;
	return cfi_page(f->cfi, rules, (u64)page * UW_ROW_PAGE_LEN, rows, n);
}

bool row_file_is_costly(const struct row_file *f, u32 page)
{
	return page - f->costly_first < f->costly_n;
}

bool row_file_loaded(struct row_file *f, u32 page)
{
	u32 i = page - f->first_page;
	bool before = f->loaded[i / 64] >> i % 64 & 1;

	f->loaded[i / 64] |= 1ull << i % 64;
	return before;
}
