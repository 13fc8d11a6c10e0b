# SPDX-License-Identifier: BSD-2-Clause
#
# Meson's testlog.json (slurped), that of the tests that were run again ($again) and the
# lines of ci/probe ($probed) to the verdict of ci/test: see there.

($probed | split("\n") | map(split(" ") | select(length > 1)) | map({key: .[0], value: (.[1] == "yes")})
	| from_entries) as $has |

# Meson 1.0 tells the suites in the name only: "unspool:a+b / what it tests".
def suites: (capture("^[^:/]*:(?<all>[^ ]*) / ").all | split("+")) // [];
def needs: [.name | suites[] | select(startswith("needs-")) | ltrimstr("needs-")];

def verdict:
	if .result == "OK" or .result == "EXPECTEDFAIL" then "passed"
	elif .result == "SKIP" and any(needs[]; $has[.] == false) then "skipped"
	else "failed" end;

($again | map({key: .name, value: .}) | from_entries) as $second |
map($second[.name] // .) |
map(. + {verdict: verdict, needs: needs}) as $tests |
($tests | group_by(.verdict) | map({key: .[0].verdict, value: length}) | from_entries) as $n |

($tests[] | select(.name | suites | index("figures")) | "== \(.name)\n\(.stdout // "" | rtrimstr("\n"))"),
($again[] | "again: \(.name), which failed beside others, now: \(.result)"),
($tests[] | select(.verdict == "failed" and .result == "SKIP")
	| "failed: \(.name) skipped, although it could run"
		+ if .needs == [] then "" else " (\(.needs | join(", ")): yes)" end),
($tests[] | select(.verdict == "skipped")
	| "skipped: \(.name) (\([.needs[] | select($has[.] == false)] | join(", ")): no)"),
"\($n.passed // 0) passed, \($n.failed // 0) failed"
	+ if $n.skipped then ", \($n.skipped) skipped" else "" end
