/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes pprof's format (pprof.proto), compressed with gzip. Each frame is a location with one
 * line, because readers show only the outermost of several lines. Samples with equal stacks,
 * threads and activities are one sample with these labels:
 *
 *	process pid thread tid    strings and numbers
 *	status reason             of the stack; reason only if the stack is incomplete
 *	tier                      of the innermost frame
 *	guess                     "yes" if a frame is a guess
 *	activity                  js, gc, compile, ...
 *
 * The lists of a profile may be written in pieces, because protobuf appends the elements of
 * equal fields. Each piece here is a profile that has one element; strings come last.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "gzip_stream.h"
#include "model.h"
#include "out.h"
#include "pprof.pb-c.h"

#define STRINGS_LIMIT (256u << 20)
#define MAX_LABELS 9

struct pprof {
	struct model model;
	struct intern strings; /* the string table */
	struct intern mappings; /* strings of the file and the build id */
	u32 *mapping_of_frame; /* number of the mapping, from 1; 0: none */
	FILE *out;
	u8 *bytes; /* of a piece */
	size_t bytes_room;
	int err; /* the first error */
};

/* A sample with the memory of its lists. */
struct piece {
	Pprof__Sample sample;
	Pprof__Label labels[MAX_LABELS], *label[MAX_LABELS];
	int64_t values[2];
	uint64_t locations[PROF_MAX_FRAMES];
};

static void pprof_deinit(struct pprof *p)
{
	model_deinit(&p->model);
	intern_deinit(&p->strings);
	intern_deinit(&p->mappings);
	free(p->mapping_of_frame);
	free(p->bytes);
	gzip_stream_close(&p->out);
}

static void put(struct pprof *p, const Pprof__Profile *piece)
{
	size_t len = pprof__profile__get_packed_size(piece);

	if (!p->err && array_reserve(p->bytes, p->bytes_room, len))
		p->err = -ENOMEM;
	if (p->err)
		return;
	pprof__profile__pack(piece, p->bytes);
	if (fwrite(p->bytes, 1, len, p->out) != len)
		p->err = errno ? -errno : -EIO;
}

/* Returns the index of a string. A NULL string is the empty one, which has index 0. */
static s64 string_idx(struct pprof *p, const char *s)
{
	const char *clean = model_clean(&p->model, s ? s : "");
	u32 idx = 0;
	int r = clean ? intern_add(&p->strings, clean, strlen(clean), &idx) : -ENOMEM;

	if (r < 0 && !p->err)
		p->err = model_table_error(&p->model, r);
	return idx;
}

/* ---- the head ---- */

static Pprof__ValueType value_type(struct pprof *p, const char *type, const char *unit)
{
	Pprof__ValueType v = PPROF__VALUE_TYPE__INIT;

	v.type = string_idx(p, type);
	v.unit = string_idx(p, unit);
	return v;
}

static s64 lost_comment(struct pprof *p)
{
	char text[64];

	snprintf(text, sizeof(text), "lost samples: %llu", p->model.data->summary.lost);
	return string_idx(p, text);
}

static void put_head(struct pprof *p)
{
	const struct prof_data *d = p->model.data;
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	Pprof__ValueType samples = value_type(p, "samples", "count");
	Pprof__ValueType cpu = value_type(p, "cpu", "nanoseconds"), *types[] = { &samples, &cpu };
	int64_t comments[] = { string_idx(p, "unspool " UNSPOOL_VERSION), lost_comment(p) };

	profile.n_sample_type = d->hz ? 2 : 1;
	profile.sample_type = types;
	profile.time_nanos = (s64)p->model.start_ns;
	profile.duration_nanos = (s64)d->summary.duration_ns;
	profile.n_comment = ARRAY_SIZE(comments);
	profile.comment = comments;
	if (d->hz) {
		profile.period_type = &cpu;
		profile.period = (s64)p->model.period_ns;
		profile.default_sample_type = cpu.type;
	}
	put(p, &profile);
}

/* ---- samples ---- */

static Pprof__Label *add_label(struct pprof *p, struct piece *piece, const char *key)
{
	Pprof__Label *l = &piece->labels[piece->sample.n_label];

	pprof__label__init(l);
	l->key = string_idx(p, key);
	piece->label[piece->sample.n_label++] = l;
	return l;
}

