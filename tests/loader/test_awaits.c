// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests which frame a chain of awaiters belongs to, and which methods and types the walk learns.
 * The runtime is faked: main() awaits inner(), both async; resume() calls the body of an async
 * method for the thread pool.
 */

#include <errno.h>
#include <string.h>

#include "../../bpf/tables.h"
#include "../../loader/runtime/awaits.h"
#include "../check.h"

/*
 * Method starts, MethodTables, and the address of the objects, each with its type and the next
 * object.
 */
enum { INNER = 0x1000, MAIN = 0x2000, RESUME = 0x3000, PLAIN = 0x4000, CODE_LEN = 0x100 };
enum { INNER_TASK = 0x10000, MAIN_TASK = 0x20000, LIST = 0x30000, INNER_MACHINE = 0x40000 };
enum { OBJECTS = 0x50000, NEXT_OFF = 8 };
#define FROM 0x10 /* number of bytes of a method after which the slot of the task is valid */
#define N_TOLD 32

static struct awaits *awaits;
static struct dotnet_await told[N_TOLD];
static u32 n_told, n_asked;
static u64 objects[6]; /* three objects: type, next object */
static u64 inner_desc; /* descriptor of the method whose code is now at INNER */

int dotnet_code_find(struct dotnet_runtime *rt, u64 pc, struct dotnet_code *code)
{
	u64 start = pc & ~(u64)(CODE_LEN - 1);

	(void)rt;
	n_asked++;
	if (start != INNER && start != MAIN && start != RESUME && start != PLAIN)
		return -ENOENT;
	*code = (struct dotnet_code){ .start_addr = start,
				      .method_desc = start == INNER ? inner_desc : start + 1 };
	return 0;
}

int dotnet_name_get(struct dotnet_runtime *rt, const struct dotnet_code *code,
		    struct dotnet_name *name)
{
	(void)rt;
	snprintf(name->name, sizeof(name->name), "%llx", code->start_addr);
	return 0;
}

int dotnet_await_method(struct dotnet_runtime *rt, const struct dotnet_code *code,
			const struct dotnet_name *name, enum dotnet_await_role *role,
			struct dotnet_await *e)
{
	(void)rt, (void)name;
	*role = code->start_addr == RESUME  ? DOTNET_AWAIT_RESUMES
		: code->start_addr == PLAIN ? DOTNET_AWAIT_NONE
					    : DOTNET_AWAIT_MACHINE;
	e->from = FROM;
	e->slot = -24;
	return *role == DOTNET_AWAIT_MACHINE ? 0 : -ENOENT;
}

int dotnet_await_type(struct dotnet_runtime *rt, u64 type, struct dotnet_awaiter *a)
{
	(void)rt;
	*a = (struct dotnet_awaiter){ .machine = type == INNER_TASK ? INNER_MACHINE : 0,
				      .off = type == LIST ? 0 : NEXT_OFF };
	return type == INNER_TASK || type == MAIN_TASK || type == LIST ? 0 : -EINVAL;
}

bool dotnet_await_is(struct dotnet_runtime *rt, const struct dotnet_code *code,
		     const struct dotnet_name *name, u64 machine)
{
	(void)rt;
	assert_string_equal(name->name, code->start_addr == INNER ? "1000" : "2000");
	return code->start_addr == INNER && machine == INNER_MACHINE;
}

static void await(void *data, const struct dotnet_await *e)
{
	assert_ptr_equal(data, told);
	assert_in_range(n_told, 0, N_TOLD - 1);
	told[n_told++] = *e;
}

static int read_objects(struct target *t, u64 addr, void *dst, size_t len)
{
	(void)t;
	if (addr < OBJECTS || addr + len > OBJECTS + sizeof(objects))
		return -EFAULT;
	memcpy(dst, (u8 *)objects + (addr - OBJECTS), len);
	return 0;
}

static int begin(void **state)
{
	static struct target memory = { .read = read_objects };
	static const struct runtime_host host = { .await = await, .data = told };

	(void)state;
	n_told = n_asked = 0;
	inner_desc = INNER + 1;
	memset(objects, 0, sizeof(objects));
	return awaits_new(&awaits, NULL, &memory, &host);
}

static int finish(void **state)
{
	(void)state;
	awaits_free(&awaits);
	assert_null(awaits);
	return 0;
}

static struct uw_frame method(u64 start, u8 flags)
{
	return (struct uw_frame){ .kind = UW_DOTNET_METHOD,
				  .pc = start + 0x20,
				  .a = start,
				  .b = start + 1,
				  .flags = flags };
}

static struct uw_frame awaiter(u64 type, u8 status)
{
	return (struct uw_frame){
		.kind = UW_DOTNET_AWAITER, .a = type, .b = OBJECTS, .status = status
	};
}

static struct uw_sample *sample_of(const struct uw_frame *frames, u32 n)
{
	static struct uw_sample s;

	s = (struct uw_sample){ .pid = 5, .start_ns = 6, .exec_id = 7, .n_frames = n };
	memcpy(s.frames, frames, n * sizeof(*frames));
	return &s;
}

static void check_owner(const struct uw_frame *frames, u32 n, bool are_its, const char *words)
{
	const char *why;

	assert_int_equal(awaits_are_its(awaits, sample_of(frames, n), n - 1, &why), are_its);
	if (!words)
		assert_null(why);
	else if (!why || !strstr(why, words))
		fail_msg("why: %s", why);
}

