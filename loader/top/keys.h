/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The keys of `unspool top`, which change what is shown. */

#include "page.h"

#define TOP_KEYS_FOOT_LEN 192

struct top_keys {
	struct top_choice choice;
	bool is_frozen; /* the window does not move */
	bool is_typing; /* keys are added to the filter */
};

enum top_action {
	TOP_CONTINUE,
	TOP_QUIT,
	TOP_SAVE, /* write the profile */
};

/**
 * top_keys_press() - handle a key
 * @key:	an ASCII character or one of enum screen_key
 * @n_rows:	number of rows of the table
 *
 * Return: the action that the key requests.
 */
enum top_action top_keys_press(struct top_keys *k, int key, u32 n_rows);

/*
 * Makes a line that lists the keys and the present choices. It has at most 60 columns, unless there
 * is a filter.
 */
void top_keys_foot(const struct top_keys *k, char foot[TOP_KEYS_FOOT_LEN]);
