/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The exported symbols by which CoreCLR is recognized. The macros VERSION, DAC and DESCRIPTOR
 * select which of these symbols the library has. The functions do nothing.
 */

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
