/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Drops privileges of the helper before it reads anything. Closes all descriptors except @fd,
 * ignores terminal signals, and becomes `nobody`, but keeps the capability to read files.
 * Afterwards the helper cannot gain privileges, create files or use memory above a limit. The
 * helper exits with the recorder.
 */
void helper_give_up_rights(int fd);
