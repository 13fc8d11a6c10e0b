#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Puts into $OUT: each target, TARGET_seed_corpus.zip, TARGET.dict, and in lib/ the shared
# libraries, which the fuzzing machine lacks. From the environment: SRC (the project is in
# unspool/), OUT, CC, CFLAGS with the instrumentation, LIB_FUZZING_ENGINE; WORK if there is one.

set -euo pipefail
cd "$SRC/unspool"
build=${WORK:-$SRC}/build

# BPF and guests: not every clang can build them; the distribution's can.
cat >"$build.ini" <<INI
[binaries]
clang = ['/usr/bin/clang']
bpftool = ['$(find /usr/lib/linux-tools* /usr/sbin -name bpftool 2>/dev/null | sort | tail -1)']
INI

[ -e "$build/build.ninja" ] ||
	LDFLAGS="${LDFLAGS-} -Wl,--disable-new-dtags,-rpath,\$ORIGIN/lib" meson setup "$build" \
		--native-file "$build.ini" -Dfuzz=enabled -Dfuzz_flags='[]' \
		-Dfuzz_engine="$LIB_FUZZING_ENGINE" -Db_lundef=false
ninja -C "$build" fuzz

# copy_libraries PROGRAM: all but the C library's own
copy_libraries() {
	ldd "$1" | awk '$2 == "=>" && $3 ~ "^/" { print $3 }' |
		grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|ld-linux[^/]*)\.so' |
		while read -r library; do cp -Lu "$library" "$OUT/lib/"; done
}

mkdir -p "$OUT/lib"
shopt -s nullglob
for target in "$build"/tests/fuzz/fuzz-*; do
	name=${target##*/fuzz-}
	case $name in seeds | to-case | *.*) continue ;; esac
	cp "$target" "$OUT/$name"
	copy_libraries "$target"
	rm -f "$OUT/${name}_seed_corpus.zip"
	python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" \
		"tests/fuzz/corpus/$name"/* "$build/tests/fuzz/seeds/$name"/*
	[ ! -e "tests/fuzz/$name.dict" ] || cp "tests/fuzz/$name.dict" "$OUT/"
done
