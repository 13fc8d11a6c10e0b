// SPDX-License-Identifier: BSD-2-Clause

#include "row_filler.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "../../inspect/util/budget.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"

/*
 * length of a queue in pages; a page for which there is no room is requested again at its next miss
 */
#define MAX_WANTED 1024
/*
 * Limits of new rules: libclang, with 76 MB of code, has 765 rules, and most files share most
 * rules. Only root can make files of root, so their number is not limited further.
 */
#define FILE_RULES 1024
#define USER_RULES (UW_MAX_RULES / 4)
#define USERS_RULES (UW_MAX_RULES / 4 * 3)
#define MAX_USERS 16
#define MISS_SHARE 20 /* misses may use 1/20 of the elapsed time */
#define IDLE_SHARE 100
#define READ_NS 200000000ull /* CPU time for one page (budget.h) */
#define COSTLY_NS 4000000ull /* limit per call, because other misses must not wait long */

struct wanted {
	u32 module, page;
};

/* A ring buffer. */
struct queue {
	struct wanted v[MAX_WANTED];
	u32 newest, oldest;
};

/*
 * CPU time that may be spent. This budget grows with elapsed time, up to the length of a burst.
 */
struct credit {
	s64 left_ns, burst_ns;
	u64 seen_ns;
};

struct row_filler {
	struct row_pool *pool;
	struct row_files *files;
	struct rules rules;
	struct rules_share users; /* all users but root */
	struct {
		uid_t uid;
		struct rules_share share;
	} user[MAX_USERS]; /* the last one stands for all further users */
	u32 n_users;
	struct queue missed, probable; /* probable is read only when missed is empty */
	struct queue costly; /* missed pages of V8's builtins; a walk that lacks such a page makes
			      * no guess */
	struct credit for_misses, for_costly, for_idle;
	u64 n_refetched, n_failed;
	bool is_off; /* there is no pool, so nothing is loaded */
	u32 rows[UW_MAX_PAGE_ROWS];
};

int row_filler_new(struct row_filler **filler, const struct row_memory *memory,
		   const struct row_source *source)
{
	_cleanup_(row_filler_free) struct row_filler *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->for_misses.left_ns = f->for_misses.burst_ns = ROW_MISS_BURST_NS;
	f->for_costly.left_ns = f->for_costly.burst_ns = ROW_MISS_BURST_NS;
	f->for_idle.left_ns = f->for_idle.burst_ns = ROW_IDLE_BURST_NS;
	f->is_off = !memory->n_rows;
	err = row_pool_new(&f->pool, memory);
	if (!err)
		err = row_files_new(&f->files, source);
	if (!err)
		err = rules_init(&f->rules, memory->rules, UW_MAX_RULES);
	if (err)
		return err;
	*filler = TAKE_PTR(f);
	return 0;
}

void row_filler_free(struct row_filler **f)
{
	if (!*f)
		return;
	row_pool_free(&(*f)->pool);
	row_files_free(&(*f)->files);
	rules_deinit(&(*f)->rules);
	free(TAKE_PTR(*f));
}

static bool queue_has(const struct queue *q, u32 module, u32 page)
{
	for (u32 i = q->oldest; i != q->newest; i++)
		if (q->v[i % MAX_WANTED].module == module && q->v[i % MAX_WANTED].page == page)
			return true;
	return false;
}

static bool want(struct row_filler *f, struct queue *q, u32 module, u32 page)
{
	if (q->newest - q->oldest == MAX_WANTED || row_pool_has(f->pool, module, page) ||
	    queue_has(q, module, page))
		return false;
	q->v[q->newest++ % MAX_WANTED] = (struct wanted){ module, page };
	return true;
}

void row_filler_miss(struct row_filler *f, u32 module, u32 page)
{
	struct row_file *file = module && !f->is_off ? row_files_get(f->files, module) : NULL;

	if (!file || file->has_none)
		return;
	file->n_missed++;
	want(f, row_file_is_costly(file, page) ? &f->costly : &f->missed, module, page);
}

u32 row_filler_prefetch(struct row_filler *f, u32 module, u32 page)
{
	struct row_file *file = f->is_off ? NULL : row_files_get(f->files, module);

	return file && !file->has_none && want(f, &f->probable, module, page);
}

void row_filler_expect(struct row_filler *f, u32 module)
{
	if (module)
		row_files_get(f->files, module);
}

void row_filler_image(struct row_filler *f, u32 module, const struct row_image *image)
{
	struct row_file *file = f->is_off ? NULL : row_files_get(f->files, module);

	if (file)
		row_file_add_image(file, image);
}

bool row_filler_has_image(struct row_filler *f, u32 module, u32 page)
{
	struct row_file *file = f->is_off ? NULL : row_files_get(f->files, module);

	return !file || row_images_has(&file->images, page);
}

static bool has_credit(struct credit *c, u32 share, s64 kept_ns)
{
	u64 now = monotonic_ns();

	if (c->seen_ns)
		c->left_ns += (s64)((now - c->seen_ns) / share);
	if (c->left_ns > c->burst_ns)
		c->left_ns = c->burst_ns;
	c->seen_ns = now;
	return c->left_ns > kept_ns;
}

/* The share of a user; NULL: no limit. */
static struct rules_share *share_of_user(struct row_filler *f, uid_t uid)
{
	u32 i = 0;

	if (!uid)
		return NULL;
	while (i < f->n_users && f->user[i].uid != uid)
		i++;
	if (i == f->n_users && i == MAX_USERS)
		return &f->user[MAX_USERS - 1].share;
	if (i == f->n_users) {
		f->users.max = USERS_RULES;
		f->user[i].uid = uid;
		f->user[i].share = (struct rules_share){ .max = USER_RULES, .of = &f->users };
		f->n_users++;
	}
	return &f->user[i].share;
}

