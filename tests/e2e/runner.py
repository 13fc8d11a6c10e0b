# SPDX-License-Identifier: BSD-2-Clause
"""A runner for composite actions of GitHub, and a stand-in for GitHub's API, both on this machine.

The runner executes the steps of an action.yml with the environment variables that GitHub sets. It
knows the step actions/upload-artifact, and the expressions inputs.X, github.token and
steps.ID.outputs.X. The API has artifacts and comments, in pages of 100.
"""

import contextlib
import http.server
import io
import json
import os
import re
import subprocess
import threading
import urllib.parse
import zipfile

REPOSITORY = "owner/app"
TOKEN = "secret-token"
PULL_REQUEST = 7


def read_yaml(text):
    """Reads the part of YAML that action.yml uses: mappings, lists of mappings, and scalars."""
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in text.splitlines()
             if line.strip() and not line.lstrip().startswith("#")]

    def scalar(word):
        return word[1:-1] if word[:1] == word[-1:] == "'" else word

    def block(at, indent):
        is_list = lines[at][1].startswith("- ")
        value = [] if is_list else {}
        while at < len(lines) and lines[at][0] == indent:
            if is_list:
                lines[at] = indent + 2, lines[at][1][2:]
                item, at = block(at, indent + 2)
                value.append(item)
                continue
            key, word = re.fullmatch(r"([^:]+):(?: (.*))?", lines[at][1]).groups()
            at += 1
            if word is None and at < len(lines) and lines[at][0] > indent:
                value[key], at = block(at, lines[at][0])
            else:
                value[key] = scalar(word or "")
        return value, at

    return block(0, 0)[0]


class Api:
    """The stand-in: artifacts (with the bytes of their profile) and comments of pull requests."""

    def __init__(self):
        self.artifacts, self.comments, self.requests = [], [], []
        self.may_write = self.may_list = True

    def add_artifact(self, profile, branch="main", name="unspool-profile", expired=False, fork=False):
        number = len(self.artifacts) + 1
        self.artifacts.insert(0, {
            "id": number, "name": name, "expired": expired, "created_at": f"2026-01-01T00:00:{number:02}Z",
            "workflow_run": {"head_branch": branch, "repository_id": 1, "head_repository_id": 2 if fork else 1},
            "profile": profile})

    def answer(self, method, path, query, body):
        """Returns (status, JSON or bytes, or the URL of a redirect)."""
        page = int(query.get("page", ["1"])[0]) - 1
        part = slice(page * 100, page * 100 + 100)
        if path == f"/repos/{REPOSITORY}/actions/artifacts":
            found = [{k: v for k, v in a.items() if k != "profile"} for a in self.artifacts
                     if a["name"] == query["name"][0]]
            return (200, {"artifacts": found[part]}) if self.may_list else (403, {})
        if m := re.fullmatch(rf"/repos/{REPOSITORY}/actions/artifacts/(\d+)/zip", path):
            return 302, f"/storage/{m[1]}"
        if m := re.fullmatch(r"/storage/(\d+)", path):
            data = io.BytesIO()
            with zipfile.ZipFile(data, "w") as file:
                file.writestr("profile.ndjson.zst", next(a["profile"] for a in self.artifacts if a["id"] == int(m[1])))
            return 200, data.getvalue()
        if path == f"/repos/{REPOSITORY}/issues/{PULL_REQUEST}/comments" and method == "GET":
            return 200, self.comments[part]
        if not self.may_write:
            return 403, {}
        if path == f"/repos/{REPOSITORY}/issues/{PULL_REQUEST}/comments" and method == "POST":
            self.comments.append({"id": len(self.comments) + 1, "body": body["body"]})
            return 201, self.comments[-1]
        if (m := re.fullmatch(rf"/repos/{REPOSITORY}/issues/comments/(\d+)", path)) and method == "PATCH":
            self.comments[int(m[1]) - 1]["body"] = body["body"]
            return 200, self.comments[int(m[1]) - 1]
        return 404, {}


@contextlib.contextmanager
def serving(api):
    """Serves the API; yields its URL."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def serve(self):
            url = urllib.parse.urlsplit(self.path)
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            api.requests.append((self.command, url.path, self.headers.get("Authorization")))
            status, answer = api.answer(self.command, url.path, urllib.parse.parse_qs(url.query),
                                        json.loads(data) if data else None)
            # Storage is another host, which must not get the token.
            place = f"http://localhost:{self.server.server_port}{answer}" if status == 302 else None
            answer = b"" if place else answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            if place:
                self.send_header("Location", place)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = do_PATCH = serve

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Run:
    """One run of an action: the exit status of the failed step or 0, the output and the summary."""

    def __init__(self, action, place, url, inputs, environment):
        self.action, self.place = action, place
        with open(os.path.join(action, "action.yml"), encoding="utf-8") as file:
            self.definition = read_yaml(file.read())
        self.inputs = {name: inputs.get(name, about.get("default"))
                       for name, about in self.definition["inputs"].items()}
        self.outputs, self.uploaded, self.status, self.output = {}, [], 0, ""
        os.makedirs(os.path.join(place, "temp"), exist_ok=True)
        with open(os.path.join(place, "event.json"), "w", encoding="utf-8") as file:
            json.dump({"pull_request": {"number": PULL_REQUEST}}, file)
        with open(os.path.join(place, "summary"), "w", encoding="utf-8"):
            pass
        self.environment = dict(
            os.environ, GITHUB_ACTION_PATH=action, GITHUB_API_URL=url, GITHUB_REPOSITORY=REPOSITORY,
            GITHUB_EVENT_PATH=os.path.join(place, "event.json"), RUNNER_TEMP=os.path.join(place, "temp"),
            GITHUB_STEP_SUMMARY=os.path.join(place, "summary"), **environment)
        for step in self.definition["runs"]["steps"]:
            if not self.status:
                self.step(step)
        with open(os.path.join(place, "summary"), encoding="utf-8") as file:
            self.summary = file.read()

    def value(self, text):
        def expression(match):
            kind, *words = match[1].split(".")
            if kind == "inputs":
                return self.value(self.inputs[words[0]])
            return TOKEN if match[1] == "github.token" else self.outputs[words[0]][words[2]]

        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", expression, text)

    def step(self, step):
        if step.get("uses", "").startswith("actions/upload-artifact@"):
            with open(self.value(step["with"]["path"]), "rb") as file:
                self.uploaded.append((self.value(step["with"]["name"]), file.read()))
            return
        output = os.path.join(self.place, "output")
        environment = {name: self.value(text) for name, text in step["env"].items()}
        with open(output, "w", encoding="utf-8"):
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], check=False, cwd=self.place,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                env={**self.environment, **environment, "GITHUB_OUTPUT": output})
        self.output += done.stdout
        self.status = done.returncode
        with open(output, encoding="utf-8") as file:
            self.outputs[step.get("id", "")] = dict(line.rstrip("\n").split("=", 1) for line in file)
