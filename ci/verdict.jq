# SPDX-License-Identifier: BSD-2-Clause
#
# Computes the verdict of ci/test by the rules in the header of that script. Input: meson's
# testlog.json (slurped), the log of the repeated tests ($again), the names of all tests that should
# run ($expected), the lines of ci/probe ($probed) and the required capabilities ($required).

def lines: split("\n") | map(select(. != ""));
($probed | lines | map(split(" ") | {key: .[0], value: (.[1] == "yes")}) | from_entries) as $has |

# Meson 1.0 reports the suites only in the test's name: "unspool:a+b / name of the test".
def title: sub("^[^:/]*:[^ ]* / "; "");
def suites: (capture("^[^:/]*:(?<all>[^ ]*) / ").all | split("+")) // [];
def needs: [.name | suites[] | select(startswith("needs-")) | ltrimstr("needs-")];

def verdict:
	if .result == "OK" or .result == "EXPECTEDFAIL" then "passed"
	elif .result == "SKIP" and any(needs[]; $has[.] == false) then "skipped"
	else "failed" end;

# A test that passed prints a line for each part that it skipped: "skipped: WORDS (needs-NAME)".
def parts: .name as $name | select(.verdict == "passed") | .stdout // "" | lines[]
	| capture("^skipped: (?<words>.*) \\(needs-(?<need>[^ )]*)\\)$")
	| {name: ($name + ": " + .words), needs: [.need], result: "SKIP",
		verdict: (if $has[.need] == false then "skipped" else "failed" end)};

($again | map({key: .name, value: .}) | from_entries) as $second |
map($second[.name] // .) | map(. + {verdict: verdict, needs: needs}) |
(. + map(parts)) as $tests |

([$tests[].name | title] as $ran | $expected | lines - $ran) as $missing |
($required | gsub(","; " ") | split(" ") | map(select(. != "" and $has[.] != true))) as $broken |
def count(which): [$tests[] | select(.verdict == which)] | length;
(count("failed") + ($missing | length) + ($broken | length)) as $failed |
count("skipped") as $skipped |
[$tests[] | select(.verdict == "skipped")
	| . + {lacks: [.needs[] | select($has[.] == false)]}] as $left |
[$left[] | select(.lacks | index("dotnet"))] as $dotnet |

($tests[] | select(.name | suites | index("figures")) | "== \(.name)\n\(.stdout // "" | rtrimstr("\n"))"),
($tests[] | select(.verdict == "failed")
	| if .result != "SKIP" then "failed: \(.name): \(.result)"
	else "failed: \(.name) skipped, although it could run"
		+ if .needs == [] then "" else " (\(.needs | join(", ")): yes)" end end),
($missing[] | "failed: \(.) did not run"),
($broken[] | "failed: \(.) is required (UNSPOOL_REQUIRE) and missing here"),
(($left - $dotnet)[] | "skipped: \(.name) (\(.lacks | join(", ")): no)"),
($again[] | "again: \(.name), which failed beside others, now: \(.result)"),
if $dotnet == [] then empty else
	"\($dotnet | length) tests of .NET skipped: no .NET SDK; to install one: "
	+ "https://learn.microsoft.com/dotnet/core/install/linux-debian" end,
"again: \($again | length)",
"\(count("passed")) passed, \($failed) failed" + if $skipped > 0 then ", \($skipped) skipped" else "" end
