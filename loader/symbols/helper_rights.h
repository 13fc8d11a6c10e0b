/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Drops privileges of the helper before it reads anything: all descriptors except @fd,
 * terminal signals, root (it becomes nobody, and keeps the capability to read files), new
 * privileges, creating files, memory above a limit. The helper exits with the recorder.
 */
void helper_give_up_rights(int fd);
