/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The jitdump file format, which a process with a JIT writes for perf. Offsets and
 * constants are those of Linux v6.12, tools/perf/Documentation/jitdump-specification.txt
 * and tools/perf/util/jitdump.h; docs/reference/jitdump.md describes how perf and other
 * readers interpret them.
 *
 *	header | record | record | ...
 *
 * All integers are in the writer's byte order; nothing is aligned, neither records in the file nor
 * entries in a record. A record's size includes its 16 bytes of prefix. A LOAD's code is the last
 * part of the record and directly follows the name's NUL: perf finds the code from the record's
 * end, other readers from the NUL.
 */

#include "../../core/types.h"

#define JD_MAGIC 0x4a695444u /* "JiTD" as a number */
#define JD_MAGIC_SWAPPED 0x4454694au
#define JD_VERSION 1u /* the specification is called version 2, but perf refuses 2 here */
#define JD_FLAG_ARCH_TIME 1ull /* times are raw ticks of the processor's counter */

/* Header: offset of each field. */
enum {
	JD_H_MAGIC = 0, /* u32 */
	JD_H_VERSION = 4, /* u32 */
	JD_H_SIZE = 8, /* u32 */
	JD_H_MACH = 12, /* u32, EM_* */
	JD_H_PAD = 16, /* u32 */
	JD_H_PID = 20, /* u32 */
	JD_H_TIME = 24, /* u64 */
	JD_H_FLAGS = 32, /* u64 */
	JD_H_LEN = 40,
};

enum jd_id {
	JD_LOAD = 0,
	JD_MOVE = 1,
	JD_DEBUG_INFO = 2,
	JD_CLOSE = 3,
	JD_UNWINDING_INFO = 4,
	JD_N_IDS,
};

/* Records: the prefix, then the fields of each kind. */
enum {
	JD_P_ID = 0, /* u32 */
	JD_P_SIZE = 4, /* u32 */
	JD_P_TIME = 8, /* u64 */
	JD_P_LEN = 16,

	JD_L_PID = 16, /* u32 */
	JD_L_TID = 20, /* u32 */
	JD_L_VMA = 24,
	JD_L_ADDR = 32,
	JD_L_CODE_LEN = 40,
	JD_L_INDEX = 48,
	JD_L_NAME = 56, /* NUL-terminated, then the code */

	JD_M_PID = 16, /* u32 */
	JD_M_TID = 20, /* u32 */
	JD_M_VMA = 24,
	JD_M_OLD_ADDR = 32,
	JD_M_NEW_ADDR = 40,
	JD_M_CODE_LEN = 48,
	JD_M_INDEX = 56,
	JD_M_LEN = 64,

	JD_D_ADDR = 16,
	JD_D_N = 24,
	JD_D_ENTRIES = 32,
	/* An entry. */
	JD_E_ADDR = 0,
	JD_E_LINE = 8, /* u32, from 1 */
	JD_E_DISCRIM = 12, /* u32; writers put the column here */
	JD_E_FILE = 16, /* NUL-terminated; "\xff" alone: the file of the previous entry */

	JD_U_LEN = 16,
	JD_U_HDR_LEN = 24,
	JD_U_MAPPED = 32,
	JD_U_DATA = 40, /* .eh_frame, then .eh_frame_hdr */
};

/* perf stores a code size in an int. */
#define JD_MAX_RECORD 0x7fffffffu

/* V8's mark in the header (src/diagnostics/perf-jit.cc at 12.4.254: LogWriteHeader). */
#define JD_V8_PAD 0xdeadbeefu
/* V8 adds this to the addresses of debug entries, as earlier versions of perf required. */
#define JD_V8_DEBUG_SHIFT 0x40u
