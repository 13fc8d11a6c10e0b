// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests when the threads of a .NET process are read, which threads are recorded for the walk,
 * where code can be, and how frames and awaiters are symbolized. CoreCLR is
 * faked.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../bpf/tables.h"
#include "../../inspect/dotnet/dotnet.h"
#include "../../inspect/dotnet/dotnet_frame.h"
#include "../../loader/jit/jit_file.h"
#include "../../loader/runtime/awaits.h"
#include "../../loader/runtime/runtimes.h"
#include "../check.h"

#define MS 1000000ull
#define MODULE 3

static struct runtime_build build = { .ops = &dotnet_runtime };
static struct runtime *rt;
static struct dotnet_thread threads[2];
static struct dotnet_await told[8];
static struct dotnet_awaiter awaiter;
static struct prof_frame named[4];
static u32 n_looks, n_told, n_overlays, n_learnt, n_touched, n_named, own_tid;
static bool is_gone, has_ranges, are_its;
static const char *why_not_its;

int dotnet_runtime_new(struct dotnet_runtime **r, const struct dotnet_build *b, struct target *t,
		       u64 bias)
{
	(void)b, (void)t, (void)bias;
	*r = (struct dotnet_runtime *)&n_looks;
	return 0;
}

void dotnet_runtime_free(struct dotnet_runtime **r)
{
	*r = NULL;
}

void dotnet_runtime_set_files(struct dotnet_runtime *r,
			      int (*open_file)(void *data, u64 addr, const char *name), void *data)
{
	(void)r, (void)open_file, (void)data;
}

int dotnet_threads_each(struct dotnet_runtime *r,
			void (*fn)(const struct dotnet_thread *thread, void *data), void *data)
{
	(void)r;
	n_looks++;
	for (u32 i = 0; i < 2; i++)
		fn(&threads[i], data);
	return 0;
}

int jit_owner_read(u32 pid, struct jit_owner *o)
{
	(void)pid;
	o->pid = own_tid;
	return is_gone ? -ESRCH : 0;
}

int awaits_new(struct awaits **a, struct dotnet_runtime *r, struct target *memory,
	       const struct runtime_host *host)
{
	(void)r, (void)memory, (void)host;
	*a = (struct awaits *)&n_learnt;
	return 0;
}

void awaits_free(struct awaits **a)
{
	*a = NULL;
}

void awaits_learn(struct awaits *a, const struct uw_sample *s)
{
	(void)s;
	assert_ptr_equal(a, &n_learnt);
	n_learnt++;
}

bool awaits_are_its(struct awaits *a, const struct uw_sample *s, u32 i, const char **why)
{
	(void)a, (void)s, (void)i;
	*why = why_not_its;
	return are_its;
}

bool dotnet_is_code_file(const char *path)
{
	return !strcmp(path, "/memfd:doublemapper (deleted)");
}

int dotnet_ranges_get(struct dotnet_runtime *r, struct dotnet_range **v, u32 *n)
{
	(void)r;
	if (!has_ranges)
		return -EFAULT;
	*v = NULL;
	*n = 0;
	return 0;
}

int dotnet_ranges_overlay(const struct dotnet_range *v, u32 n, struct map_list *l)
{
	(void)v, (void)n, (void)l;
	n_overlays++;
	return 0;
}

void dotnet_frame_name(struct dotnet_frame *d, struct dotnet_runtime *r, const struct uw_frame *f)
{
	(void)r;
	*d = (struct dotnet_frame){ .is_stub = f->kind == UW_DOTNET_STUB,
				    .line = { .line = 7, .start_line = 5, .start_column = 3 } };
	if (f->a)
		d->text = "Program.Main()";
	else
		d->reason = "no name";
	strcpy(d->line.file, f->a ? "Main.cs" : "");
}

int dotnet_await_type(struct dotnet_runtime *r, u64 type, struct dotnet_awaiter *a)
{
	(void)r;
	*a = awaiter;
	return type ? 0 : -EFAULT;
}

int dotnet_await_name(struct dotnet_runtime *r, u64 machine, struct dotnet_name *name)
{
	(void)r;
	*name = (struct dotnet_name){ .name = "Program.Wait()",
				      .reason = machine ? NULL : "moved" };
	return machine ? 0 : -ENOENT;
}

