/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Checks that the layout agrees with the process's heap. The layout's fields that the binary's
 * metadata lacks are from a table by version, and an unknown version borrows the fields of another
 * version. The heap contains some data twice, and both must agree:
 *
 *	names  a compiled function has a ScopeInfo of the right shape, and its name is in
 *	       the source
 *	lines  the last bytecode ends with its array; each position is of the start of a
 *	       bytecode, and in the source
 *	code   indices in tables of optimized code are in range
 *
 * Each function has one vote, or no vote if it can't be checked. An aspect is not reported while
 * more votes are against the layout than for it. For a borrowed layout, an aspect is also not
 * reported while as many votes are against the layout as for it. A function that voted against the
 * layout is reported only if most votes are for the layout. For a borrowed layout, such a function
 * is reported only once the layout is trusted. After enough votes for a layout, it is trusted, and
 * functions are no longer checked.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "v8_bytecode.h"
#include "v8_probe.h"
#include "v8_scope.h"
#include "v8_string.h"

#define ENOUGH 8
#define MAX_SEARCHED (64u << 20) /* characters scanned per heap, for all names together */
#define MAX_NAME 256
#define MAX_BYTECODES_LEN (1u << 20)

static bool is_trusted(const struct v8_heap *h, enum v8_aspect aspect)
{
	const struct v8_votes *v = &h->votes[aspect];

	return v->fit >= ENOUGH && v->fit > 4 * v->misfit;
}

bool v8_probe_denies(const struct v8_heap *h, enum v8_aspect aspect)
{
	const struct v8_votes *v = &h->votes[aspect];

	return h->build->is_borrowed ? v->fit <= v->misfit : v->fit < v->misfit;
}

bool v8_heap_is_misread(const struct v8_heap *h)
{
	for (int i = 0; i < V8_N_ASPECTS; i++)
		if (h->votes[i].misfit && v8_probe_denies(h, i))
			return true;
	return false;
}

/* Counts a vote. */
static enum v8_vote cast(struct v8_heap *h, enum v8_aspect aspect, enum v8_vote vote)
{
	h->votes[aspect].fit += vote == V8_VOTE_FIT;
	h->votes[aspect].misfit += vote == V8_VOTE_MISFIT;
	return vote;
}

bool v8_probe_allows(const struct v8_heap *h, enum v8_aspect aspect, enum v8_vote vote)
{
	const struct v8_votes *v = &h->votes[aspect];

	if (v8_probe_denies(h, aspect))
		return false;
	return vote != V8_VOTE_MISFIT || is_trusted(h, aspect) ||
	       (!h->build->is_borrowed && v->fit > v->misfit);
}

#define NO_TYPE UINT16_MAX /* of a Smi: no object has it */

enum what { UNREADABLE, STRING, ODDBALL, OTHER };

static enum what what_is(struct v8_heap *h, u64 word)
{
	int type = v8_is_tagged(word) ? v8_type(h, word) : NO_TYPE;

	if (type < 0)
		return type == -EINVAL ? OTHER : UNREADABLE;
	if (type < h->l->first_nonstring_type)
		return STRING;
	return type == h->l->type_oddball ? ODDBALL : OTHER;
}

/* ---- names ---- */

struct search {
	u8 text[MAX_NAME], next[MAX_NAME]; /* the table of the Knuth-Morris-Pratt algorithm */
	size_t len, at, seen;
	bool is_blank; /* the source has only 'x' so far, as if redacted */
};

static void prepare(struct search *s, const char *text)
{
	size_t k = 0;

	*s = (struct search){ .len = strlen(text), .is_blank = true };
	memcpy(s->text, text, s->len);
	for (size_t i = 1; i < s->len; i++) {
		while (k && text[i] != text[k])
			k = s->next[k - 1];
		k += text[i] == text[k];
		s->next[i] = (u8)k;
	}
}

static int look(const struct v8_chars *c, void *data)
{
	struct search *s = data;

	s->seen += c->n;
	for (size_t i = 0; i < c->n; i++) {
		u16 unit = c->two_byte ? ((const u16 *)c->chars)[i] : ((const u8 *)c->chars)[i];

		s->is_blank &= unit == 'x' || unit == '\n' || unit == '\r';
		while (s->at && unit != s->text[s->at])
			s->at = s->next[s->at - 1];
		s->at += unit == s->text[s->at];
		if (s->at == s->len)
			return 1;
	}
	return 0;
}

