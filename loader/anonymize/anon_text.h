/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Replaces texts by keyed hashes: "x" and 12 hexadecimal digits of HMAC-SHA-256. With the same key,
 * equal texts have equal hashes; without the key, a guess of a text can't be checked.
 *
 *	/srv/acme/view.js     -> /x5f1d0c8a7b21/x0a7741c9d3e0/x88b2f1170c5e.js
 *	/usr/lib/node_modules -> /usr/lib/node_modules
 *
 * Each part of a path has its own hash. Parts that many machines have, and common suffixes, are
 * kept, so that reports can still distinguish packages and runtimes from the program itself.
 */

#include <nettle/hmac.h>
#include <stdio.h>

#include "../profile/profile_types.h"

struct anon_key {
	struct hmac_sha256_ctx hmac;
};

/* Derives the key from a text; NULL: a random key. Returns 0 or a negative errno. */
int anon_key_init(struct anon_key *k, const char *text);

/*
 * Each function prints the replacement of a text.
 *
 * anon_words() replaces each word of a command line as anon_path() does. anon_function() keeps the
 * name of a function, except for the paths in it: all words with a slash in the name of code from
 * another JIT compiler, and the part before the last slash of any other name ("acme.com/pkg.Run").
 * anon_release() keeps the leading version of a kernel release.
 */
void anon_hash(FILE *out, const struct anon_key *k, const char *text);
void anon_path(FILE *out, const struct anon_key *k, const char *path);
void anon_words(FILE *out, const struct anon_key *k, const char *text);
void anon_function(FILE *out, const struct anon_key *k, const char *name, enum prof_kind kind);
void anon_release(FILE *out, const struct anon_key *k, const char *release);

/* Keeps "Node.js 24.21.0", "V8 12.4.254.21" and ".NET 8.0.1"; replaces any other text. */
void anon_runtime(FILE *out, const struct anon_key *k, const char *runtime);
