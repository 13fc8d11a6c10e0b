/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Compiles the recorder for a model of memory, which logs its stores in order. */

#define FLIGHT_BUILT (~0ull)
#define FLIGHT_COLD UW_INLINE

void model_store(u64 *at, u64 value);
void model_fence(void);
extern struct flight_ring *model_ring;
extern struct flight_control model_control;
extern u64 model_len;

UW_INLINE const struct flight_control *flight_control(void)
{
	return &model_control;
}

UW_INLINE struct flight_ring *flight_ring(void)
{
	return model_ring;
}

UW_INLINE struct flight_slot *flight_slot(struct flight_ring *r, u64 index)
{
	return &r->slots[index & (model_len - 1)];
}

UW_INLINE u64 flight_len(void)
{
	return model_len;
}

UW_INLINE u64 flight_now(void)
{
	return 0;
}

UW_INLINE void flight_store(u64 *at, u64 value)
{
	model_store(at, value);
}

UW_INLINE void flight_fence(struct flight_ring *r)
{
	(void)r;
	model_fence();
}
