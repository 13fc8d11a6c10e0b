// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the activities that are derived from names of V8's own functions in profiles of
 * Node.js 18 to 26.
 */

#include "../../loader/runtime/v8_activity.h"
#include "../check.h"

static const struct row {
	const char *name;
	enum prof_activity activity;
} rows[] = {
	{ "v8::internal::ScavengerCollector::JobTask::Run(v8::JobDelegate*)", PROF_ACT_GC },
	{ "v8::internal::Scavenger::Process(v8::JobDelegate*)", PROF_ACT_GC },
	{ "v8::internal::ConcurrentMarking::RunMajor(v8::JobDelegate*, bool)", PROF_ACT_GC },
	{ "v8::internal::MinorGCJob::Task::RunInternal()", PROF_ACT_GC },
	{ "v8::internal::Heap::PerformGarbageCollection(v8::internal::GarbageCollector)",
	  PROF_ACT_GC },
	{ "void heap::base::Stack::SetMarkerAndCallbackImpl<v8::internal::Heap::CollectGarbage()>",
	  PROF_ACT_GC },
	{ "cppgc::internal::Sweeper::SweeperImpl::Start(int)", PROF_ACT_GC },
	{ "v8::internal::OptimizedCompilationJob::ExecuteJob(v8::internal::RuntimeCallStats*)",
	  PROF_ACT_COMPILE },
	{ "v8::internal::compiler::PipelineCompilationJob::ExecuteJobImpl()", PROF_ACT_COMPILE },
	{ "v8::internal::Compiler::Compile(v8::internal::Isolate*)", PROF_ACT_COMPILE },
	{ "v8::internal::PreParser::PreParseFunction()", PROF_ACT_COMPILE },
	{ "v8::internal::Runtime_AllocateInYoungGeneration(int)", PROF_ACT_NATIVE },
	{ "v8::internal::Factory::NewFillerObject(int)", PROF_ACT_NATIVE },
	{ "v8::internal::Heap::AllocateRaw(int)", PROF_ACT_NATIVE },
	{ "v8::internal::JsonParser<unsigned short>::Parse()", PROF_ACT_NATIVE },
	{ "v8::platform::DefaultJobWorker::Run()", PROF_ACT_NATIVE },
	{ "v8::internal::", PROF_ACT_NATIVE },
	{ "Scavenger::Process()", PROF_ACT_NATIVE },
	{ "", PROF_ACT_NATIVE },
	{ NULL, PROF_ACT_NATIVE },
};

static void gc_and_compiler_functions_are_recognized_by_class_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		print_message("%s\n", rows[i].name ? rows[i].name : "(null)");
		assert_int_equal(activity_of_v8(rows[i].name), rows[i].activity);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gc_and_compiler_functions_are_recognized_by_class_name),
	};

	return CHECK_RUN(tests);
}
