// SPDX-License-Identifier: BSD-2-Clause

#include "../case/target.h"

extern _Thread_local const struct sim_target *sim_port_target;
_Thread_local const struct sim_target *sim_port_target;