static void add_text(struct pprof *p, struct piece *piece, const char *key, const char *text)
{
	if (text)
		add_label(p, piece, key)->str = string_idx(p, text);
}

static bool has_guess(const struct prof_data *d, const struct data_stack *s)
{
	for (u32 i = 0; i < s->n_frames; i++)
		if (d->frames[s->frames[i]].guess)
			return true;
	return false;
}

static void add_labels(struct pprof *p, struct piece *piece, const struct data_sample *sample)
{
	const struct prof_data *d = p->model.data;
	const struct model_thread *t = &p->model.threads[p->model.labels.of_cell[sample->cell]];
	const struct data_stack *s = &d->stacks[model_stack(&p->model, sample)];

	add_text(p, piece, "process", t->process);
	add_label(p, piece, "pid")->num = t->pid;
	add_text(p, piece, "thread", t->name);
	add_label(p, piece, "tid")->num = t->tid;
	add_text(p, piece, "status", prof_status_name(s->status));
	add_text(p, piece, "reason", s->reason);
	add_text(p, piece, "tier", s->n_frames ? d->frames[s->frames[0]].tier : NULL);
	add_text(p, piece, "guess", has_guess(d, s) ? "yes" : NULL);
	add_text(p, piece, "activity", prof_activity_name(sample->activity));
}

static void put_sample(struct pprof *p, struct piece *piece, const struct data_sample *sample,
		       u64 count)
{
	const struct data_stack *s = &p->model.data->stacks[model_stack(&p->model, sample)];
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	Pprof__Sample *samples[] = { &piece->sample };

	pprof__sample__init(&piece->sample);
	piece->values[0] = (int64_t)count;
	piece->values[1] = (int64_t)(count * p->model.period_ns);
	piece->sample.n_value = p->model.data->hz ? 2 : 1;
	piece->sample.value = piece->values;
	piece->sample.n_location_id = s->n_frames;
	piece->sample.location_id = piece->locations;
	for (u32 i = 0; i < s->n_frames; i++)
		piece->locations[i] = s->frames[i] + 1ull;
	piece->sample.label = piece->label;
	add_labels(p, piece, sample);
	profile.n_sample = 1;
	profile.sample = samples;
	put(p, &profile);
}

static int by_cell_and_activity(const void *a, const void *b)
{
	const struct data_sample *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return (x->activity > y->activity) - (x->activity < y->activity);
}

static void put_samples(struct pprof *p)
{
	struct prof_data *d = p->model.data;
	_cleanup_free_ struct piece *piece = malloc(sizeof(*piece));
	u64 count = 0;

	if (!piece) {
		p->err = -ENOMEM;
		return;
	}
	qsort(d->list, d->n_list, sizeof(*d->list), by_cell_and_activity);
	for (u32 i = 0; i < d->n_list && !p->err; i++) {
		count += d->list[i].count;
		if (i + 1 < d->n_list && !by_cell_and_activity(&d->list[i], &d->list[i + 1]))
			continue;
		put_sample(p, piece, &d->list[i], count);
		count = 0;
	}
}

/* ---- mappings, locations and functions ---- */

struct mapping {
	s64 filename, build_id;
};

/* Returns the number of the mapping, from 1. */
static u32 mapping_of(struct pprof *p, const char *module, const char *build_id)
{
	struct mapping mapping = { string_idx(p, module), string_idx(p, build_id) };
	u32 idx = 0;
	int r = intern_add(&p->mappings, &mapping, sizeof(mapping), &idx);

	if (r < 0 && !p->err)
		p->err = model_table_error(&p->model, r);
	return idx + 1;
}

/*
 * A location's address is the offset in its module, so every mapping begins at 0. Offsets are
 * known only for frames without a name. Readers take the first mapping for the program.
 */
static void find_mappings(struct pprof *p)
{
	const struct prof_data *d = p->model.data;
	const struct data_process *busiest = data_busiest(d);
	const char *exe = busiest ? busiest->process.exe : NULL, *id = NULL;

	p->mapping_of_frame = calloc(d->n_frames + 1ul, sizeof(u32));
	if (!p->mapping_of_frame) {
		p->err = -ENOMEM;
		return;
	}
	for (u32 i = 0; exe && !id && i < d->n_frames; i++)
		if (d->frames[i].module && !strcmp(d->frames[i].module, exe))
			id = d->frames[i].build_id;
	if (exe)
		mapping_of(p, exe, id);
	for (u32 i = 0; i < d->n_frames && !p->err; i++)
		if (d->frames[i].module)
			p->mapping_of_frame[i] =
				mapping_of(p, d->frames[i].module, d->frames[i].build_id);
}

