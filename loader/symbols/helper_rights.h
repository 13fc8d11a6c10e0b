/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Drops privileges of the helper before it reads anything. It closes all descriptors except @fd,
 * ignores terminal signals, becomes `nobody` but keeps the capability to read files, and can gain
 * no privileges, create no files and use no memory above a limit. The helper exits with the
 * recorder.
 */
void helper_give_up_rights(int fd);