/* Does the name occur in the source? Names that V8 generates do not occur in it. */
static bool is_literal(const char *name)
{
	if (strlen(name) >= MAX_NAME || strchr("[<", name[0]))
		return false;
	for (; *name; name++)
		if ((u8)*name >= 0x80)
			return false;
	return true;
}

static enum v8_vote vote_on_text(struct v8_heap *h, u64 script, const char *name)
{
	struct search s;
	u64 source;
	int r;

	if (!strncmp(name, "get ", 4) || !strncmp(name, "set ", 4))
		name += 4;
	if (v8_word(h, script, h->l->script_source, &source) < 0)
		return V8_VOTE_NONE;
	if (what_is(h, source) > STRING)
		return V8_VOTE_MISFIT;
	if (!is_literal(name))
		return V8_VOTE_NONE;
	prepare(&s, name);
	r = v8_string_visit(h, source, MAX_SEARCHED - h->searched, TARGET_SOURCE, look, &s);
	h->searched += s.seen;
	if (r < 0)
		return V8_VOTE_NONE;
	if (r)
		return V8_VOTE_FIT;
	return s.is_blank || h->searched == MAX_SEARCHED ? V8_VOTE_NONE : V8_VOTE_MISFIT;
}

/* Checks the parts of a ScopeInfo: { name, index }, inferred name or undefined. */
static enum v8_vote vote_on_scope(struct v8_heap *h, u64 scope_info)
{
	u64 name, index, inferred;
	enum what what;
	u32 off;

	if (v8_scope_name_off(h, scope_info, &off) < 0 || v8_word(h, scope_info, off, &name) < 0 ||
	    v8_word(h, scope_info, off + 8, &index) < 0 ||
	    v8_word(h, scope_info, off + 16, &inferred) < 0)
		return V8_VOTE_NONE;
	if ((name && what_is(h, name) > STRING) || !v8_is_smi(index) || v8_smi(index) < -1)
		return V8_VOTE_MISFIT;
	what = what_is(h, inferred);
	return what == OTHER ? V8_VOTE_MISFIT : what == UNREADABLE ? V8_VOTE_NONE : V8_VOTE_FIT;
}

static enum v8_vote vote_on_name(struct v8_heap *h, u64 sfi, u64 name_or_scope, u64 script)
{
	int type = v8_is_tagged(name_or_scope) ? v8_type(h, name_or_scope) : NO_TYPE;
	enum v8_vote vote;
	char name[MAX_NAME];
	u64 own, inferred;

	if (type < 0)
		return V8_VOTE_NONE;
	if (type != h->l->type_scope_info) /* the function is a builtin, or not compiled yet */
		return script && v8_bytecode_of_function(h, sfi) ? V8_VOTE_MISFIT : V8_VOTE_NONE;
	vote = script ? vote_on_scope(h, name_or_scope) : V8_VOTE_MISFIT;
	if (vote != V8_VOTE_FIT || v8_scope_names(h, name_or_scope, &own, &inferred) < 0 || !own ||
	    v8_string_utf8(h, own, name, sizeof(name)) < 0 || !name[0])
		return vote;
	return vote_on_text(h, script, name);
}

enum v8_vote v8_probe_names(struct v8_heap *h, u64 sfi, u64 name_or_scope, u64 script)
{
	return is_trusted(h, V8_NAMES)
		       ? V8_VOTE_NONE
		       : cast(h, V8_NAMES, vote_on_name(h, sfi, name_or_scope, script));
}

/* ---- lines ---- */

static bool source_len(struct v8_heap *h, u64 script, u32 *len)
{
	u64 source;

	return script && !v8_word(h, script, h->l->script_source, &source) &&
	       v8_is_string(h, source) &&
	       !v8_read(h, source - 1 + h->l->string_length, len, sizeof(*len));
}

/*
 * Returns a bitmap with a bit for each byte at which a bytecode begins, or NULL if the last
 * bytecode does not end with the array.
 */
