#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# check.sh UNSPOOL MAKE_PROFILE JUDGE OLD_PROFILE: runs report and convert as a user does; Python,
# gzip and zstd check the output.

set -u
here=$(realpath "$(dirname "$0")")
tool=$(realpath "$1") make=$(realpath "$2") judge=$(realpath "$3") old=$(realpath "$4")
for need in python3 gzip zstd jq; do
	command -v "$need" >/dev/null || {
		echo "cannot run here: $need is missing"
		exit 77
	}
done
# shellcheck source=tests/profile/checks.sh
. "$here/checks.sh"

fails() {
	! "$@"
}

# exits STATUS ERROR COMMAND...: the command exits with STATUS and prints only ERROR on stderr
exits() {
	local want=$1 error=$2 got
	shift 2
	"$@" >out 2>err
	got=$?
	cat err
	[ "$got" = "$want" ] && [ "$(cat err)" = "$error" ]
}

same_after_both() {
	"$tool" convert p.ndjson.gz a.ndjson.zst && "$tool" convert a.ndjson.zst a.ndjson &&
		cmp a.ndjson p.ndjson
}

# piped FROM COMMAND...: with file FROM on a pipe, the command's output is the profile
piped() {
	local from=$1
	shift
	tail -c +1 "$from" | "$@" | cmp - p.ndjson
}

reports_interruption() {
	"$tool" report .p.partial | grep -q 'recording was interrupted'
}

convert_with_size_limit() (
	ulimit -f 1
	"$tool" convert p.ndjson big.folded
)

limited() ( # FILE: converts p.ndjson to FILE, which must not exceed 1 KiB
	ulimit -f 1
	"$tool" convert -q p.ndjson "$1"
)

"$make" whole >p.ndjson
"$make" partial >.p.partial
check every_line_is_json_and_adds_up judge lines p.ndjson
check stacks_of_each_status_occur judge statuses p.ndjson
check the_profile_is_harmless_on_a_terminal judge utf8 p.ndjson

for f in ndjson.gz ndjson.zst folded html; do
	check "convert_writes_$f" "$tool" convert p.ndjson "p.$f"
done
check gzip_reads_the_gz_file piped p.ndjson.gz gzip -dc
check zstd_reads_the_zst_file piped p.ndjson.zst zstd -qdc
check a_page_gives_the_same_lines piped p.html "$tool" convert - - -f ndjson
check gz_to_zst_to_ndjson_is_the_same same_after_both
check a_pipe_goes_through piped p.ndjson.gz "$tool" convert - - -f ndjson
check another_profile_is_noticed fails piped .p.partial cat
check files_are_private test "$(stat -c %a p.folded p.ndjson.gz | uniq)" = 600

check folded_counts_and_labels_are_right judge folded p.ndjson p.folded
sed '1s/[0-9]*$/1000000/' p.folded >wrong.folded
check a_wrong_count_is_noticed fails judge folded p.ndjson wrong.folded
sed '1s/render\|plain/x/; 1s/a/b/' p.folded >wrong.folded
check a_wrong_label_is_noticed fails judge folded p.ndjson wrong.folded
check folded_is_harmless_on_a_terminal judge utf8 p.folded

"$tool" report --json p.ndjson.zst >p.stacks
check json_stacks_hold_all_samples judge stacks p.ndjson p.stacks
sed '1s/"count":[0-9]*/"count":1000000/' p.stacks >wrong.stacks
check a_wrong_stack_is_noticed fails judge stacks p.ndjson wrong.stacks
"$tool" report p.ndjson >p.txt
check the_report_is_harmless_on_a_terminal judge utf8 p.txt
check the_report_has_its_table grep -qE '^   self   total  function +where$' p.txt
check a_partial_is_reported reports_interruption
check a_finished_one_is_not_interrupted fails grep -q interrupted p.txt

