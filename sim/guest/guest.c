// SPDX-License-Identifier: BSD-2-Clause

/* The program inside a guest: walks in an endless loop. The same source serves both architectures.
 */

#include "../port/walk.h"

__asm__(".section .stubs, \"ax\"\n"
	".globl guest_read, guest_next\n"
	"guest_read: ret\n"
	".balign 16\n"
	"guest_next: ret\n"
	".balign 16\n"
	".text\n");

void guest_next(void);

__attribute__((section(".main"))) void guest_main(void)
{
	for (;;) {
		guest_next();
		sim_walk_go(&guest_box()->state);
	}
}

/* The compiler may call these functions for large copies, and there is no libc. */
void *memcpy(void *dst, const void *src, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((volatile u8 *)dst)[i] = ((const u8 *)src)[i];
	return dst;
}

void *memset(void *dst, int byte, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((volatile u8 *)dst)[i] = (u8)byte;
	return dst;
}
