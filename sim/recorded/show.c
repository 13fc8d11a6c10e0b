// SPDX-License-Identifier: BSD-2-Clause

#include "../../inspect/case/case.h"
#include "../../inspect/util/cleanup.h"
#include "load.h"

#include <errno.h>

int sim_recorded_show(const char *path, const char *arch, struct sim_error *error)
{
	_cleanup_(case_free) struct case_file *c = NULL;
	_cleanup_free_ char *text = NULL;
	struct case_error why = { "" };
	int err = case_read(path, &why, &c);

	(void)arch;
	if (err)
		return sim_fail(error, err, "%s", why.text);
	text = case_note_text(c);
	if (!text)
		return sim_fail(error, -ENOMEM, "%s: out of memory", path);
	puts(text);
	return 0;
}
