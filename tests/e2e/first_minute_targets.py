# SPDX-License-Identifier: BSD-2-Clause
"""The targets of first_minute.py: programs whose hottest function is known from their sources.

Each target states its command, the runtime and frames that `unspool ps` must report, and the
application function that uses the CPU. `// = NAME` is on the line of the source where NAME begins.
A runtime whose functions have no names has words instead, which `ps` and the report must print.
"""

import dataclasses
import os
import re
import subprocess

from lib import CACHE, NODES, TOP, version_of

SOURCES = os.path.join(TOP, "fixtures/targets")
BUILT = os.environ.get("UNSPOOL_TARGETS_DIR") or os.path.join(CACHE, "targets")
MAPPED = os.environ.get("UNSPOOL_SOURCEMAPS_DIR") or os.path.join(CACHE, "sourcemaps")
NEXT = os.path.join(CACHE, "sourcemaps-next/next")
DOTNET = os.environ.get("UNSPOOL_DOTNET_DIR", "")
NAMES_AND_LINES = "names, lines"
IN_ROOT = ('mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && '
           'exec env -i PATH=/usr/bin HOME=/tmp /usr/bin/unshare --root="$0" --wd=/srv "$@"')


class Missing(Exception):
    """A target, or the program that runs it, does not exist on this machine."""


@dataclasses.dataclass(frozen=True)
class Target:
    """A command and the truth about it.

    argv: "PORT" becomes a free port, on which the program serves HTTP.
    hot: regular expressions of the name and place of the function that uses the CPU; None: the
    functions of the runtime have no names.
    why: words of the reason why functions have no names.
    complete: the least share of complete stacks, in %.
    wanted: the argument of -p; "": the pid of the busiest process.
    prepare, finish: commands that run before the recording and at the end.
    pids: the command that prints the pids, if they are not those of the command's descendants.
    """

    argv: list
    runtime: str
    hot: tuple
    frames: str = NAMES_AND_LINES
    why: str = ""
    name: str = ""  # a part of the name that ps must print
    wanted: str = ""
    path: str = "/"  # of the HTTP requests
    cwd: str = "/"
    env: dict = dataclasses.field(default_factory=dict)
    complete: float = 99
    prepare: list = dataclasses.field(default_factory=list)
    finish: list = dataclasses.field(default_factory=list)
    pids: list = dataclasses.field(default_factory=list)


def need(path):
    if not os.path.exists(path):
        raise Missing(f"{path} does not exist; ci/targets builds it")
    return path


def node(major):
    return need(os.path.join(NODES, version_of(major), "bin/node"))


def starts_at(path, name, later=0):
    """Returns a regular expression of the place where a function begins. @later: the first line
    with code is this number of lines after the name."""
    file = os.path.join(TOP, "fixtures", path)
    with open(file, encoding="utf-8") as source:
        line = next(i for i, text in enumerate(source, 1) if re.search(rf"(//|#) = {name}$", text))
    return rf"(^|/){re.escape(os.path.basename(file))}:{line + later}(:\d+)?$"


def in_node(name, *argv, hot=("mixWords", "targets/node/work.js"), major="24", cwd=None, **truth):
    return Target([node(major), *(argv or [name])], f"Node.js {version_of(major)}",
                  (rf"^{hot[0]}$", starts_at(hot[1], hot[0])), cwd=cwd or os.path.join(SOURCES, "node"),
                  name=name, **truth)


def in_npm(name, *argv, **truth):
    return in_node(name, *argv, cwd=need(os.path.join(BUILT, "npm")), **truth)


def mapped(*argv):
    """An application that ci/sourcemaps builds; two functions take half of the time each."""
    need(os.path.join(MAPPED, "made-of"))
    places = "|".join(starts_at("sourcemaps/work.ts", name) for name in ("hashRow", "weighRow"))
    return Target([node("22"), *argv, "600"], f"Node.js {version_of('22')}", ("^(hashRow|weighRow)$", places),
                  cwd=MAPPED, name=os.path.basename(argv[-1]))


def pm2():
    home = os.path.join(BUILT, "pm2-home")
    folder = need(os.path.join(BUILT, "npm/node_modules/pm2"))
    command = [node("24"), os.path.join(folder, "bin/pm2")]
    return in_npm("script.js", command[1], "start", "script.js", "--name", "shop", "-i", "2", wanted="shop",
                  env={"PM2_HOME": home}, pids=[*command, "pid", "shop"], finish=[*command, "kill"])


