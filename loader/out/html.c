/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes one HTML page that shows the profile in a browser and carries all its lines:
 *
 *	<script>the page's program</script>
 *	<script type="application/json" id="unspool-record">
 *	{"record":"BASE64"}
 *	</script>
 *
 * BASE64 is the profile as in .ndjson.gz. profile/page.c reads it. The page's program is built from
 * loader/html.
 */

#include <errno.h>

#include "../../inspect/util/cleanup.h"
#include "out.h"
#include "page_parts.h"

/* Bytes that do not yet make up a group of three. */
struct base64 {
	FILE *out;
	u8 rest[3];
	u32 n;
};

static void put_group(struct base64 *b)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	u32 group = (u32)b->rest[0] << 16 | (u32)b->rest[1] << 8 | b->rest[2];
	char text[4];

	for (u32 i = 0; i < 4; i++)
		text[i] = i <= b->n ? digits[group >> (18 - 6 * i) & 63] : '=';
	fwrite(text, 1, sizeof(text), b->out);
	b->rest[0] = b->rest[1] = b->rest[2] = 0;
	b->n = 0;
}

/* Returns @len; on failure returns 0, which sets the error of the stream. */
static ssize_t write_base64(void *cookie, const char *buf, size_t len)
{
	struct base64 *b = cookie;

	for (size_t i = 0; i < len; i++) {
		b->rest[b->n++] = (u8)buf[i];
		if (b->n == 3)
			put_group(b);
	}
	return ferror(b->out) ? 0 : (ssize_t)len;
}

static int write_record(struct prof_reader *in, FILE *out)
{
	const cookie_io_functions_t io = { .write = write_base64 };
	struct base64 b = { .out = out };
	FILE *stream = fopencookie(&b, "w", io);
	int err;

	if (!stream)
		return -ENOMEM;
	err = out_ndjson_gz.write(in, stream);
	if (fclose(stream) && !err)
		err = errno ? -errno : -EIO;
	if (!err && b.n)
		put_group(&b);
	return err;
}

static int write_html(struct prof_reader *in, FILE *out)
{
	int err;

	fwrite(page_head, 1, sizeof(page_head), out);
	err = write_record(in, out);
	if (err)
		return err;
	errno = 0;
	fwrite(page_tail, 1, sizeof(page_tail), out);
	if (ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}

const struct out_format out_html = {
	.name = "html",
	.suffix = "html",
	.holds = PROF_ALL_FEATURES,
	.write = write_html,
};
