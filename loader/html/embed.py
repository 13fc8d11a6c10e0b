#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""embed.py SCRIPT OUTPUT: makes a C header with the two texts between which the record of a page
stands, from the bundled script of the page.

The policy allows nothing but this one script, by its hash, so that no name in a record can run code
or cause a request."""

import base64
import hashlib
import sys

HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Unspool profile</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-{hash}'; \
base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<meta name="generator" content="Unspool">
<main id="unspool"><p>This file is a profile that was recorded by Unspool. If this sentence stays, the file
is cut short, or the browser runs no scripts. `unspool report FILE` prints the profile.</p></main>
<script>{script}</script>
<script type="application/json" id="unspool-record">
{{"record":\""""
TAIL = """"}
</script>
</html>
"""


def array(name, text):
    data = text.encode()
    rows = [",".join(map(str, data[at:at + 32])) for at in range(0, len(data), 32)]
    return f"static const unsigned char {name}[] = {{\n" + ",\n".join(rows) + "\n};\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        script = file.read()
    if "</script" in script.lower() or "<!--" in script:
        sys.exit("the script contains a text that ends a script element or begins a comment")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    head = HEAD.format(hash=digest, script=script)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(array("page_head", head) + array("page_tail", TAIL))


main()
