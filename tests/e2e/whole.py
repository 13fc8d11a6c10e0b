# SPDX-License-Identifier: BSD-2-Clause
"""Rules for the frames of a stack that are not the programs' own.

In this module a frame is represented by a token: kind and name, without arguments and template
parameters. There are rules for four positions of such frames:

  ROOTS    from the start of a process or thread to the function that the event loop calls
  BETWEEN  from a function to another one that it calls through a builtin; the key is the word at
           the call
  ENDS     called by the innermost function: a builtin, V8's runtime or the kernel. The frames must
           fit the source: an addition only if the line has one, compilation of a loop only if
           there is a loop
  without  samples without any frame of the programs
"""

import os
import re

_LIBC = r"native \?libc"  # a frame without a name, in a C library without symbols


def token(frame):
    name = frame.get("name")
    if frame["kind"] == "native" and not name:
        module = os.path.basename(frame.get("module") or "")
        return "native ?libc" if module.startswith("libc.") else "native ?"
    name = re.sub(r"\(anonymous namespace\)::|<lambda.*", "", name or "?")
    if frame["kind"] == "native":
        name = re.sub(r"[(<].*", "", name)
    return f"{frame['kind']} {name}"


def _sequence(*parts):
    """Returns a pattern for tokens that are joined by newlines. "?" marks an optional token; a name
    without a kind is native."""
    text = ""
    for part in parts:
        name = part.removeprefix("?")
        kind = "" if name.startswith(("stub ", "builtin ", "js ", "native ")) else "native "
        text += f"(?:{kind}(?:{name})\n){'?' if part != name else ''}"
    return text


_MAIN = _sequence("_start", r"__libc_start_main\S*", f"?__libc_start_call_main|{_LIBC[7:]}",
                  "?main", "node::Start", "?node::LoadSnapshotDataAndRun")
_THREAD = _sequence(rf"clone3?|__clone3?|thread_start|{_LIBC[7:]}", rf"start_thread|{_LIBC[7:]}")
_WORKER = _THREAD + _sequence("node::worker::Worker::StartThread")
_LOOP = _sequence("?node::SpinEventLoop(?:Internal|WithoutCleanup)?", "uv_run")
_CALLBACK = _sequence("uv__run_check", "node::Environment::CheckImmediate",
                      "node::(?:Internal)?MakeCallback", "node::InternalMakeCallback")
_INVOKE = _sequence("v8::internal::Invoke", "stub JSEntry", "stub JSEntryTrampoline")
ENTRIES = {  # the key is the outermost function of the programs
    "tick": _sequence("v8::Function::Call|v8::Object::CallAsFunction",
                      "v8::internal::Execution::Call") + _INVOKE + "js processImmediate\n",
    None: _sequence("node::InternalCallbackScope::Close",
                    "v8::internal::MicrotaskQueue::PerformCheckpoint",
                    "v8::internal::MicrotaskQueue::RunMicrotasks",
                    "v8::internal::Execution::TryRunMicrotasks",
                    "?v8::internal::InvokeWithTryCatch", "v8::internal::Invoke",
                    "stub JSRunMicrotasksEntry", "stub RunMicrotasks",
                    "stub PromiseFulfillReactionJob", "builtin AsyncFunctionAwaitResolveClosure"),
}
# Node.js 21 has two functions named Run, of which the compiler inlined only one.
_STARTS = {"main": _MAIN + _sequence("node::NodeMainInstance::Run", "?node::NodeMainInstance::Run"),
           "worker": _WORKER + _sequence("node::worker::Worker::Run")}
HELPER = re.compile(_THREAD)


def is_root(tokens, thread, outermost):
    """Returns whether the tokens of the callers of the programs' outermost function are the path to
    it from the start of the thread."""
    entry = ENTRIES.get(outermost, ENTRIES[None])
    return bool(re.fullmatch(_STARTS[thread] + _LOOP + _CALLBACK + entry, _text(tokens)))


def starts(tokens, thread):
    """Returns whether the root of the stack is the start of the thread."""
    if thread == "helper":
        return bool(HELPER.match(_text(tokens)))
    return bool(re.match(_MAIN if thread == "main" else _WORKER, _text(tokens)))


def _text(tokens):
    return "".join(t + "\n" for t in tokens)


_HANDLER = r"?stub \w*(?:Named|Keyed)\w*Handler"
_CONSTRUCT = _sequence(r"?stub Construct\w*Handler",
                       r"stub (?:JSConstructStub|InterpreterPushArgsThenFastConstruct)\w*")
