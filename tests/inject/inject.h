/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * close() of these says that what follows is the program's own, or is not: before main(),
 * and while leaks are looked for.
 */
#define INJECT_ARM (-4711)
#define INJECT_DISARM (-4712)