static void awaiters_in_a_sample_belong_to_the_nearest_async_method_before_them(void **state)
{
	const struct uw_frame own[] = { method(INNER, 0), awaiter(INNER_TASK, 0) },
			      above[] = { method(PLAIN, 0), method(INNER, 0),
					  awaiter(INNER_TASK, 0) },
			      first_run[] = { method(MAIN, UW_FRAME_FIRST_RUN), method(INNER, 0),
					      awaiter(INNER_TASK, 0) },
			      nearer[] = { method(MAIN, 0), method(INNER, 0),
					   awaiter(INNER_TASK, 0) },
			      resumed[] = { method(RESUME, 0), method(INNER, 0),
					    awaiter(INNER_TASK, 0) };

	(void)state;
	check_owner(own, 2, true, NULL);
	check_owner(above, 3, true, NULL);
	check_owner(first_run, 3, true, NULL);
	check_owner(nearer, 3, false, "inner async method unknown");
	check_owner(resumed, 3, false, NULL);
}

static void a_task_is_rejected_if_it_belongs_to_another_method(void **state)
{
	const struct uw_frame of_main[] = { method(MAIN, 0), awaiter(INNER_TASK, 0) },
			      no_machine[] = { method(INNER, 0), awaiter(MAIN_TASK, 0) },
			      unknown[] = { method(INNER, 0), awaiter(0x99, 0) },
			      replaced[] = { method(INNER, 0), awaiter(INNER_TASK, 0) };

	(void)state;
	check_owner(of_main, 2, false, "async task not found");
	check_owner(no_machine, 2, false, "async task not found");
	check_owner(unknown, 2, false, "async task not found");
	inner_desc = 0x77; /* the code at INNER is now that of another method */
	check_owner(replaced, 2, false, "async task not found");
}

static void an_async_method_is_added_to_the_table_of_the_walk_only_once(void **state)
{
	const struct uw_frame frames[] = { method(INNER, 0), method(PLAIN, 0), method(RESUME, 0) };
	u32 asked;

	(void)state;
	awaits_learn(awaits, sample_of(frames, 3));
	assert_int_equal(n_told, 1);
	assert_int_equal(told[0].key, INNER);
	assert_int_equal(told[0].process_key, uw_image_number(5, 6, 7));
	assert_int_equal(told[0].slot, -24);
	assert_int_equal(told[0].from, FROM);
	asked = n_asked;
	awaits_learn(awaits, sample_of(frames, 3));
	assert_int_equal(n_told, 1);
	assert_int_equal(n_asked, asked);
}

static void no_awaiters_are_looked_up_for_a_frame_whose_method_is_unknown(void **state)
{
	struct uw_frame frames[] = { method(INNER, 0), { .kind = UW_NATIVE, .pc = INNER } };

	(void)state;
	frames[0].status = UW_F_NO_METHOD;
	awaits_learn(awaits, sample_of(frames, 2));
	assert_int_equal(n_told + n_asked, 0);
}

/*
 * Each pc in precompiled code is reported separately, because the start of the method is
 * unknown.
 */
static void a_pc_in_precompiled_code_is_added_to_the_table_if_the_task_slot_is_set(void **state)
{
	struct uw_frame f = { .kind = UW_DOTNET_R2R, .pc = INNER + FROM - 1 };

	(void)state;
	awaits_learn(awaits, sample_of(&f, 1));
	assert_int_equal(n_told, 0);
	f.pc = INNER + FROM;
	awaits_learn(awaits, sample_of(&f, 1));
	assert_int_equal(n_told, 1);
	assert_int_equal(told[0].key, INNER + FROM);
	assert_int_equal(told[0].from, 0);
}

static void an_unknown_type_is_added_to_the_table_with_the_types_next_in_the_chain(void **state)
{
	const struct uw_frame frames[] = { method(PLAIN, 0),
					   awaiter(INNER_TASK, UW_F_AWAITER_TYPE) };

	(void)state;
	objects[0] = INNER_TASK, objects[1] = OBJECTS + 16;
	objects[2] = MAIN_TASK, objects[3] = OBJECTS + 32;
	objects[4] = LIST, objects[5] = OBJECTS;
	awaits_learn(awaits, sample_of(frames, 2));
	assert_int_equal(n_told, 3);
	assert_int_equal(told[0].key, INNER_TASK);
	assert_int_equal(told[0].off, NEXT_OFF);
	assert_int_equal(told[1].key, MAIN_TASK);
	assert_int_equal(told[2].key, LIST);
	assert_int_equal(told[2].off, 0);
}

static void types_are_added_to_the_table_until_the_chain_ends_or_is_unreadable(void **state)
{
	const struct uw_frame frame = awaiter(INNER_TASK, UW_F_AWAITER_TYPE),
			      known = awaiter(INNER_TASK, UW_OK);

	(void)state;
	awaits_learn(awaits, sample_of(&known, 1));
	assert_int_equal(n_told, 0);
	objects[1] = 0; /* no awaiter */
	awaits_learn(awaits, sample_of(&frame, 1));
	assert_int_equal(n_told, 1);
	objects[1] = 8; /* unreadable */
	awaits_learn(awaits, sample_of(&frame, 1));
	assert_int_equal(n_told, 2);
	objects[1] = OBJECTS, objects[0] = INNER_TASK; /* a cycle */
	awaits_learn(awaits, sample_of(&frame, 1));
	assert_int_equal(n_told, 2 + 16);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(awaiters_in_a_sample_belong_to_the_nearest_async_method_before_them),
		TEST(a_task_is_rejected_if_it_belongs_to_another_method),
		TEST(an_async_method_is_added_to_the_table_of_the_walk_only_once),
		TEST(no_awaiters_are_looked_up_for_a_frame_whose_method_is_unknown),
		TEST(a_pc_in_precompiled_code_is_added_to_the_table_if_the_task_slot_is_set),
		TEST(an_unknown_type_is_added_to_the_table_with_the_types_next_in_the_chain),
		TEST(types_are_added_to_the_table_until_the_chain_ends_or_is_unreadable),
	};

	return CHECK_RUN(tests);
}