BETWEEN = {by: re.compile(pattern) for by, pattern in {
    "new": _CONSTRUCT,
    "super": _CONSTRUCT,
    "=": _sequence(_HANDLER, r"stub StoreIC\w*|stub SetNamedPropertyHandler") +
         "|" + _sequence(r"stub \w*NamedPropertyHandler"),
    "area": _sequence(_HANDLER, r"stub LoadIC\w*") + "|" + _sequence(r"stub \w*NamedPropertyHandler"),
    "map": _sequence(r"builtin map"),
    "sort": _sequence("builtin sort", "stub ArrayTimSort", "stub SortCompareUserFn"),
    "replace": _sequence("builtin replace", "stub RegExpReplace"),
    "parse": _sequence("builtin parse", "?v8::internal::Builtin_JsonParse",
                       "?v8::internal::Builtin_Impl_JsonParse") +
             r"(?:native v8::internal::Json\w+(?:::\w+)?\n)+" +
             _sequence("v8::internal::Execution::Call") + _INVOKE,
    "next": _sequence("builtin next"),
    "anything": _sequence(_HANDLER, "stub ProxyGetProperty"),
    "run": _sequence(r"?stub js-to-wasm\S*", r"?stub (?:Generic)?JSToWasm\S*"),
    "wasm": _sequence(r"?stub (?:wasm-to-js|WasmToJs)\S*"),
}.items()}
_MAY_LACK = ("run", "wasm")
_OPTIMIZED_LACKS = ("new", "super", "=", "area")  # optimized code calls these without a builtin


def may_call(tokens, by, caller, callee):
    """Returns whether these tokens may be between two frames of the programs. If @callee is
    inlined, there must be no such tokens."""
    tokens = [t for t in tokens if not t.endswith(" ArgumentsAdaptorTrampoline")]  # Node.js 14
    if not tokens:
        return callee.get("inlined") or by not in BETWEEN or by in _MAY_LACK or \
            by in _OPTIMIZED_LACKS and caller.get("tier") in ("maglev", "turbofan")
    return by in BETWEEN and bool(BETWEEN[by].fullmatch(_text(tokens)))


_R = "v8::internal::Runtime_"
_ARITHMETIC = (r"(?:stub|builtin) (?:Add|Sub(?:tract)?|Mul(?:tiply)?|Div(?:ide)?|Mod(?:ulus)?|Exp\w*|"
               r"Bitwise(?:Or|Xor|And|Not)|Shift\w+?|Inc(?:rement)?|Dec(?:rement)?|Negate|ToNumeric)"
               r"(?:Smi)?(?:Wide|ExtraWide)?(?:_\w+|Handler|)")
_COMPARISON = r"(?:stub|builtin) (?:Test)?(?:Less|Greater|Equal|StrictEqual)\w*"
_BACK = (r"(?:stub|builtin) (?:JumpLoop\w*|\w*OnStackReplacement\w*)|native (?:v8::internal::)?\S*"
         r"(?:OSR|OnStackReplacement|WithStackCheck|BytecodeBudgetInterrupt$)\S*")
_CALL = (r"(?:stub|builtin) (?:Call\w*|Construct\w*|JSConstruct\w*|InterpreterEntryTrampoline\w*|"
         r"ArgumentsAdaptor\w*|CompileLazy\w*|StartMaglev\w*|StartTurbofan\w*|AdaptorWithBuiltin\w*|"
         rf"Optimize\w*|Marked\w*|FastNewObject|FindNonDefaultConstructor\w*|"
         rf"InterpreterPush\w*)|native {_R}(?:Compile|StartMaglev|StartTurbofan|"
         rf"Optimize|ThrowConstruct|Install|Tier)\w*")
OPERATION = re.compile(f"{_ARITHMETIC}|{_COMPARISON}|{_BACK}")
# Called by deferred code of Turbofan, for which V8's tables have no position.
DEFERRED = re.compile(r"stub RecordWrite\w*|builtin RecordWrite\w*")