static u8 *mark_bytecodes(const struct v8_heap *h, const u8 *bytecodes, u32 len)
{
	u8 *begins = calloc(1, len / 8 + 1);
	u32 off = 0;
	int n = 0;

	while (begins && off < len) {
		begins[off / 8] |= (u8)(1 << off % 8);
		n = v8_bytecode_len(h->build, bytecodes, len, off);
		if (n <= 0)
			break;
		off += (u32)n;
	}
	if (off == len)
		return begins;
	free(begins);
	return NULL;
}

static enum v8_vote vote_on_positions(struct v8_heap *h, u64 table, const u8 *begins, u32 len,
				      u32 source)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_positions t;
	int r = v8_read_positions(h, table, &bytes, &t), entries = 0;

	if (r == -EINVAL)
		return what_is(h, table) == OTHER || what_is(h, table) == STRING ? V8_VOTE_MISFIT
										 : V8_VOTE_NONE;
	if (r < 0)
		return V8_VOTE_NONE;
	while ((r = v8_positions_next(&t)) > 0) {
		bool is_entry = t.code == (u64)V8_FUNCTION_ENTRY;

		if (!is_entry && (t.code >= len || !(begins[t.code / 8] >> t.code % 8 & 1)))
			return V8_VOTE_MISFIT;
		if (v8_position_inlining(t.position) >= 0 || v8_position_offset(t.position) < 0 ||
		    v8_position_offset(t.position) > (s64)source)
			return V8_VOTE_MISFIT;
		entries++;
	}
	return r < 0 || !entries ? V8_VOTE_MISFIT : V8_VOTE_FIT;
}

static enum v8_vote vote_on_bytecode(struct v8_heap *h, u64 bytecode, u64 script)
{
	_cleanup_free_ u8 *bytecodes = NULL, *begins = NULL;
	u64 table;
	u32 len, source;

	if (!h->build->n_bytecodes || v8_bytecode_array_len(h, bytecode, &len) < 0 ||
	    len > MAX_BYTECODES_LEN || !source_len(h, script, &source) ||
	    v8_word(h, bytecode, h->l->bytecode_positions, &table) < 0)
		return V8_VOTE_NONE;
	bytecodes = malloc(len);
	if (!bytecodes || v8_read(h, bytecode - 1 + h->l->bytecode_data, bytecodes, len) < 0)
		return V8_VOTE_NONE;
	begins = mark_bytecodes(h, bytecodes, len);
	return begins ? vote_on_positions(h, table, begins, len, source) : V8_VOTE_MISFIT;
}

enum v8_vote v8_probe_lines(struct v8_heap *h, u64 bytecode, u64 script)
{
	if (is_trusted(h, V8_LINES) || !bytecode)
		return V8_VOTE_NONE;
	return cast(h, V8_LINES, vote_on_bytecode(h, bytecode, script));
}

/* ---- code ---- */

static enum v8_vote vote_on_optimized(struct v8_heap *h, const struct v8_code *code)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_positions t;
	u64 literals, table, word;
	u32 len;
	int r, entries = 0;

	if (v8_array_word(h, code->deopt, h->l->deopt_literals_idx, &literals) < 0 ||
	    v8_array_word(h, code->deopt, h->l->deopt_inlining_idx, &table) < 0)
		return V8_VOTE_NONE;
	r = v8_array_word(h, literals, 0, &word);
	if (r == -EINVAL || v8_byte_array(h, table, &word, &len) == -EINVAL)
		return V8_VOTE_MISFIT;
	r = v8_read_positions(h, code->positions, &bytes, &t);
	if (r < 0)
		return r == -EINVAL ? V8_VOTE_MISFIT : V8_VOTE_NONE;
	for (; (r = v8_positions_next(&t)) > 0; entries++)
		if (t.code > code->len ||
		    v8_position_inlining(t.position) >= (s64)(len / V8_INLINING_ENTRY_LEN))
			return V8_VOTE_MISFIT;
	return r < 0 ? V8_VOTE_MISFIT : entries ? V8_VOTE_FIT : V8_VOTE_NONE;
}

bool v8_probe_code(struct v8_heap *h, const struct v8_code *code)
{
	enum v8_vote vote = V8_VOTE_NONE;

	if (is_trusted(h, V8_CODE))
		return true;
	if (v8_code_function(h, code))
		vote = vote_on_optimized(h, code);
	cast(h, V8_CODE, vote);
	return v8_probe_allows(h, V8_CODE, vote);
}
