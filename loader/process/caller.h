/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/**
 * caller_become() - be the user who called sudo, with his groups and HOME
 *
 * For a child before it executes something. Without sudo nothing changes.
 *
 * Return: 0 or a negative errno.
 */
int caller_become(void);
