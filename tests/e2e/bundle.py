# SPDX-License-Identifier: BSD-2-Clause
"""Puts the programs of fixtures/node/known into one very long line, like a bundler.

Comments and indentation are removed, so only the column of a frame identifies the file and line
from which the code comes. Filler precedes the programs: functions that are never called.
"""

import bisect
import os
import re

from known_source import units

FILLER = "function filler{n}(a,b){{const c=[a,b,'{n}'];return c.map((d)=>d+{n}).join('')}}"
N_FILLER = 5000  # some 400 KB


class Bundle:
    """Writes the bundle to @path; the file exports a list of the programs."""

    def __init__(self, path, folder, names):
        self.path, self.starts, self.origins = path, [], []
        self.text = "'use strict';" + "".join(FILLER.format(n=n) for n in range(N_FILLER))
        self.text += "const all=[];"
        for name in names:
            self._add(os.path.join(folder, name + ".js"))
        self.text += "module.exports=(work)=>all.map((part)=>part(work));"
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def _add(self, path):
        self.text += "((module)=>{"
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file.read().splitlines(), 1):
                code = re.sub(r"\s*//.*$", "", line).strip()
                if code and code != "'use strict';":
                    self.starts.append(units(self.text) + 1)
                    self.origins.append((path, number, units(line[:line.index(code)])))
                    self.text += code + " "
        self.text += "all.push(module.exports);})({});"

    def origin(self, line, column):
        """Returns file, line and column in the original program; the file is "" if no program is at
        the column."""
        i = bisect.bisect(self.starts, column or 0) - 1
        if line != 1 or i < 0:
            return self.path, line, column
        path, number, indent = self.origins[i]
        return path, number, indent + column - self.starts[i] + 1
