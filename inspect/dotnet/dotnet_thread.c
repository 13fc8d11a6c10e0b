/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Visits the runtime's Thread objects:
 *
 *	g_dacTable[threads_slot] -> the ThreadStore's address -> ThreadStore { ..., first link }
 *	first link -> link in a Thread -> link in the next Thread ... 0
 *
 * Source: coreclr inc/dacvars.h (ThreadStore::s_pThreadStore), vm/threads.h and inc/slist.h at
 * v8.0.33, v9.0.22 and v10.0.14; the runtime's data contract descriptor of 9 and 10 agrees.
 */

#include <errno.h>

#include "dotnet_runtime.h"

#define MAX_THREADS 4096

static int find_first(struct dotnet_runtime *rt, u64 *link)
{
	u64 slot = rt->bias + rt->build->dac_table_addr + 8ull * rt->l->threads_slot, at;
	int err = dotnet_word(rt, slot, &at);

	if (!err)
		err = dotnet_word(rt, at, &at);
	return err ? err : dotnet_word(rt, at + rt->l->first_thread, link);
}

int dotnet_threads_each(struct dotnet_runtime *rt,
			void (*fn)(const struct dotnet_thread *thread, void *data), void *data)
{
	u64 link, id;
	int err;

	if (!rt->l->threads_slot)
		return -ENOTSUP;
	err = find_first(rt, &link);
	for (u32 i = 0; !err && link; i++) {
		if (i == MAX_THREADS)
			return -ELOOP;
		err = dotnet_word(rt, link + rt->l->thread_id, &id);
		if (!err && id && id <= ~0u)
			fn(&(struct dotnet_thread){ (u32)id, link + rt->l->thread_hijack }, data);
		if (!err)
			err = dotnet_word(rt, link, &link);
	}
	return err;
}
