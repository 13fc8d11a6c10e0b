/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * close() of these values marks the start and end of the program's own code: from
 * main() on, except while the leak check runs.
 */
#define INJECT_ARM (-4711)
#define INJECT_DISARM (-4712)
