/* SPDX-License-Identifier: BSD-2-Clause */

#include "proc_text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h, Linux 5.10 to 6.18 */

/*
 * Parses decimal digits from *at on. Return: false if there are no digits, or the number is too
 * large.
 */
static bool decimal(const char **at, const char *end, u64 *value)
{
	const char *start = *at;
	u64 v = 0;

	for (; *at < end && isdigit((unsigned char)**at); (*at)++)
		if (__builtin_mul_overflow(v, 10ull, &v) ||
		    __builtin_add_overflow(v, (u64)(**at - '0'), &v))
			return false;
	*value = v;
	return *at > start;
}

/* Advances *at by @n words, to the start of a word. A single blank separates words. */
static bool skip_words(const char **at, const char *end, int n)
{
	for (; n; n--) {
		*at = memchr(*at, ' ', end - *at);
		if (!*at)
			return false;
		(*at)++;
	}
	return true;
}

int parse_proc_stat(const char *text, size_t len, struct proc_stat *stat)
{
	const char *end = text + len, *at, *open, *close;
	struct proc_stat s = {};
	u64 ppid, flags;
	bool whole;

	open = memchr(text, '(', len);
	close = memrchr(text, ')', len);
	if (!open || !close || close < open || end - close < 5 || close[1] != ' ' ||
	    close[3] != ' ')
		return -EBADMSG;
	open++;
	len = (size_t)(close - open) < sizeof(s.comm) ? (size_t)(close - open) : sizeof(s.comm) - 1;
	memcpy(s.comm, open, len);
	s.state = close[2];
	at = close + 4;
	if (!decimal(&at, end, &ppid) || ppid > 0xffffffff)
		return -EBADMSG;
	s.ppid = ppid;
	/* proc(5): state is field 3, ppid 4, flags 9, starttime 22, */
	if (!skip_words(&at, end, 9 - 4) || !decimal(&at, end, &flags))
		return -EBADMSG;
	s.is_kernel_thread = flags & PF_KTHREAD;
	/*
	 * startcode 26, env_end 51; a number that ends with the text may be truncated, so another
	 * character must follow it
	 */
	whole = skip_words(&at, end, 22 - 9) && decimal(&at, end, &s.start_ticks) &&
		skip_words(&at, end, 26 - 22) && decimal(&at, end, &s.code_addr) &&
		skip_words(&at, end, 51 - 26) && decimal(&at, end, &s.env_end);
	if (!whole || at == end || *at != ' ')
		return -EBADMSG;
	*stat = s;
	return 0;
}

/* The last of the numbers that follow a key. */
static int last_number(const char *text, size_t len, const char *key, u64 *last)
{
	const char *end = text + len;
	const char *at = memmem(text, len, key, strlen(key));
	u64 v = 0;
	int n = 0;

	if (!at)
		return -EBADMSG;
	for (at += strlen(key); at < end && *at == '\t'; n++) {
		at++;
		if (!decimal(&at, end, &v))
			return -EBADMSG;
	}
	if (!n || at == end || *at != '\n' || v > 0xffffffff)
		return -EBADMSG;
	*last = v;
	return 0;
}

int parse_proc_nspid(const char *text, size_t len, u32 *nspid)
{
	u64 pid;
	int err = last_number(text, len, "\nNSpid:", &pid);

	if (err || !pid)
		return -EBADMSG;
	*nspid = (u32)pid;
	return 0;
}

int parse_proc_fsuid(const char *text, size_t len, u32 *uid)
{
	u64 last;
	int err = last_number(text, len, "\nUid:", &last);

	if (!err)
		*uid = (u32)last;
	return err;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Finds an id that is a whole component, or all of the text between a dash and ".scope". */
static bool id_in_component(const char *c, size_t len, const char **id)
{
	static const char suffix[] = ".scope";
	const size_t n = sizeof(suffix) - 1;

	if (len > n && !memcmp(c + len - n, suffix, n)) {
		len -= n;
		if (len <= CONTAINER_ID_LEN || c[len - CONTAINER_ID_LEN - 1] != '-')
			return false;
		if (memmem(c, len, "conmon", 6))
			return false;
		c += len - CONTAINER_ID_LEN;
	} else if (len != CONTAINER_ID_LEN) {
		return false;
	}
	for (size_t i = 0; i < CONTAINER_ID_LEN; i++)
		if (!is_hex(c[i]))
			return false;
	*id = c;
	return true;
}

bool container_id_of(const char *path, size_t len, char *id)
{
	const char *found = NULL;

	for (const char *at = path, *end = path + len; at < end;) {
		const char *slash = memchr(at, '/', end - at);
		const char *stop = slash ? slash : end;

		id_in_component(at, stop - at, &found);
		at = stop + 1;
	}
	if (!found)
		return false;
	memcpy(id, found, CONTAINER_ID_LEN);
	id[CONTAINER_ID_LEN] = '\0';
	return true;
}

int parse_proc_cgroup(const char *text, size_t len, const char **path, size_t *path_len)
{
	const char *best = NULL;
	size_t best_len = 0;
	char id[CONTAINER_ID_LEN + 1];

	for (const char *at = text, *end = text + len; at < end;) {
		const char *newline = memchr(at, '\n', end - at);
		const char *stop = newline ? newline : end;
		const char *colon = memchr(at, ':', stop - at);
		const char *p = colon ? memchr(colon + 1, ':', stop - colon - 1) : NULL;

		if (p && ++p < stop) {
			bool is_v2 = at[0] == '0' && p - at == 3;

			if (!best || is_v2) {
				best = p;
				best_len = stop - p;
			}
			if (container_id_of(p, stop - p, id)) {
				best = p;
				best_len = stop - p;
				break;
			}
		}
		at = stop + 1;
	}
	if (!best)
		return -ENOENT;
	*path = best;
	*path_len = best_len;
	return 0;
}