def next_server():
    need(os.path.join(NEXT, ".next"))
    places = "|".join(starts_at("sourcemaps/work.ts", name) for name in ("hashRow", "weighRow"))
    return Target([node("24"), "../node_modules/.bin/next", "start", "-H", "127.0.0.1", "-p", "PORT"],
                  f"Node.js {version_of('24')}", ("^(hashRow|weighRow)$", places), cwd=NEXT,
                  path="/api/work?seconds=0.02")


def single():
    path = need(os.path.join(BUILT, "npm/single"))
    return Target([path], f"Node.js {version_of('24')}", ("^mixWords$", "single.*:6(:\\d+)?$"))


def in_root(suite, argv, runtime, hot, **truth):
    root = need(os.path.join(BUILT, suite, "root"))
    need(os.path.join(BUILT, suite, "made-of"))
    return Target(["unshare", "--mount", "sh", "-c", IN_ROOT, root, *argv], runtime, hot, **truth)


def dotnet(folder, program, runtime=None, hot=r"^Shop\.Basket\.MixWords\(", place="", **truth):
    path = need(os.path.join(BUILT, "dotnet", folder, program))
    argv = [path, "--urls", "http://127.0.0.1:PORT"] if program == "web" else [path]
    return Target(argv, runtime or ".NET 10.", (hot, place), **truth)


def native(program, name="mix_words", place="", **truth):
    path = need(os.path.join(BUILT, "native", program))
    return Target([path], "native", (name, place), frames="by symbols", name=program, **truth)


def offset_of(path, symbol):
    """Returns the link-time address of a function in a program that is not stripped."""
    lines = subprocess.run(["nm", need(path)], capture_output=True, text=True, check=True).stdout.splitlines()
    return int(next(line.split()[0] for line in lines if symbol in line.split()[-1]), 16)


def stripped(folder, program, like, **truth):
    """A program without symbols; @like: the same program with symbols."""
    offset = offset_of(os.path.join(BUILT, folder, like), "mix_words")
    return Target([need(os.path.join(BUILT, folder, program))], "native",
                  (rf"^{os.path.basename(program)}\+{offset:#x}$", ""), frames="by symbols", **truth)


def from_debian(program, name, place=""):
    path = need(os.path.join(BUILT, "bookworm/root/srv", program))
    return Target([path], "native", (name, place), frames="by symbols", name=program)


def unnamed(argv, runtime, why, **truth):
    return in_root("bookworm", argv, runtime, None, frames="native only", why=why, **truth)


def from_npm(binary, *argv, **truth):
    """A runtime whose compiler leaves no unwind information, so no stack is complete."""
    folder = need(os.path.join(BUILT, "npm"))
    return Target([need(os.path.join(folder, "node_modules", binary)), *argv], hot=None, cwd=folder,
                  frames="native only", complete=0, **truth)


# Go 1.19 does not record where functions start.
GO = r"(^|/)work\.go$"
JDK = "usr/lib/jvm/java-17-openjdk-amd64/bin"
JAVA = f"/{JDK}/java"

