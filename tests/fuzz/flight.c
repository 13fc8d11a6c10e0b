// SPDX-License-Identifier: BSD-2-Clause

/*
 * A dump of the flight recorder: every slot is read or reported lost, and the dump's trace is valid
 * JSON.
 */

#include "fuzz.h"

#include "../../inspect/flight/fl_chrome.h"
#include "../../inspect/flight/fl_walks.h"
#include "../../inspect/util/json_memory.h"

static void read_rings(const struct fl_dump *d)
{
	for (u32 i = 0; i < d->n_rings; i++) {
		struct fl_cursor c = { .is_final = true };
		struct fl_entry e;
		u64 before = 0;

		while (fl_ring_read(&d->rings[i].ring, &c, &e) == FL_ENTRY) {
			FUZZ_MUST(c.read + c.lost == c.at,
				  "some slots were counted neither as read nor as lost");
			FUZZ_MUST(c.at > before, "reading an entry did not advance the cursor");
			FUZZ_MUST(e.n_words <= FLIGHT_MAX_WORDS, "%d words", e.n_words);
			before = c.at;
		}
		FUZZ_MUST(c.read <= d->rings[i].ring.n_slots,
			  "the ring has fewer slots than entries were read");
	}
}

static void write_trace(const struct fl_dump *d)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	json_t *json;

	FUZZ_MUST(f && fl_chrome_write(d, f) == 0 && !fclose(f), "no trace");
	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	FUZZ_MUST(json, "the trace is not valid JSON");
	json_decref(json);
	free(text);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fl_dump d;

	if (fl_dump_parse(data, size, &d))
		return 0;
	read_rings(&d);
	write_trace(&d);
	fl_dump_deinit(&d);
	return 0;
}
