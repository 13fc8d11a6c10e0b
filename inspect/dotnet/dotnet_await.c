/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds the data that core/dotnet/await.h needs. Finds fields by their names in metadata, so this
 * file does not depend on the layout of the class library:
 *
 *	<RunAsync>d__3.MoveNext()     keeps its state machine in a slot of its frame, because its
 *	                              exception handler needs it (dotnet_home.c)
 *	<>t__builder                  a field of it; starts with the task, NULL at first
 *	AsyncStateMachineBox`1        the task, which contains the state machine
 *
 *	m_continuationObject          of a task: a box, a WhenAll's promise (also a task), an
 *	                              Action or a TaskContinuation; a list of several
 *	_continuationState            of a source of a ValueTask (pooled boxes, async iterators)
 *
 * The task is the first reference in a builder, and the continuation's state is the second
 * reference in a ManualResetValueTaskSourceCore, as in the sources. Source: corelib
 * AsyncTaskMethodBuilderT.cs, AsyncValueTaskMethodBuilderT.cs,
 * PoolingAsyncValueTaskMethodBuilderT.cs, ManualResetValueTaskSourceCore.cs, Task.cs,
 * TaskContinuation.cs at v8.0.33, v9.0.22 and v10.0.14. If an object's layout differs, the chain
 * ends, because each task is compared with the method that it should belong to (dotnet_await_is()).
 */

#include <errno.h>

#include "dotnet_field.h"
#include "dotnet_home.h"
#include "dotnet_method.h"
#include "dotnet_module.h"
#include "dotnet_type.h"
#include "metadata.h"
#include "metadata_type.h"
#include "readable.h"

#define OBJECT_HEAD 8 /* size of the MethodTable word, which precedes an object's fields */
#define SOURCE_STATE 8 /* ManualResetValueTaskSourceCore._continuationState */
#define MAX_PARENTS 8
#define CORELIB "System.Private.CoreLib"

static const char task_box[] =
	"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1";
static const char pooled_box[] =
	"System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder`1+StateMachineBox`1";
static const char iterator_source[] = "<>v__promiseOfValueOrEnd";

/*
 * Fields that refer to the next object, by the type that declares them. If several base types of an
 * object are listed, the first entry counts.
 */
static const struct link {
	const char *type, *field;
	s32 more;
} links[] = {
	{ "System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder`1+StateMachineBox",
	  "_valueTaskSource", SOURCE_STATE },
	{ "System.Threading.Tasks.Task", "m_continuationObject", 0 },
	{ "System.Threading.Tasks.AwaitTaskContinuation", "m_action", 0 },
	{ "System.Threading.Tasks.ContinueWithTaskContinuation", "m_task", 0 },
	{ "System.Threading.Tasks.StandardTaskContinuation", "m_task", 0 },
	{ "System.Delegate", "_target", 0 },
};

static bool is_corelib(const struct dotnet_type *t)
{
	return !strcmp(t->module->name, CORELIB);
}

static int has_field(const struct dotnet_type *t, const char *name, bool *has)
{
	u32 row;
	int err = dotnet_field_row(&t->module->metadata, t->row, name, &row);

	*has = !err;
	return err == -ENOENT ? 0 : err;
}

static int find_task(struct dotnet_runtime *rt, const struct dotnet_type *machine,
		     struct dotnet_await *e)
{
	bool is_iterator, is_value;
	u32 off;
	int err = has_field(machine, iterator_source, &is_iterator);

	if (!err)
		err = dotnet_type_is_value(rt, machine->addr, &is_value);
	if (!err)
		err = dotnet_field_off(rt, machine, is_iterator ? iterator_source : "<>t__builder",
				       &off);
	if (err)
		return err;
	e->off = (s32)off + (is_value ? 0 : OBJECT_HEAD) + (is_iterator ? SOURCE_STATE : 0);
	e->flags = is_iterator ? DOTNET_AWAIT_BY_MACHINE : is_value ? DOTNET_AWAIT_IN_TASK : 0;
	return 0;
}

/*
 * Finds the type that declares a method. For ReadyToRun code of a generic type, the type's address
 * is unknown.
 */
