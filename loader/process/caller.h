/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/**
 * caller_become() - switch to the user that called sudo, and take over that user's groups
 * and HOME
 *
 * Call this function in a child process before exec. If sudo was not used, nothing changes.
 *
 * Return: 0 or a negative errno.
 */
int caller_become(void);
