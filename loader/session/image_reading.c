// SPDX-License-Identifier: BSD-2-Clause

/* Limits the CPU time for reading a process, whose memory may describe any amount of work. */

#include "../../inspect/util/clock.h"
#include "image.h"

void image_begin_reading(struct image *im, struct budget *b, u64 max_ns)
{
	u64 now_ns = monotonic_ns();

	im->left_ns += (s64)((now_ns - im->earned_ns) / 2);
	im->earned_ns = now_ns;
	if (im->left_ns > (s64)IMAGE_READ_NS)
		im->left_ns = IMAGE_READ_NS;
	if (im->left_ns <= 0)
		max_ns = 0;
	else if ((u64)im->left_ns < max_ns)
		max_ns = (u64)im->left_ns;
	budget_begin(b, max_ns);
}

void image_end_reading(struct image *im, struct budget *b)
{
	im->left_ns -= (s64)budget_end(b);
}