static int method_type(struct dotnet_runtime *rt, const struct dotnet_code *code,
		       const struct dotnet_name *name, struct dotnet_type *type)
{
	struct dotnet_method method;
	int err;

	if (code->kind == DOTNET_METHOD || code->method_desc) {
		err = dotnet_method_read(rt, code->method_desc, &method);
		return err ? err : dotnet_type_get(rt, method.type, type);
	}
	*type = (struct dotnet_type){};
	err = dotnet_module_get(rt, code->module, &type->module);
	if (!err && type->module->reason)
		err = -ENOENT;
	if (!err)
		err = metadata_method_type(&type->module->metadata, name->token & 0xffffff,
					   &type->row);
	if (!err)
		dotnet_type_find(rt, type->module, type->row, &type->addr);
	return err;
}

int dotnet_await_method(struct dotnet_runtime *rt, const struct dotnet_code *code,
			const struct dotnet_name *name, enum dotnet_await_role *role,
			struct dotnet_await *e)
{
	struct dotnet_home home;
	struct dotnet_type type;
	bool is_machine;
	int err;

	*role = DOTNET_AWAIT_NONE;
	if (strcmp(name->method, "MoveNext") || name->is_dynamic)
		return -ENOENT;
	if (!strcmp(name->module, CORELIB) &&
	    (!strcmp(name->type, task_box) || !strcmp(name->type, pooled_box))) {
		*role = DOTNET_AWAIT_RESUMES;
		return -ENOENT;
	}
	err = method_type(rt, code, name, &type);
	if (!err)
		err = has_field(&type, "<>t__builder", &is_machine);
	if (err || !is_machine)
		return err ? err : -ENOENT;
	*role = DOTNET_AWAIT_MACHINE;
	if (!type.addr)
		return -ENOENT;
	err = find_task(rt, &type, e);
	if (!err)
		err = dotnet_home_find(rt, code, &home);
	if (err)
		return err;
	e->slot = home.slot;
	e->from = home.from;
	return 0;
}

bool dotnet_await_is(struct dotnet_runtime *rt, const struct dotnet_code *code,
		     const struct dotnet_name *name, u64 machine)
{
	struct dotnet_type type, other;

	return !method_type(rt, code, name, &type) && !dotnet_type_get(rt, machine, &other) &&
	       type.module == other.module && type.row == other.row;
}

/*
 * Describes the box of a state machine: sets the state machine and, for an iterator's box, where
 * the awaiter is.
 */
static int describe_box(struct dotnet_runtime *rt, const struct dotnet_type *type,
			struct dotnet_awaiter *a)
{
	struct dotnet_type machine;
	bool is_iterator;
	u32 off;
	int err = dotnet_type_argument(rt, type->addr, 1, &a->machine);

	if (!err)
		err = dotnet_type_get(rt, a->machine, &machine);
	if (!err)
		err = has_field(&machine, iterator_source, &is_iterator);
	if (err)
		return err;
	a->is_method = true;
	if (!is_iterator)
		return 0;
	err = dotnet_field_off(rt, type, "StateMachine", &off);
	a->off = (s32)off + OBJECT_HEAD;
	return err;
}

static int find_link(struct dotnet_runtime *rt, struct dotnet_type *type, struct dotnet_awaiter *a)
{
	int err = 0;

	for (u32 depth = 0; !err && depth < MAX_PARENTS; depth++) {
		for (u32 i = 0; is_corelib(type) && i < sizeof(links) / sizeof(links[0]); i++) {
			u32 off;

			if (strcmp(type->name, links[i].type))
				continue;
			err = dotnet_field_off(rt, type, links[i].field, &off);
			a->off = (s32)off + OBJECT_HEAD + links[i].more;
			return err;
		}
		if (!type->parent)
			return 0;
		err = dotnet_type_get(rt, type->parent, type);
	}
	return err;
}

int dotnet_await_type(struct dotnet_runtime *rt, u64 addr, struct dotnet_awaiter *out)
{
	struct dotnet_awaiter a = {};
	struct dotnet_type type;
	bool is_iterator;
	u32 off;
	int err = dotnet_type_get(rt, addr, &type);

	if (!err)
		err = has_field(&type, iterator_source, &is_iterator);
	if (err)
		return err;
	if (is_corelib(&type) && (!strcmp(type.name, task_box) || !strcmp(type.name, pooled_box)))
		err = describe_box(rt, &type, &a);
	if (!err && is_iterator) {
		a.machine = addr;
		err = dotnet_field_off(rt, &type, iterator_source, &off);
		a.off = (s32)off + OBJECT_HEAD + SOURCE_STATE;
	}
	a.are_several = is_corelib(&type) &&
			!strcmp(type.name, "System.Collections.Generic.List`1");
	if (!err && !a.off)
		err = find_link(rt, &type, &a);
	if (!err)
		*out = a;
	return err;
}
