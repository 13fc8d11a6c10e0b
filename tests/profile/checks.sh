# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# For tests of the command line: an empty folder as the working directory, and counted checks. The
# test sets judge, the path of judge.py.

: "${judge:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
passed=0 failed=0

check() { # NAME COMMAND...
	local name=$1
	shift
	if "$@" >log 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $name"
		head -c 2000 log
	fi
}

judge() {
	python3 -B "$judge" "$@"
}

conclude() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
