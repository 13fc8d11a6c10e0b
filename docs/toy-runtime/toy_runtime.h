/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../loader/runtime/runtime.h"

extern const struct runtime_ops toy_runtime;
