/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/* A growing list of pids or tids without duplicates. Initialize it with { 0 }. */
struct ids {
	int *v;
	size_t n, room;
};

/* Return: 0, -ENOMEM, or -E2BIG above a million ids. */
int ids_add(struct ids *ids, int id);
bool ids_has(const struct ids *ids, int id);
void ids_deinit(struct ids *ids);
