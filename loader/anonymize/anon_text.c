/* SPDX-License-Identifier: BSD-2-Clause */
#include "anon_text.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "../../core/types.h"
#include "../../inspect/util/array.h"

#define HASH_LEN 6 /* bytes */

/* Parts of paths that many machines have; also the names of interpreters and common threads. */
static const char *const common[] = {
	".cache",
	".cargo",
	".pnpm",
	"<anonymous>",
	"(anonymous)",
	"MainThread",
	"V8Worker",
	"WorkerThread",
	"[eval]",
	"[stdin]",
	"[vdso]",
	"aarch64-linux-gnu",
	"app",
	"bash",
	"bin",
	"build",
	"bun",
	"cargo",
	"dash",
	"deno",
	"dev",
	"dist",
	"dist-packages",
	"dotnet",
	"etc",
	"file:",
	"go",
	"home",
	"http:",
	"https:",
	"index",
	"internal",
	"java",
	"ld-linux-aarch64",
	"ld-linux-x86-64",
	"lib",
	"libc",
	"libcoreclr",
	"libcrypto",
	"libm",
	"libpthread",
	"libssl",
	"libstdc++",
	"libz",
	"libzstd",
	"linux-vdso",
	"local",
	"lua",
	"main",
	"mnt",
	"mod",
	"mscorlib",
	"netstandard",
	"node",
	"node:internal",
	"node_modules",
	"nodejs",
	"opt",
	"operator",
	"perl",
	"php",
	"pkg",
	"proc",
	"python",
	"registry",
	"root",
	"ruby",
	"run",
	"rustc",
	"sh",
	"share",
	"shared",
	"site-packages",
	"src",
	"srv",
	"sys",
	"system.slice",
	"test",
	"tmp",
	"user.slice",
	"usr",
	"var",
	"webpack:",
	"x86_64-linux-gnu",
};

static const char *const suffixes[] = {
	".js",	   ".mjs", ".cjs",  ".ts",   ".mts",	 ".cts",   ".jsx",   ".tsx", ".vue",
	".svelte", ".cs",  ".fs",   ".vb",   ".c",	 ".h",	   ".cc",    ".cpp", ".cxx",
	".hpp",	   ".rs",  ".go",   ".py",   ".rb",	 ".php",   ".S",     ".s",   ".so",
	".dll",	   ".exe", ".node", ".wasm", ".service", ".scope", ".slice",
};

/* Beginnings of names that identify code of Node.js and of the .NET framework. */
static const char *const beginnings[] = { "node:", "System.", "Microsoft." };

int anon_key_init(struct anon_key *k, const char *text)
{
	u8 random[SHA256_DIGEST_SIZE];

	if (text) {
		hmac_sha256_set_key(&k->hmac, strlen(text), (const u8 *)text);
		return 0;
	}
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return errno ? -errno : -EIO;
	hmac_sha256_set_key(&k->hmac, sizeof(random), random);
	return 0;
}

static void put_hash(FILE *out, const struct anon_key *k, const char *text, size_t len)
{
	struct hmac_sha256_ctx hmac = k->hmac;
	u8 digest[HASH_LEN];

	hmac_sha256_update(&hmac, len, (const u8 *)text);
	hmac_sha256_digest(&hmac, sizeof(digest), digest);
	putc('x', out);
	for (size_t i = 0; i < sizeof(digest); i++)
		fprintf(out, "%02x", digest[i]);
}

static bool is_equal(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* Ignores a version at the end of the text: "lib64", "python3.11", "go-1.19". */
static bool is_common(const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		if (is_equal(text, len, common[i]))
			return true;
	while (len && strchr("0123456789.-", text[len - 1]))
		len--;
	for (size_t i = 0; len && i < ARRAY_SIZE(common); i++)
		if (is_equal(text, len, common[i]))
			return true;
	return false;
}

/* Returns the length of the text without its common suffix; a version may follow ".so". */
static size_t stem_len(const char *text, size_t len)
{
	size_t end = len;

	while (end && strchr("0123456789.", text[end - 1]))
		end--;
	if (end < 3 || memcmp(text + end - 3, ".so", 3) != 0)
		end = len;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (end > n && memcmp(text + end - n, suffixes[i], n) == 0)
			return end - n;
	}
	return len;
}

/* Replaces one part of a path. */
static void put_part(FILE *out, const struct anon_key *k, const char *text, size_t len)
{
	size_t stem;

	if (is_common(text, len)) {
		fwrite(text, 1, len, out);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++) {
		size_t n = strlen(beginnings[i]);

		if (len > n && memcmp(text, beginnings[i], n) == 0) {
			fwrite(text, 1, n, out);
			put_part(out, k, text + n, len - n);
			return;
		}
	}
	stem = stem_len(text, len);
	if (stem && is_common(text, stem))
		fwrite(text, 1, stem, out);
	else if (stem)
		put_hash(out, k, text, stem);
	fwrite(text + stem, 1, len - stem, out);
}

/* Replaces the parts between slashes, and keeps the slashes. */
static void put_path(FILE *out, const struct anon_key *k, const char *path, size_t len)
{
	while (len) {
		size_t part = 0;

		while (part < len && path[part] != '/' && path[part] != '\\')
			part++;
		put_part(out, k, path, part);
		if (part < len)
			putc(path[part++], out);
		path += part;
		len -= part;
	}
}

void anon_hash(FILE *out, const struct anon_key *k, const char *text)
{
	if (*text)
		put_hash(out, k, text, strlen(text));
}

void anon_path(FILE *out, const struct anon_key *k, const char *path)
{
	put_path(out, k, path, strlen(path));
}

/* Calls @put for each word, and keeps the spaces between the words. */
static void each_word(FILE *out, const struct anon_key *k, const char *text,
		      void (*put)(FILE *out, const struct anon_key *k, const char *word,
				  size_t len))
{
	while (*text) {
		size_t spaces = strspn(text, " "), len = strcspn(text + spaces, " ");

		fwrite(text, 1, spaces, out);
		put(out, k, text + spaces, len);
		text += spaces + len;
	}
}

void anon_words(FILE *out, const struct anon_key *k, const char *text)
{
	each_word(out, k, text, put_path);
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

static void put_jit_word(FILE *out, const struct anon_key *k, const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (is_slash(word[i])) {
			put_path(out, k, word, len);
			return;
		}
	}
	fwrite(word, 1, len, out);
}

static void put_name_word(FILE *out, const struct anon_key *k, const char *word, size_t len)
{
	size_t folder = len;

	while (folder && !is_slash(word[folder - 1]))
		folder--;
	put_path(out, k, word, folder);
	fwrite(word + folder, 1, len - folder, out);
}

void anon_function(FILE *out, const struct anon_key *k, const char *name, enum prof_kind kind)
{
	each_word(out, k, name, kind == PROF_JIT ? put_jit_word : put_name_word);
}

void anon_release(FILE *out, const struct anon_key *k, const char *release)
{
	size_t len = strspn(release, "0123456789.");

	fwrite(release, 1, len, out);
	if (!len)
		anon_hash(out, k, release);
}

void anon_runtime(FILE *out, const struct anon_key *k, const char *runtime)
{
	static const char *const names[] = { "Node.js ", "V8 ", ".NET " };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(runtime, names[i], n) == 0 &&
		    !runtime[n + strspn(runtime + n, "0123456789.")]) {
			fputs(runtime, out);
			return;
		}
	}
	anon_hash(out, k, runtime);
}