static void put_mappings(struct pprof *p)
{
	for (u32 i = 0; i < p->mappings.n; i++) {
		Pprof__Profile profile = PPROF__PROFILE__INIT;
		Pprof__Mapping m = PPROF__MAPPING__INIT, *mappings[] = { &m };
		struct mapping key;
		size_t len;

		memcpy(&key, intern_key(&p->mappings, i, &len), sizeof(key));
		m.id = i + 1ull;
		m.memory_limit = ~0ull >> 1;
		m.filename = key.filename;
		m.build_id = key.build_id;
		m.has_functions = m.has_filenames = m.has_line_numbers = true;
		profile.n_mapping = 1;
		profile.mapping = mappings;
		put(p, &profile);
	}
}

static void put_locations(struct pprof *p)
{
	for (u32 i = 0; i < p->model.data->n_frames && !p->err; i++) {
		const struct prof_frame *f = &p->model.data->frames[i];
		Pprof__Profile profile = PPROF__PROFILE__INIT;
		Pprof__Location location = PPROF__LOCATION__INIT, *locations[] = { &location };
		Pprof__Line line = PPROF__LINE__INIT, *lines[] = { &line };

		line.function_id = p->model.node_of_frame[i] + 1ull;
		line.line = f->line;
		line.column = f->column;
		location.id = i + 1ull;
		location.mapping_id = p->mapping_of_frame[i];
		location.address = f->off;
		location.n_line = 1;
		location.line = lines;
		profile.n_location = 1;
		profile.location = locations;
		put(p, &profile);
	}
}

static void put_functions(struct pprof *p)
{
	for (u32 i = 0; i < p->model.n_nodes && !p->err; i++) {
		const struct model_node *node = &p->model.nodes[i];
		Pprof__Profile profile = PPROF__PROFILE__INIT;
		Pprof__Function function = PPROF__FUNCTION__INIT, *functions[] = { &function };

		if (!node->function)
			continue;
		function.id = i + 1ull;
		function.name = function.system_name = string_idx(p, node->name);
		function.filename = node->function->has_file ? string_idx(p, node->where) : 0;
		function.start_line = node->function->line;
		profile.n_function = 1;
		profile.function = functions;
		put(p, &profile);
	}
}

/* The table in memory has no NUL bytes after the strings. */
static void put_strings(struct pprof *p)
{
	_cleanup_free_ char *text = NULL;
	size_t room = 0;

	for (u32 i = 0; i < p->strings.n && !p->err; i++) {
		Pprof__Profile profile = PPROF__PROFILE__INIT;
		size_t len;
		const char *s = intern_key(&p->strings, i, &len);

		if (array_reserve(text, room, len + 1)) {
			p->err = -ENOMEM;
			return;
		}
		memcpy(text, s, len);
		text[len] = 0;
		profile.n_string_table = 1;
		profile.string_table = &text;
		put(p, &profile);
	}
}

static int write_pprof(struct prof_reader *in, FILE *out)
{
	_cleanup_(pprof_deinit) struct pprof p = { 0 };
	int err = model_read(in, &p.model);

	if (err < 0)
		return err;
	intern_init(&p.strings, STRINGS_LIMIT);
	intern_init(&p.mappings, STRINGS_LIMIT);
	p.out = gzip_stream_new(out, Z_BEST_SPEED);
	if (!p.out)
		return -ENOMEM;
	string_idx(&p, "");
	put_head(&p);
	put_samples(&p);
	find_mappings(&p);
	put_mappings(&p);
	put_locations(&p);
	put_functions(&p);
	put_strings(&p);
	err = gzip_stream_close(&p.out);
	return p.err ? p.err : err;
}

const struct out_format out_pprof = {
	.name = "pprof",
	.suffix = "pb.gz",
	.holds = PROF_FEATURE(THREADS) | PROF_FEATURE(REASONS) | PROF_FEATURE(GUESSES) |
		 PROF_FEATURE(LOST) | PROF_FEATURE(ACTIVITIES) | PROF_FEATURE(LINES) |
		 PROF_FEATURE(TIERS) | PROF_FEATURE(BUILD_IDS),
	.write = write_pprof,
};
