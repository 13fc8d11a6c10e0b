/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What the helper gives up before it reads anything: all descriptors but @fd, signals of
 * the terminal, root (it becomes nobody, and keeps the right to read files), new
 * privileges, files of its own, memory above a limit. It ends with the recorder.
 */
void helper_give_up_rights(int fd);
