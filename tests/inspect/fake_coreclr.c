/* SPDX-License-Identifier: BSD-2-Clause */

/* What a CoreCLR is known by, as far as VERSION, DAC and DESCRIPTOR say; nothing of it works. */

#define EXPORT __attribute__((visibility("default"), used))

#ifdef VERSION
EXPORT const char version[] = "@(#)Version " VERSION " @Commit: 0123456789";
#endif
#ifdef DAC
EXPORT const void *g_dacTable[100] = { g_dacTable };
#endif
#ifdef DESCRIPTOR
EXPORT const void *DotNetRuntimeContractDescriptor[5] = { DotNetRuntimeContractDescriptor };
#endif
EXPORT int some_function(int n)
{
	return n + 1;
}