static void await(void *data, const struct dotnet_await *e)
{
	(void)data;
	assert_in_range(n_told, 0, 7);
	told[n_told++] = *e;
}

static int read_memory(struct target *t, u64 addr, void *dst, size_t len)
{
	(void)t, (void)addr;
	memset(dst, 0, len);
	n_touched++;
	return 0;
}

static int take(const struct prof_frame *f, void *data)
{
	(void)data;
	assert_in_range(n_named, 0, 3);
	named[n_named++] = *f;
	return 0;
}

static void place(void)
{
	struct map_list l = { 0 };

	assert_int_equal(dotnet_runtime.place(rt, &l), 0);
}

static int begin(void **state)
{
	static const struct runtime_host host = { .await = await };
	static const struct runtime_home home = { .module = MODULE, .has_bias = true };
	static struct target memory = { .read = read_memory };

	(void)state;
	if (runtime_open(&rt, &build, &home))
		return -1;
	rt->memory = &memory;
	rt->host = &host;
	threads[0] = (struct dotnet_thread){ .tid = 11, .hijack_addr = 0x111 };
	threads[1] = (struct dotnet_thread){ .tid = 12, .hijack_addr = 0x222 };
	n_looks = n_told = n_overlays = n_learnt = n_touched = n_named = 0;
	own_tid = 11;
	is_gone = has_ranges = are_its = false;
	why_not_its = NULL;
	place();
	return 0;
}

static int finish(void **state)
{
	(void)state;
	runtime_free(&rt);
	return 0;
}

static struct uw_sample sample_of(u64 time_ns, enum uw_status status)
{
	return (struct uw_sample){ .pid = 10,
				   .tid = 11,
				   .start_ns = 3,
				   .exec_id = 4,
				   .time_ns = time_ns,
				   .status = (u8)status };
}

static bool learn(u64 time_ns, enum uw_status status)
{
	const struct uw_sample s = sample_of(time_ns, status);

	return dotnet_runtime.learn(rt, &s);
}

static void the_thread_list_is_read_at_the_first_sample_and_again_after_a_hijack(void **state)
{
	(void)state;
	learn(1000 * MS, UW_OK);
	learn(2000 * MS, UW_OK);
	assert_int_equal(n_looks, 1);
	learn(2001 * MS, UW_T_HIJACKED);
	assert_int_equal(n_looks, 2);
	learn(2002 * MS, UW_T_HIJACKED); /* too soon to read again */
	assert_int_equal(n_looks, 2);
	learn(2101 * MS, UW_T_HIJACKED);
	assert_int_equal(n_looks, 3);
}

static void threads_of_an_exited_process_are_not_read(void **state)
{
	(void)state;
	is_gone = true;
	learn(1000 * MS, UW_OK);
	assert_int_equal(n_looks, 0);
	is_gone = false;
	learn(1001 * MS, UW_OK);
	assert_int_equal(n_looks, 1);
}

static void each_thread_in_the_thread_list_is_recorded_with_its_thread_id(void **state)
{
	(void)state;
	learn(1000 * MS, UW_OK);
	assert_int_equal(n_told, 2);
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(told[i].process_key, uw_image_number(10, 3, 4));
		assert_int_equal(told[i].key, DOTNET_THREAD_KEY(threads[i].tid));
		assert_int_equal(told[i].hijack_addr, threads[i].hijack_addr);
	}
}

/* The runtime stores thread IDs of the PID namespace of the process. */
static void only_the_sampled_thread_is_recorded_if_it_is_in_another_pid_namespace(void **state)
{
	(void)state;
	own_tid = 12;
	learn(1000 * MS, UW_OK);
	assert_int_equal(n_told, 1);
	assert_int_equal(told[0].key, DOTNET_THREAD_KEY(11));
	assert_int_equal(told[0].hijack_addr, 0x222);
}

static void async_methods_are_recorded_only_if_async_stacks_are_requested(void **state)
{
	(void)state;
	learn(1000 * MS, UW_OK);
	assert_int_equal(n_learnt, 0);
	rt->home.wants_async = true;
	learn(1001 * MS, UW_OK);
	assert_int_equal(n_learnt, 1);
}

