/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* CoreCLR in an image: where its code is, for the kernel side, and what names its frames. */

#include "../../inspect/dotnet/dotnet.h"
#include "../../inspect/target/map_list.h"
#include "../life/process.h"
#include "../rows/row_filler.h"
#include "../symbols/module.h"
#include "../runtime/anon_stubs.h"
#include "../runtime/awaits.h"

struct image_dotnet {
	const struct process *process; /* borrowed */
	const struct dotnet_build *build; /* borrowed; NULL: the image has no CoreCLR */
	u32 module; /* that it is in */
	struct target_process memory; /* valid while runtime is set */
	struct dotnet_runtime *runtime; /* NULL: none, or it can't be read */
	struct anon_stubs stubs;
	u64 threads_ns; /* time of the sample at which its threads were looked at; 0: not yet */
	struct awaits *awaits; /* NULL: nobody asked yet who awaits its async methods */
};

/**
 * image_dotnet_open() - the image has a CoreCLR
 * @build:	in the file @fd, which is mapped at @m
 *
 * Without memory or rights its frames stay unnamed.
 */
void image_dotnet_open(struct image_dotnet *d, const struct process *p,
		       const struct dotnet_build *build, int fd, const struct mapping *m);
void image_dotnet_deinit(struct image_dotnet *d);

/* Memory that CoreCLR puts code in, told by its mapping alone. */
bool image_dotnet_is_code(const struct mapping *m);

/**
 * image_dotnet_place() - lay what the runtime says of its code over the mappings
 * @rows:	is told of images that are parts of files; NULL: nobody is
 *
 * Return: 0 or -ENOMEM.
 */
int image_dotnet_place(struct image_dotnet *d, struct map_list *l, struct row_filler *rows);

/**
 * image_dotnet_touch() - memory that a walk could not read is to be resident from now on
 *
 * The kernel side reads what is there and never waits for a page.
 */
void image_dotnet_touch(struct image_dotnet *d, u64 addr);

/*
 * What the walk did not know of async methods and what waits for them, or of where a hijacked
 * thread returns to, it knows from now on.
 */
void image_dotnet_learn(struct image_dotnet *d, struct tables *t, const struct uw_sample *s);
