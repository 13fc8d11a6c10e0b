/* SPDX-License-Identifier: BSD-2-Clause */
#include "option.h"

#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/whole_file.h"

static error_t read_key(struct cli_parse *p, const char *path, struct anonymizer_options *o)
{
	_cleanup_free_ char *text = NULL;
	int err = whole_file_read(path, ANONYMIZER_MAX_KEY, &text);

	if (err)
		return cli_fail(p, "--anonymize: can't read the key from %s: %s", path,
				strerror(-err));
	snprintf(o->key, sizeof(o->key), "%.*s", (int)strcspn(text, "\n"), text);
	return o->key[0] ? 0 : cli_fail(p, "--anonymize: the first line of %s is empty", path);
}

error_t anonymize_option_parse(struct cli_parse *p, const char *arg, struct anonymizer_options *o)
{
	static const char all[] = "all";

	*o = (struct anonymizer_options){ 0 };
	if (!arg)
		return 0;
	o->functions = !strcmp(arg, all) || !strncmp(arg, "all,", 4);
	if (!strcmp(arg, all))
		return 0;
	arg += o->functions ? 4 : 0;
	if (!*arg)
		return cli_fail(p, "--anonymize: the key is empty; drop the '=' for a random key");
	if (*arg == '@')
		return read_key(p, arg + 1, o);
	if (strlen(arg) > ANONYMIZER_MAX_KEY)
		return cli_fail(p, "--anonymize: the key is longer than %d bytes",
				ANONYMIZER_MAX_KEY);
	strcpy(o->key, arg);
	return 0;
}
