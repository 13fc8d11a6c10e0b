#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""schema.py SCHEMA PAGE UNSPOOL PROFILE...: checks docs/profile.schema.json against profiles, with the
validator of python3-jsonschema.

Each line of each profile must be valid. For each key, the schema must reject a line of the profiles
in which the value of that key has a wrong type, and, if the key is required, a line without it. The
schema has each key of the profiles, and PAGE mentions each key of the schema."""

import copy
import json
import subprocess
import sys

import jsonschema

# Lines with keys that depend on source maps, inlining, symbols and containers.
EXTRA = [{"type": "frame", "id": 1, "kind": "js", "name": "f", "file": "/srv/a.ts", "line": 1,
          "generated_file": "/srv/a.js", "generated_line": 2, "generated_column": 3,
          "ignored": True, "inlined": True, "deferred": 5},
         {"type": "frame", "id": 2, "kind": "native", "off": "0x20", "start_off": "0x1f",
          "addr": "0x40001f"},
         {"type": "process", "pid": 7, "container": "0123456789ab"}]
TYPES = ("header", "process", "thread", "frame", "stack", "samples", "summary")
OPEN = ("labels", "rows", "walks")  # objects that may have any other key
failed = []


def check(good, words):
    if not good:
        failed.append(words)
        print(f"FAILED: {words}")


def convert(unspool, text, *options):
    """Returns the lines into which `convert` converts a profile of any format."""
    done = subprocess.run([unspool, "convert", *options, "-f", "ndjson", "-", "-"], input=text,
                          stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def lines_of(unspool, path):
    """Returns the lines of a profile, and those of the anonymized profile, which must have the same
    keys."""
    with open(path, "rb") as file:
        text = file.read()
    plain, hashed = convert(unspool, text), convert(unspool, text, "--anonymize=all")
    check([sorted(line) for line in plain] == [sorted(line) for line in hashed],
          f"{path}: the anonymized profile has other keys")
    return plain + hashed


def properties_of(schema, line_type):
    return schema["$defs"][line_type]["properties"]


def wrong_values(value):
    """Yields values of another type than @value, and values that are out of range."""
    yield [["a list"]]
    yield "a text" if not isinstance(value, str) else 7
    if isinstance(value, int) and not isinstance(value, bool):
        yield -1
    if isinstance(value, dict):
        yield {"any key": "a text"}
    if isinstance(value, list):
        yield [0.5]


def judge_lines(schema, validator, path, lines, examples):
    for line in lines:
        errors = [error.message for error in validator.iter_errors(line)]
        check(not errors, f"{path}: {json.dumps(line)[:200]}: {errors[:1]}")
        properties = properties_of(schema, line["type"])
        check(set(line) <= set(properties), f"the schema lacks {set(line) - set(properties)}")
        for key in line:
            examples.setdefault((line["type"], key), line)


def judge_examples(schema, validator, examples):
    for (line_type, key), line in sorted(examples.items()):
        for wrong in wrong_values(line[key]):
            changed = dict(copy.deepcopy(line), **{key: wrong})
            is_open = key in OPEN and isinstance(wrong, dict)
            check(not validator.is_valid(changed) or is_open,
                  f"the schema accepts the {key} {wrong!r} of a {line_type}")
        if key in schema["$defs"][line_type]["required"]:
            without = {k: v for k, v in line.items() if k != key}
            check(not validator.is_valid(without), f"the schema accepts a {line_type} without {key}")


def judge_others(validator, examples):
    """Lines that are wrong in other ways than the type of one value."""
    stack = dict(examples["stack", "frames"], status="failed")
    stack.pop("reason", None)
    wrong = [stack, dict(examples["header", "schema"], schema=2), {"type": "sample"}, {}, [],
             dict(examples["frame", "off"], off="12"),
             dict(examples["samples", "pid"], labels={"activity": "sleep"}),
             dict(examples["summary", "samples"], by_activity={"sleep": 3}),
             dict(examples["header", "start"], start="yesterday")]
    for line in wrong:
        check(not validator.is_valid(line), f"the schema accepts {json.dumps(line)[:200]}")


def judge_page(schema, page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for name in TYPES:
        for key in properties_of(schema, name):
            check(f"`{key}`" in text, f"{page} lacks the key {key} of a {name}")


def main():
    schema_path, page, unspool, *profiles = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    examples = {}
    extra = "\n".join(json.dumps(line) for line in [{"type": "header", "schema": 1}, *EXTRA])
    hashed = convert(unspool, extra.encode() + b"\n", "--anonymize")[1:]
    check([set(line) for line in hashed] == [set(line) for line in EXTRA],
          "--anonymize drops a key")
    judge_lines(schema, validator, "EXTRA", EXTRA + hashed, examples)
    for path in profiles:
        judge_lines(schema, validator, path, lines_of(unspool, path), examples)
    judge_examples(schema, validator, examples)
    judge_others(validator, examples)
    judge_page(schema, page)
    for name in TYPES:
        for key in properties_of(schema, name):
            check((name, key) in examples, f"no line has the key {key} of a {name}")
    print(f"{len(profiles)} profiles, {len(examples)} keys")
    print(f"{len(failed)} failed")
    return bool(failed)


sys.exit(main())
