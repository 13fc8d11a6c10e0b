# SPDX-License-Identifier: BSD-2-Clause
#
# awk -v arch=ARCH -f ci/budget.awk CONSOLE: prints the verifier's instruction counts from a guest's
# console in the format of ci/budget.txt, one line each: `SERIES ARCH OBJECT/PROGRAM INSNS`.
#
# awk -v arch=ARCH -v budget=ci/budget.txt -f ci/budget.awk CONSOLE: prints only the programs
# that are more than 10 % above the budget, or not in ci/budget.txt. Exit status 1 if there are such
# programs.

BEGIN {
	while (budget != "" && (getline line < budget) > 0) {
		split(line, f, " ")
		allowed[f[1], f[2], f[3]] = f[4]
	}
}

$1 == "kernel" {
	split($2, version, ".")
	series = version[1] "." version[2]
}

$2 == "verified" && budget == "" { print series, arch, $1, $3 }

$2 == "verified" && budget != "" {
	insns = allowed[series, arch, $1]
	if (insns == "")
		print $1 " is not in the budget of " series " " arch ": ci/kernels --write-budget"
	else if ($3 > insns * 1.1)
		print $1 ": " $3 " instructions verified by " series " " arch ", the budget is " insns
	else
		next
	over = 1
}

END { exit over }
