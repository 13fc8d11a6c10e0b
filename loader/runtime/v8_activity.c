/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * V8 collects garbage and compiles on the program's threads and on its own. On either kind of
 * thread, a function of the collector or of a compiler is then on the stack, between the leaf and
 * the first frame of the program. The table has the classes and namespaces of these functions,
 * from profiles of Node.js 14 to 26 (without "v8::internal::"). Stripped binaries have no names to
 * match.
 */

#include "v8_activity.h"

#include <string.h>

#define V8 "v8::internal::"
#define CPPGC "cppgc::internal::"
#define N(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *begins;
	enum prof_activity activity;
} classes[] = {
	{ "ArrayBufferSweeper::", PROF_ACT_GC },
	{ "ConcurrentMarking", PROF_ACT_GC },
	{ "Evacuat", PROF_ACT_GC },
	{ "FullEvacuator", PROF_ACT_GC },
	{ "Heap::CollectAllAvailableGarbage", PROF_ACT_GC },
	{ "Heap::CollectAllGarbage", PROF_ACT_GC },
	{ "Heap::CollectGarbage", PROF_ACT_GC },
	{ "Heap::MarkCompact", PROF_ACT_GC },
	{ "Heap::PerformGarbageCollection", PROF_ACT_GC },
	{ "Heap::Scavenge", PROF_ACT_GC },
	{ "IncrementalMarking", PROF_ACT_GC },
	{ "MainMarkingVisitor", PROF_ACT_GC },
	{ "MarkCompactCollector", PROF_ACT_GC },
	{ "MarkingVisitor", PROF_ACT_GC },
	{ "MinorGCJob", PROF_ACT_GC },
	{ "MinorMark", PROF_ACT_GC },
	{ "PageEvacuationJob", PROF_ACT_GC },
	{ "PointersUpdatingJob", PROF_ACT_GC },
	{ "Scaveng", PROF_ACT_GC },
	{ "Sweeper::", PROF_ACT_GC },
	{ "BackgroundCompileTask", PROF_ACT_COMPILE },
	{ "Compiler::", PROF_ACT_COMPILE },
	{ "LazyCompileDispatcher", PROF_ACT_COMPILE },
	{ "OptimizedCompilationJob", PROF_ACT_COMPILE },
	{ "OptimizingCompile", PROF_ACT_COMPILE },
	{ "ParserBase", PROF_ACT_COMPILE },
	{ "Parser::", PROF_ACT_COMPILE },
	{ "PreParser", PROF_ACT_COMPILE },
	{ "RegExpCompiler", PROF_ACT_COMPILE },
	{ "UnoptimizedCompilationJob", PROF_ACT_COMPILE },
	{ "baseline::Baseline", PROF_ACT_COMPILE },
	{ "compiler::", PROF_ACT_COMPILE },
	{ "interpreter::Bytecode", PROF_ACT_COMPILE },
	{ "maglev::", PROF_ACT_COMPILE },
	{ "parsing::", PROF_ACT_COMPILE },
	{ "wasm::ExecuteCompilation", PROF_ACT_COMPILE },
	{ "wasm::LiftoffCompil", PROF_ACT_COMPILE },
};

enum prof_activity activity_of_v8(const char *name)
{
	const char *p = name ? strstr(name, V8) : NULL;

	if (name && !strncmp(name, CPPGC, strlen(CPPGC)))
		return PROF_ACT_GC;
	for (; p; p = strstr(p, V8)) {
		p += strlen(V8);
		for (size_t i = 0; i < N(classes); i++)
			if (!strncmp(p, classes[i].begins, strlen(classes[i].begins)))
				return classes[i].activity;
	}
	return PROF_ACT_NATIVE;
}
