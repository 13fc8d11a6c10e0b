// SPDX-License-Identifier: BSD-2-Clause

#include "at.h"

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/util/cleanup.h"
#include "../process/maps.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Parses @text, all of which must be a number. */
static int number_of(const char *text, int base, u64 *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, base);
	return *text < '0' || *text > '9' || *end || errno || *out >> 63 ? -EINVAL : 0;
}

/* Parses @text and modifies it. */
static int parse_one(struct capture_at *at, char *text)
{
	char *plus = strrchr(text, '+');
	u64 off = 0;

	if (at->n == SAMPLER_MAX_AT)
		return -E2BIG;
	if (*text >= '0' && *text <= '9')
		return number_of(text, 16, &at->v[at->n++].off);
	if (plus)
		*plus = '\0';
	if (!*text || (plus && number_of(plus + 1, 0, &off)))
		return -EINVAL;
	at->v[at->n].off = off;
	at->v[at->n].symbol = strdup(text);
	return at->v[at->n++].symbol ? 0 : -ENOMEM;
}

int capture_at_parse(struct cli_parse *p, const char *arg, struct capture_at *at)
{
	_cleanup_free_ char *text = strdup(arg);
	char *rest = text, *one;
	int err = text ? 0 : -ENOMEM;

	while (!err && (one = strsep(&rest, ",")))
		err = parse_one(at, one);
	if (err == -E2BIG)
		return cli_fail(p, "--at: more than %d instructions; give fewer", SAMPLER_MAX_AT);
	return err ? cli_fail(p,
			      "--at %s: write an address as 0x7f1234, a function as NAME or NAME+4",
			      arg)
		   : 0;
}

void capture_at_deinit(struct capture_at *at)
{
	for (u32 i = 0; i < at->n; i++)
		free(at->v[i].symbol);
	*at = (struct capture_at){ 0 };
}

struct wanted {
	const char *symbol;
	u64 addr; /* 0: not found yet */
};

static int is_symbol(const struct elf_symbol *s, void *data)
{
	struct wanted *w = data;

	if (s->defined && s->addr && !strcmp(s->name, w->symbol))
		w->addr = s->addr;
	return w->addr != 0;
}

struct place {
	const char *path; /* the path, as /proc/PID/maps prints it */
	u64 file_off;
	u64 *addrs;
	u32 *n;
	bool found;
};

static int take_mapping(const struct maps_entry *e, void *data)
{
	struct place *p = data;

	if (e->path_len != strlen(p->path) || memcmp(e->path, p->path, e->path_len) != 0 ||
	    p->file_off - e->file_off >= e->end_addr - e->start_addr)
		return 0;
	p->found = true;
	if (*p->n == SAMPLER_MAX_AT)
		return -E2BIG;
	p->addrs[(*p->n)++] = e->start_addr + (p->file_off - e->file_off);
	return 0;
}

/* Return: 0, -ENOENT (no such symbol), -E2BIG, or the negative errno of a read. */
static int add_symbol(u32 pid, const char *symbol, u64 off, u64 *addrs, u32 *n)
{
	_cleanup_(elf_file_free) struct elf_file *elf = NULL;
	char exe[32], path[PATH_MAX];
	struct wanted w = { .symbol = symbol };
	struct place p = { .path = path, .addrs = addrs, .n = n };
	ssize_t len;
	int err;

	snprintf(exe, sizeof(exe), "/proc/%u/exe", pid);
	len = readlink(exe, path, sizeof(path) - 1);
	if (len < 0)
		return -errno;
	path[len] = '\0';
	err = elf_file_open(&elf, exe);
	if (!err)
		err = elf_file_each_symbol(elf, is_symbol, &w);
	if (err < 0)
		return err;
	if (!w.addr || elf_file_addr_to_off(elf, w.addr + off, &p.file_off))
		return -ENOENT;
	err = maps_each_exec(pid, take_mapping, &p);
	return err ? err : p.found ? 0 : -ENOENT;
}

int capture_at_resolve(const struct capture_at *at, u32 pid, u64 *addrs, u32 *n)
{
	int err = 0;

	*n = 0;
	for (u32 i = 0; i < at->n; i++) {
		const char *symbol = at->v[i].symbol;

		if (symbol)
			err = add_symbol(pid, symbol, at->v[i].off, addrs, n);
		else if (*n < SAMPLER_MAX_AT)
			addrs[(*n)++] = at->v[i].off;
		else
			err = -E2BIG;
		if (!err)
			continue;
		if (err == -E2BIG)
			cli_error("--at: more than %d addresses, because some functions are mapped "
				  "twice; give fewer",
				  SAMPLER_MAX_AT);
		else if (err == -ENOENT)
			cli_error("--at %s: no such symbol in the executable of pid %u; nm prints "
				  "all symbols",
				  symbol, pid);
		else
			cli_error("--at %s: cannot read pid %u: %s", symbol, pid, strerror(-err));
		return err == -ENOENT || err == -E2BIG ? CLI_USAGE : CLI_CANNOT_RUN;
	}
	return CLI_OK;
}