# The reasons in OLD_PROFILE are spelled as in Unspool 0.1.0.
reasons() { # FILE: prints the reasons of all stacks and frames
	jq -r '.. | .reason? // empty' "$1" | sort -u
}
cat >want.reasons <<-END
	CFA out of range
	code discarded
	multiple awaiters
	no method at pc
	no unwind row
	not in its jitdump
END
"$tool" report --json "$old" >new.stacks
"$tool" report "$old" >new.txt
"$tool" convert "$old" new.folded
check old_reasons_are_read_as_present_ones diff want.reasons <(reasons new.stacks)
check an_old_reason_would_be_noticed fails diff want.reasons <(reasons "$old")
for f in new.txt new.folded; do
	check "${f}_has_the_present_reason" grep -q 'CFA out of range' $f
	check "${f}_lacks_the_old_reason" fails grep -q "caller's frame" $f
done

head -c 5000 p.ndjson.gz >cut.ndjson.gz
check a_cut_gzip_is_refused fails "$tool" report cut.ndjson.gz
check a_cut_gzip_is_not_converted fails "$tool" convert cut.ndjson.gz cut.folded
check nothing_is_left_of_it test ! -e cut.folded -a -z "$(find . -name '.unspool-*')"

check without_file_is_usage exits 2 'unspool: missing argument; use unspool report FILE' "$tool" report
check without_out_is_usage exits 2 \
	'unspool: missing arguments; use unspool convert IN OUT' "$tool" convert p.ndjson
formats='html, ndjson, ndjson.gz, ndjson.zst, folded, pprof, speedscope, firefox, cpuprofile, perf-script, svg'
check an_unknown_suffix_is_usage exits 2 "unspool: p.png: unknown format; add -f with one of $formats" \
	"$tool" convert p.ndjson p.png
check an_unknown_format_is_usage exits 2 "unspool: unknown format 'png'; use one of $formats" \
	"$tool" convert -f png p.ndjson p.x
check a_missing_file_is_a_failure exits 1 \
	"unspool: can't read no: No such file or directory" "$tool" report no
check a_full_disk_is_a_failure exits 1 \
	"unspool: can't write /dev/full: No space left on device" \
	"$tool" convert p.ndjson /dev/full -f ndjson
check a_size_limit_is_a_failure exits 1 "unspool: can't write big.folded: File too large" \
	convert_with_size_limit
check no_part_of_it_is_left test ! -e big.folded -a -z "$(find . -name '.unspool-*')"
check text_is_no_profile exits 1 \
	"unspool: p.txt:1: not an Unspool profile; use an .ndjson or .html file, or folded stacks" \
	"$tool" report p.txt
sed '1s/"schema":1/"schema":2/' p.ndjson >newer.ndjson
check a_newer_schema_is_a_failure exits 1 "unspool: newer.ndjson:1: unknown schema version; a newer \
unspool may be able to read the profile" "$tool" convert newer.ndjson newer.folded
check nothing_of_a_newer_schema_is_written test ! -e newer.folded
for f in pb.gz speedscope.json json.gz cpuprofile perf.txt svg; do
	"$tool" convert -q p.ndjson "v.$f"
	check "a_file_with_suffix_${f}_is_no_profile" exits 1 \
		"unspool: v.$f:1: not an Unspool profile; use an .ndjson or .html file, or folded stacks" \
		"$tool" convert "v.$f" v.folded
	check "a_size_limit_leaves_no_part_of_$f" fails limited "big.$f"
	rm -f "v.$f"
done
check nothing_is_half_written test -z "$(find . -name 'v.*' -o -name 'big.*' -o -name '.unspool-*')"
check omissions_are_a_note exits 0 \
	"unspool: note: v.svg does not hold the times, threads, guesses, lost samples, activities and \
executed lines of the profile; .ndjson does" "$tool" convert p.ndjson v.svg
check quiet_omits_the_note exits 0 '' "$tool" convert -q p.ndjson v.svg
check help_is_not_an_error exits 0 '' "$tool" report --help

conclude
