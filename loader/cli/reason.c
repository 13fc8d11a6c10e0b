// SPDX-License-Identifier: BSD-2-Clause

#include "reason.h"

#include "../../core/uw_status.h"
#include "../../inspect/util/reasons.h"

#include <errno.h>
#include <string.h>

static const char *const words[UW_N_STATUS] = {
#define X(name, class, words, meaning) [name] = words,
	UW_STATUS_LIST(X)
#undef X
};

static const u8 classes[UW_N_STATUS] = {
#define X(name, class, words, meaning) [name] = UW_CLASS_##class,
	UW_STATUS_LIST(X)
#undef X
};

static u64 of_class(u8 class)
{
	u64 set = 0;

	for (u32 i = 0; i < UW_N_STATUS; i++)
		if (classes[i] == class)
			set |= 1ull << i;
	return set;
}

int reason_parse(const char *word, u64 *stacks, u64 *frames)
{
	u64 s = REASON_ANY, f = 0;
	u32 i = UW_OK + 1;

	if (!strcmp(word, "truncated") || !strcmp(word, "failed")) {
		s = of_class(*word == 't' ? UW_CLASS_TRUNCATED : UW_CLASS_FAILED);
	} else if (strcmp(word, "any") != 0) {
		while (i < UW_N_STATUS && !reason_matches(word, words[i]))
			i++;
		if (i == UW_N_STATUS)
			return -EINVAL;
		if (classes[i] == UW_CLASS_FRAME)
			f = 1ull << i;
		else
			s = 1ull << i;
	}
	*stacks = s;
	*frames = f;
	return 0;
}
