/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The exported symbols by which a V8 without metadata is recognized. The macros TEXT, NODE_API and
 * MAJOR select which of these symbols the library has. The functions do
 * nothing.
 */

#define EXPORT __attribute__((visibility("default"), used))

EXPORT const char version[] = TEXT;
EXPORT const char headers[] = "/download/release/v21.2.0/node-v21.2.0-headers.tar.gz";

EXPORT int NODE_API(int n)
{
	return n + 1;
}

#ifdef MAJOR
#define PART(name, value) EXPORT int name __asm__("_ZN2v88internal7Version6" #name "E") = value
PART(major_, MAJOR);
PART(minor_, 8);
PART(build_, 178);
PART(patch_, 31);
#endif
