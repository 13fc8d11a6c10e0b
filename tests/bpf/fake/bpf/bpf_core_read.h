/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Replaces libbpf's header: the fake kernel's structures have the layout that the
 * programs declare. A read through a null pointer returns zero, as in the kernel.
 */

#include <string.h>

/*
 * The state for bpf_core_field_exists(), for members that not every kernel has. If fake_has_fields,
 * all of these members exist except those in fake_lacks; otherwise none exists.
 */
extern bool fake_has_fields;
extern const char *fake_lacks; /* names of missing members, or NULL */

static inline bool fake_has(const char *field)
{
	return fake_has_fields && (!fake_lacks || !strstr(fake_lacks, strrchr(field, '>') + 1));
}

/* In the fake kernel, struct pt_regs is longer than the part that the programs read. */
#define FAKE_PT_REGS_LEN 352

#define FAKE_READ_1(src, a)                                                                        \
	({                                                                                         \
		typeof(src) from_ = (src);                                                         \
		from_ ? from_->a : (typeof(from_->a))0;                                            \
	})
#define FAKE_READ_2(src, a, ...) FAKE_READ_1(FAKE_READ_1(src, a), __VA_ARGS__)
#define FAKE_READ_3(src, a, ...) FAKE_READ_2(FAKE_READ_1(src, a), __VA_ARGS__)
#define FAKE_PICK(_1, _2, _3, picked, ...) picked
#define BPF_CORE_READ(src, ...)                                                                    \
	FAKE_PICK(__VA_ARGS__, FAKE_READ_3, FAKE_READ_2, FAKE_READ_1, )(src, __VA_ARGS__)

#define BPF_CORE_READ_BITFIELD_PROBED(src, field) ((src)->field)

#define bpf_core_field_exists(field)                                                               \
	((void)sizeof(({                                                                           \
		 (void)(field);                                                                    \
		 0;                                                                                \
	 })),                                                                                      \
	 fake_has(#field))
#define bpf_core_field_offset(type, field) offsetof(type, field)
#define bpf_core_type_size(type)                                                                   \
	(__builtin_types_compatible_p(type, struct pt_regs___kernel) ? FAKE_PT_REGS_LEN            \
								     : sizeof(type))