/* Limits the rules of a file, which must be opened for that. Return: 0 or a negative errno. */
static int find_share(struct row_filler *f, struct row_file *file)
{
	int err = file->rules.max ? 0 : row_files_open(f->files, file);

	if (!err && !file->rules.max)
		file->rules = (struct rules_share){ .max = FILE_RULES,
						    .of = share_of_user(f, file->uid) };
	return err;
}

/*
 * Loads a page. Return: 0, -EAGAIN (the pool has no room in this tick), -EINPROGRESS (the debug
 * file is still searched for), or another negative errno if there are no rows now.
 */
static int load(struct row_filler *f, struct row_file *file, u32 page, struct credit *credit)
{
	u64 before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct budget budget;
	u32 n = 0;
	int err;

	budget_begin(&budget, READ_NS);
	err = find_share(f, file);
	f->rules.share = &file->rules;
	if (!err)
		err = row_files_read(f->files, file, page, &f->rules, f->rows, &n);
	budget_end(&budget);
	file->has_none |= err && budget.is_spent;

	if (!err)
		err = row_pool_add(f->pool, file->module, page, f->rows, n);
	if (!err)
		f->n_refetched += row_file_loaded(file, page);
	f->n_failed += err && err != -ENOENT && err != -EAGAIN && err != -EINPROGRESS;
	credit->left_ns -= (s64)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - before);
	return err;
}

/* Loads the oldest page of a queue. Return: false if no page can be loaded now. */
static bool load_wanted(struct row_filler *f, struct queue *q, struct credit *credit)
{
	struct wanted w = q->v[q->oldest % MAX_WANTED];
	struct row_file *file = row_files_get(f->files, w.module);
	bool is_there = !file || row_pool_has(f->pool, w.module, w.page);

	if (!is_there && load(f, file, w.page, credit) == -EAGAIN)
		return false;
	q->oldest++;
	if (is_there || q != &f->missed)
		return true;
	want(f, &f->probable, w.module, w.page + 1);
	if (w.page)
		want(f, &f->probable, w.module, w.page - 1);
	return true;
}

/*
 * Loads the oldest page of a queue, if its time budget allows that. Probable pages may use only
 * half of the burst; the other half is kept for future misses.
 *
 * Return: false if the queue is empty or no page can be loaded now.
 */
static bool load_first(struct row_filler *f, struct queue *q, struct credit *credit, u64 until_ns)
{
	s64 kept_ns = q == &f->probable ? credit->burst_ns / 2 : 0;

	return q->oldest != q->newest && has_credit(credit, MISS_SHARE, kept_ns) &&
	       monotonic_ns() < until_ns && load_wanted(f, q, credit);
}

void row_filler_misses(struct row_filler *f, u64 until_ns)
{
	u64 costly_ns;

	row_pool_tick(f->pool, monotonic_ns());
	while (load_first(f, f->missed.oldest != f->missed.newest ? &f->missed : &f->probable,
			  &f->for_misses, until_ns))
		;
	costly_ns = monotonic_ns() + COSTLY_NS;
	while (load_first(f, &f->costly, &f->for_costly,
			  costly_ns < until_ns ? costly_ns : until_ns))
		;
}

/*
 * Number of pages of a file that background loading has not reached yet; 1 if the file was never
 * opened.
 */
static u32 n_left(const struct row_file *f)
{
	if (f->has_none || f->is_given_up)
		return 0;
	return f->end ? f->end - f->next : 1;
}

/*
 * Prefers files in which walks missed pages; of files that are equal in this, prefers the one with
 * fewer pages left.
 */
static bool is_better(const struct row_file *f, const struct row_file *than)
{
	if (!n_left(f) || !than)
		return n_left(f) != 0;
	if (!f->n_missed != !than->n_missed)
		return f->n_missed != 0;
	return n_left(f) < n_left(than);
}

/*
 * Loads the next page of a file in the background. Returns -EAGAIN if that is not possible now. If
 * a file can't be opened, background loading of the file stops, and only missed pages are loaded.
 */
static int load_next(struct row_filler *f, struct row_file *file)
{
	int err = row_files_open(f->files, file);
	u32 page = file->first_page + file->next;

	if (err) {
		file->is_given_up = true;
		return err;
	}
	if (!row_pool_has(f->pool, file->module, page) && !row_file_is_costly(file, page))
		err = load(f, file, page, &f->for_idle);
	if (err == -EINPROGRESS)
		err = -EAGAIN;
	if (err != -EAGAIN)
		file->next++;
	return err;
}

bool row_filler_idle(struct row_filler *f, u64 until_ns)
{
	while (row_pool_room(f->pool) >= UW_MAX_PAGE_ROWS &&
	       has_credit(&f->for_idle, IDLE_SHARE, 0)) {
		struct row_file *file = row_files_best(f->files, is_better);

		if (!file || load_next(f, file) == -EAGAIN)
			return false;
		if (monotonic_ns() >= until_ns)
			return true;
	}
	return false;
}

const struct uw_rule *row_filler_rule(const struct row_filler *f, u32 module, u64 file_off)
{
	return row_pool_rule(f->pool, module, file_off);
}

struct row_counts row_filler_counts(const struct row_filler *f)
{
	return (struct row_counts){ .pool = row_pool_counts(f->pool),
				    .refetched = f->n_refetched,
				    .failed = f->n_failed,
				    .rules = f->rules.n,
				    .rules_refused = f->rules.n_refused };
}