ENDS = [(re.compile(pattern), text and re.compile(text)) for pattern, text in (
    (_ARITHMETIC, r"[-+*/|^&`]"),  # a template literal concatenates its parts
    (_COMPARISON, r"[<>=]"),
    (_BACK, r"\b(?:for|while)\b"),
    (_CALL, r"[({.]"),
    (r"(?:stub|builtin) (?:BaselineOutOfLinePrologue|FastNew\w*(?:Context|Arguments)\w*|CreateRest\w*|NewRest\w*)",
     r"[({]"),
    (r"(?:stub|builtin) (?:BaselineLeaveFrame|ReturnHandler)", r"}|return|=>|\("),
    (r"(?:stub|builtin) (?:\w*(?:Load|Store|Property|Keyed)\w*|\w*IC\w*)", r"[.\[=({]"),
    (r"(?:stub|builtin) (?:Lda|Sta|Star|Ldar|Mov|Push|Pop|Wide|ExtraWide|ShortStar|CreateArg|"
     r"Throw|ToBoolean|Jump|Undefined|LogicalNot|CreateFunctionContext|CreateBlock)\w*", None),
    (rf"(?:stub|builtin) (?:RecordWrite|Allocate)\w*|native {_R}Allocate\w*|"
     r"native v8::internal::(?:Heap|HeapAllocator|Factory)::.*", r"=|\+\+|--|[{\[(]|\bnew\b"),
    (rf"native {_R}BytecodeBudgetInterrupt\w*", r"\b(?:for|while|return)\b|}|=>"),
    (rf"stub Maglev\w*StackCheck\w*|native {_R}StackGuard\w*", r"{|\b(?:for|while)\b"),
    (r"(?:stub|builtin) (?:Deoptimization|NotifyDeoptimized|ContinueTo)\w*|"
     r"native v8::internal::(?:Deoptimizer::|Runtime_NotifyDeoptimized|BaselinePCFor).*", r"[-+*/|^<>=.]"),
    (rf"(?:stub|builtin) (?:Create\w*Literal|Clone\w*|Create\w*Array)\w*|native {_R}(?:TransitionElementsKind|Create\w*Literal)", r"[\[{]"),
    (r"(?:stub|builtin) (?:CreateClosure|FastNewClosure)\w*", r"function|=>"),
    (r"(?:stub|builtin) (?:\w*ToString|StringAdd|TemplateObj)\w*", r"`|'"),
    (r"(?:stub|builtin) ProxyGet\w*", r"\bproxy\b"),
    (r"(?:stub|builtin) (?:js-to-wasm|(?:Generic)?JSToWasm|Wasm|WasmToJs|wasm)\S*", r"\brun\b|^$"),
    (rf"stub CallRuntime\w*|native {_R}AddPrivateBrand", r"\bconstructor\b|[({]"),
)]
_WAITS = re.compile(r"(?:stub|builtin) (?:\w*(?:Async|Await|Promise|Generator|IterResult|Microtask|"
                    r"InvokeIntrinsic)\w*|BaselineLeaveFrame|ReturnHandler)")
# Functions of the standard library, with the property names by which a line calls them.
_LIBRARY = {"ArrayMap": "map", "ArrayPrototypeSort": "sort", "ArrayTimSort": "sort",
            "StringPrototypeReplace": "replace", "RegExpReplace": "replace", "JsonParse": "parse",
            "GeneratorPrototypeNext": "next", "GlobalEval": "eval", "RegExpReplaceFastString": "replace",
            "ArrayPrototypeMap": "map"}
_ENTERED = re.compile(r"kernel (?:entry_SYSCALL|el0_svc|__x64_sys|do_syscall|__arm64_sys)")


def may_end(tokens, text, header):
    """Returns whether a function at the line @text may have called these tokens. @header is the
    function's first line.

    The tokens are ordered from the function to the leaf. @text is "" if the line is unknown.
    """
    while tokens and re.match(r"(?:stub|builtin) CEntry", tokens[0]):
        tokens = tokens[1:]
        if not tokens or tokens[0].startswith("kernel"):
            return True
    if not tokens:
        return True
    first = tokens[0]
    if first.startswith("kernel"):
        return not _ENTERED.match(first)
    kind, name = first.split(" ", 1)
    if kind == "js" or kind == "builtin" and re.search(rf"\b{re.escape(name)}\b", text):
        return bool(re.search(rf"\b{re.escape(name)}\(", text)) or kind == "builtin"
    if name in _LIBRARY:
        return bool(re.search(rf"\b{_LIBRARY[name]}\b", text))
    if _WAITS.fullmatch(first) and re.search(r"\basync\b|function\*", header):
        return True
    return any(pattern.fullmatch(first) and (not needs or needs.search(text))
               for pattern, needs in ENDS)


_ENTRY = re.compile(r"stub (?:JSEntry|JSEntryTrampoline|JSRunMicrotasksEntry|RunMicrotasks|"
                    r"PromiseFulfillReactionJob)|builtin AsyncFunctionAwaitResolveClosure")


def ends_at_entry(tokens, is_at_call):
    """Returns whether the innermost frame is one that calls the programs, as in a stack that lacks
    the callees."""
    tokens = [t for t in tokens if not t.startswith("kernel")]
    while tokens and not tokens[-1].startswith("js") and re.fullmatch(_CALL, tokens[-1]):
        tokens.pop()
    return bool(tokens) and bool(
        is_at_call if tokens[-1].startswith("js ") else _ENTRY.fullmatch(tokens[-1]))


def is_task(tokens):
    """Returns whether V8 runs a task of its own. The event loop runs such tasks where it never
    calls the programs."""
    return any(t.endswith("::RunForegroundTask") for t in tokens)


def is_without(tokens, is_at_call):
    """Returns whether a stack of the event loop's thread may be without a frame of the programs.

    @is_at_call: the innermost function is at the event loop's call of the programs. A function of
    Node.js may call V8's operations and built-in functions, but not where it calls the programs.
    """
    inner = max((i for i, t in enumerate(tokens) if t.startswith("js ")), default=None)
    if inner is None:
        return not any(OPERATION.fullmatch(t) and not t.startswith("native") for t in tokens)
    above = [t for t in tokens[inner + 1:] if not t.startswith("stub CEntry")]
    if not is_at_call or not above:
        return True
    return not (OPERATION.fullmatch(above[0]) or _ENTERED.match(above[0]) or
                above[0].startswith(("native", "builtin")))
