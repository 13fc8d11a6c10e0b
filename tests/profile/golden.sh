#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# golden.sh UNSPOOL JUDGE FOLDER: reads the profiles FOLDER/VERSION/*, which earlier versions of
# Unspool recorded. JUDGE, in Python, computes from the lines of a profile what report and convert
# must print.

set -u
here=$(realpath "$(dirname "$0")")
tool=$(realpath "$1") judge=$(realpath "$2") folder=$(realpath "$3")
# shellcheck source=tests/profile/checks.sh
. "$here/checks.sh"

# has_total FILE: the report of FILE has the number of samples that jq counts
has_total() {
	local n
	n=$("$tool" convert -f ndjson "$1" - | jq -s 'map(select(.type == "samples").count) | add')
	[ "$n" -gt 0 ] && "$tool" report -f json "$1" | jq -e --argjson n "$n" '.samples == $n'
}

for file in "$folder"/*/*; do
	name=${file#"$folder/"}
	check "$name: the report has all samples" has_total "$file"
	case $file in
	*.ndjson)
		"$tool" report --json "$file" >stacks
		"$tool" convert "$file" out.folded
		check "$name: the lines add up" judge lines "$file"
		check "$name: the stacks are those of the lines" judge stacks "$file" stacks
		check "$name: the folded stacks are those of the lines" judge folded "$file" out.folded
		;;
	*.gz | *.zst)
		check "$name: the lines are those before compression" \
			cmp "${file%.*}" <("$tool" convert -f ndjson "$file" -)
		;;
	esac
	for len in 100 1000; do
		head -c "$len" "$file" >part
		"$tool" report part >/dev/null 2>&1
		check "$name: a part of it does not crash the report" test $? -le 1
	done
done
"$tool" report --json "$folder"/0.1.0/node.ndjson | sed '1s/"count":[0-9]*/"count":1000000/' >stacks
check 'a wrong stack is noticed' test -n "$(judge stacks "$folder"/0.1.0/node.ndjson stacks 2>&1)"

conclude