# The functions raise Missing if the target cannot run here.
TARGETS = {
    "Node.js script": lambda: in_node("script.js"),
    "Node.js 18": lambda: in_node("script.js", major="18"),
    "ES module": lambda: in_node("module.mjs"),
    "TypeScript in Node.js": lambda: in_node("work.ts", hot=("mixWords", "targets/scripts/work.ts"),
                                             cwd=os.path.join(SOURCES, "scripts")),
    "npm start": lambda: in_npm("script.js", need(os.path.join(MAPPED, "npm/node_modules/npm/bin/npm-cli.js")),
                                "start", env={"PATH": f"{os.path.dirname(node('24'))}:{os.environ['PATH']}"}),
    "node:http": lambda: in_node("http.js", "http.js", "PORT"),
    "express": lambda: in_npm("express.js", "express.js", "PORT"),
    "fastify": lambda: in_npm("fastify.js", "fastify.js", "PORT"),
    "koa": lambda: in_npm("koa.js", "koa.js", "PORT"),
    "worker threads": lambda: in_node("worker.js"),
    "node:cluster": lambda: in_node("cluster.js"),
    "pm2": pm2,
    "single executable": single,
    "native addon": lambda: in_npm("addon.js", "addon.js", hot=("hashText", "targets/node/addon.js")),
    "WebAssembly": lambda: dataclasses.replace(
        in_node("wasm.js"), hot=(r"^(mixWords|wasm-function\[0\])$", "")),
    "tsc": lambda: mapped("tsc/app.js"),
    "esbuild, minified": lambda: mapped("esbuild/app.js"),
    "webpack": lambda: mapped("webpack/app.js"),
    "Vite SSR": lambda: mapped("vite/app.mjs"),
    "tsx": lambda: mapped("--import", "tsx", "src/app.ts"),
    "ts-node": lambda: mapped("-r", "ts-node/register/transpile-only", "src/app.ts"),
    "Next.js": next_server,
    "Debian's Node.js": lambda: in_root("bookworm", ["node", "script.js"], "Node.js 18.", (
        "^mixWords$", starts_at("targets/node/work.js", "mixWords"))),
    ".NET": lambda: dotnet("console", "console", place=starts_at("targets/dotnet/console.cs", "MixWords", 2)),
    "ASP.NET": lambda: dotnet("web", "web"),
    "F#": lambda: dotnet("functional", "functional", hot=r"^Shop\.mixWords\("),
    ".NET, trimmed": lambda: dotnet("trimmed", "console"),
    ".NET, single file": lambda: dotnet("single", "console"),
    ".NET, ReadyToRun": lambda: dotnet("precompiled", "console"),
    ".NET, native AOT": lambda: dotnet("aot", "console", "native", r"^Shop\.Basket\.MixWords$",
                                       frames="by symbols"),
    "C": lambda: native("c", place=r"work\.c:\d+$"),
    "C, stripped": lambda: stripped("native", "c-stripped", "c"),
    "C, static PIE": lambda: native("c-static"),
    "C, musl": lambda: native("c-musl"),
    "C++": lambda: native("c++", r"shop::Basket<unsigned int>::mix_words"),
    "Go": lambda: from_debian("go", r"^main\.mixWords$", GO),
    "Go, stripped": lambda: from_debian("go-stripped", r"^main\.mixWords$", GO),
    "Rust": lambda: from_debian("rust", r"mix_words"),
    "Rust, stripped": lambda: stripped("bookworm/root/srv", "rust-stripped", "rust"),
    "bun": lambda: from_npm("@oven/bun-linux-x64/bin/bun", "work.ts", runtime="Bun", why="JavaScriptCore"),
    "deno": lambda: from_npm("@deno/linux-x64-glibc/deno", "run", "work.ts", runtime="V8",
                             why="Deno, built without V8 metadata"),
    "Python 3.11": lambda: Target([need("/usr/bin/python3.11"), "work.py"], "Python 3.11", None,
                                  frames="native only", why="older versions ignore -X perf", name="work.py",
                                  cwd=os.path.join(SOURCES, "scripts")),
    "Python 3.13": lambda: in_root("trixie", ["python3", "work.py"], "Python 3.13", None,
                                   frames="native only", why="start it with -X perf"),
    "Python 3.13 -X perf": lambda: in_root("trixie", ["python3", "-X", "perf", "work.py"], "Python 3.13",
                                           (r"\bmix_words\b", ""), frames="names"),
    "Java": lambda: unnamed([JAVA, "-cp", "/srv", "Work"], "Java", "PID Compiler.perfmap",
                            complete=0),
    "Java after jcmd": lambda: in_root("bookworm", [JAVA, "-cp", "/srv", "Work"], "Java", (r"mixWords", ""),
                                       frames="names", complete=0, prepare=[f"/{JDK}/jcmd", "PID", "Compiler.perfmap"]),
    "LuaJIT": lambda: unnamed(["/usr/bin/luajit", "work.lua"], "LuaJIT", "native frames only", complete=0),
    "Ruby": lambda: unnamed(["/usr/bin/ruby3.1", "work.rb"], "Ruby", "interpreter only"),
    "PHP": lambda: unnamed(["/usr/bin/php8.2", "work.php"], "PHP", "interpreter only"),
    "Perl": lambda: unnamed(["/usr/bin/perl", "work.pl"], "Perl", "interpreter only"),
}
# Targets that need only what ci/test has.
CHEAP = ["Node.js script", "node:http", "worker threads", "esbuild, minified", "Python 3.11"]
