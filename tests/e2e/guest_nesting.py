# SPDX-License-Identifier: BSD-2-Clause
"""guest_nesting.py VERSION PROFILE: judges what ci/arm64 brought home, as known_nesting.py does."""

import os
import sys

from known_nesting import HEADER, KNOWN, Figures, percent, row
from lib import Checks, Profile
from nesting import Judge

MIN_LEAVES = 100


def main():
    version, path = sys.argv[1:]
    check = Checks()
    if not check.that(os.path.getsize(path), f"{version}: the guest gave a profile", quiet=True):
        return check.end()
    f = Figures(Judge(KNOWN), Profile(path))
    row(HEADER)
    row((version, "arm64", f.summary["samples"], f.leaf, percent(f.exact, f.leaf),
         percent(f.window, f.leaf), f.outside, f.gap, f.above, percent(f.above_exact, f.above),
         f.lines, f.inlined, f.complete, f.summary["lost"]))
    for miss in f.misses[:12]:
        print("    not exact:", miss)
    check.that(f.leaf >= MIN_LEAVES, f"{version}: {f.leaf} samples in the programs")
    check.that(percent(f.exact + f.above_exact, f.leaf + f.above) >= 99, f"{version}: 99 % exact")
    check.that(f.complete >= 95, f"{version}: {f.complete:.1f} % complete, 95 wanted")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