static void memory_that_the_walk_failed_to_read_is_read_by_the_recorder(void **state)
{
	(void)state;
	learn(1000 * MS, UW_OK);
	assert_int_equal(n_touched, 0);
	learn(1001 * MS, UW_E_FAULT);
	assert_int_equal(n_touched, 1);
}

static void code_ranges_are_read_again_if_a_frame_is_outside_of_the_known_ranges(void **state)
{
	struct uw_sample s = sample_of(1000 * MS, UW_OK);

	(void)state;
	s.n_frames = 1;
	s.frames[0] = (struct uw_frame){ .kind = UW_DOTNET_STUB, .a = DOTNET_STUB_UNKNOWN };
	assert_true(dotnet_runtime.learn(rt, &s));
	s.frames[0].kind = UW_DOTNET_METHOD;
	assert_false(dotnet_runtime.learn(rt, &s));
}

static void dotnet_claims_only_anonymous_memory_and_the_runtimes_file(void **state)
{
	static const struct {
		struct runtime_mapping m;
		int is_claimed;
		u16 info_idx;
	} cases[] = {
		{ { .is_anon = true }, 1, DOTNET_STUB_UNKNOWN },
		{ { .is_anon = true, .was_there = true }, 1, DOTNET_STUB_UNKNOWN },
		{ { .path = "/memfd:doublemapper (deleted)" }, 1, DOTNET_STUB_UNKNOWN },
		{ { .path = "/memfd:doublemapper (deleted)", .was_there = true },
		  1,
		  DOTNET_STUB_HELPER },
		{ { .path = "/usr/lib/libc.so.6" }, 0, 0 },
		{ { .path = NULL }, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct runtime_mapping m = cases[i].m;
		struct map_list l = { 0 };

		m.map = (struct uw_mapping){ .start_addr = 0x1000, .end_addr = 0x2000 };
		assert_int_equal(dotnet_runtime.claim(rt, &m, &l), cases[i].is_claimed);
		assert_int_equal(l.n, cases[i].is_claimed);
		if (l.n) {
			assert_int_equal(l.v[0].kind, UW_MAP_DOTNET_STUBS);
			assert_int_equal(l.v[0].info_idx, cases[i].info_idx);
		}
		free(l.v);
	}
}

static void mappings_are_unchanged_if_the_runtime_has_no_code_ranges(void **state)
{
	(void)state;
	assert_int_equal(n_overlays, 0);
	has_ranges = true;
	place();
	assert_int_equal(n_overlays, 1);
}

static void nothing_is_read_if_the_targets_memory_cannot_be_opened(void **state)
{
	struct uw_sample s = sample_of(1000 * MS, UW_OK);

	finish(state);
	assert_int_equal(runtime_open(&rt, &build, &(struct runtime_home){ .has_bias = true }), 0);
	place();
	assert_false(dotnet_runtime.learn(rt, &s));
	assert_int_equal(dotnet_runtime.name(rt, &s, 0, take, NULL), RUNTIME_GONE);
	assert_int_equal(n_looks + n_named, 0);
	runtime_free(&rt);
	assert_int_equal(runtime_open(&rt, &build, &(struct runtime_home){ 0 }), -ENOENT);
}

static void each_frame_has_a_name_or_a_reason(void **state)
{
	struct uw_sample s = sample_of(1000 * MS, UW_OK);

	(void)state;
	s.n_frames = 3;
	s.frames[0] = (struct uw_frame){ .kind = UW_DOTNET_METHOD, .pc = 0x10, .a = 1 };
	s.frames[1] = (struct uw_frame){ .kind = UW_DOTNET_METHOD, .pc = 0x20 };
	s.frames[2] = (struct uw_frame){
		.kind = UW_DOTNET_STUB, .pc = 0x30, .a = 1, .status = UW_F_METHOD_FAULT
	};
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(dotnet_runtime.name(rt, &s, i, take, NULL), 0);
	assert_string_equal(named[0].name, "Program.Main()");
	assert_int_equal(named[0].kind, PROF_DOTNET);
	assert_string_equal(named[0].file, "Main.cs");
	assert_int_equal(named[0].line, 7);
	assert_int_equal(named[0].start_line, 5);
	assert_int_equal(named[0].start_column, 3);
	assert_false(named[0].has_off);
	assert_null(named[0].reason);
	assert_null(named[1].name);
	assert_null(named[1].file);
	assert_true(named[1].has_off);
	assert_int_equal(named[1].off, 0x20);
	assert_string_equal(named[1].reason, "no name");
	assert_int_equal(named[2].kind, PROF_STUB);
	assert_string_equal(named[2].reason, runtime_reason(&s.frames[2]));
}

/* Frame 0 with awaiters: its task, and a chain of two objects that await it. */
static void name_awaiters(u64 type, enum uw_status status)
{
	struct uw_sample s = sample_of(1000 * MS, UW_OK);

	s.n_frames = 4;
	s.frames[0] = (struct uw_frame){ .kind = UW_DOTNET_METHOD };
	for (u32 i = 1; i < 4; i++)
		s.frames[i] = (struct uw_frame){ .kind = UW_DOTNET_AWAITER, .a = type };
	s.frames[1].status = (u8)status;
	n_named = 0;
	assert_int_equal(dotnet_runtime.awaiters(rt, &s, 1, take, NULL), 0);
}

static void an_awaiter_that_is_an_async_method_has_the_name_of_the_method(void **state)
{
	(void)state;
	awaiter = (struct dotnet_awaiter){ .machine = 5, .is_method = true };
	are_its = true;
	name_awaiters(1, UW_OK);
	assert_int_equal(n_named, 0); /* nothing has been read yet */
	rt->home.wants_async = true;
	learn(1000 * MS, UW_OK);
	name_awaiters(1, UW_OK);
	assert_int_equal(n_named, 2);
	assert_string_equal(named[1].name, "Program.Wait()");
	assert_true(named[1].async);
	awaiter.machine = 0;
	name_awaiters(1, UW_OK);
	assert_null(named[0].name);
	assert_string_equal(named[0].reason, "moved");
	awaiter.is_method = false; /* an object in the chain that has no method */
	name_awaiters(1, UW_OK);
	assert_int_equal(n_named, 0);
	name_awaiters(0, UW_OK);
	assert_int_equal(n_named, 0);
}

static void awaiters_are_replaced_by_a_reason_if_they_do_not_belong_to_the_frame(void **state)
{
	(void)state;
	awaiter = (struct dotnet_awaiter){ .machine = 5, .is_method = true };
	rt->home.wants_async = true;
	learn(1000 * MS, UW_OK);
	name_awaiters(1, UW_OK);
	assert_int_equal(n_named, 0);
	why_not_its = "not its";
	name_awaiters(1, UW_OK);
	assert_int_equal(n_named, 1);
	assert_null(named[0].name);
	assert_string_equal(named[0].reason, "not its");
	are_its = true;
	why_not_its = NULL;
	name_awaiters(1, UW_F_AWAITER_FAULT);
	assert_int_equal(n_named, 1);
	assert_non_null(named[0].reason);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_thread_list_is_read_at_the_first_sample_and_again_after_a_hijack),
		TEST(threads_of_an_exited_process_are_not_read),
		TEST(each_thread_in_the_thread_list_is_recorded_with_its_thread_id),
		TEST(only_the_sampled_thread_is_recorded_if_it_is_in_another_pid_namespace),
		TEST(async_methods_are_recorded_only_if_async_stacks_are_requested),
		TEST(memory_that_the_walk_failed_to_read_is_read_by_the_recorder),
		TEST(code_ranges_are_read_again_if_a_frame_is_outside_of_the_known_ranges),
		TEST(dotnet_claims_only_anonymous_memory_and_the_runtimes_file),
		TEST(mappings_are_unchanged_if_the_runtime_has_no_code_ranges),
		TEST(nothing_is_read_if_the_targets_memory_cannot_be_opened),
		TEST(each_frame_has_a_name_or_a_reason),
		TEST(an_awaiter_that_is_an_async_method_has_the_name_of_the_method),
		TEST(awaiters_are_replaced_by_a_reason_if_they_do_not_belong_to_the_frame),
	};

	return CHECK_RUN(tests);
}
