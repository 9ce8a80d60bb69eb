"""Runs Python programs for the tests: reads one request per line as JSON from stdin, and prints one answer per line."""
import json
import signal
import sys
import traceback
import warnings


def decode(v, missing):
    if isinstance(v, str) or isinstance(v, bool) or v is None:
        return v
    kind, *rest = v
    if kind == "u":
        return missing
    if kind == "s":
        return "".join(map(chr, memoryview(bytes.fromhex(rest[0])).cast("H")))
    if kind == "n":
        return float(rest[0])
    if kind in "ib":
        return int(rest[0])
    if kind == "a":
        return [decode(x, missing) for x in rest]
    if kind == "e":
        return dict.fromkeys(decode(x, missing) for x in rest)
    return {decode(k, missing): decode(x, missing) for _, k, x in rest}


def encode(v, missing):
    if isinstance(v, str):
        if v.isascii() and v.isprintable():
            return v
        return ["s", v.encode("utf-16-le", "surrogatepass").hex()] if max(v) <= "\uffff" else ["astral", v.encode("utf-8", "replace").hex()]
    if isinstance(v, bool) or v is None:
        return v
    if v is missing:
        return ["u"]
    if isinstance(v, int):
        return ["i", str(v)]
    if isinstance(v, float):
        return ["n", repr(v)]
    if isinstance(v, (list, tuple)):
        return ["a", *(encode(x, missing) for x in v)]
    if isinstance(v, dict):
        return ["d", *(["a", encode(k, missing), encode(x, missing)] for k, x in v.items())]
    return ["alien", type(v).__name__]


class Late(BaseException):
    pass


def late(*_):
    raise Late


def error_named(program, name):
    """The support code's error with this name. If there is none, the user's code may define a constant with that name."""
    made = program.get(name)
    return made if isinstance(made, type) and issubclass(made, BaseException) else ()


def call(program, function, arguments, limit):
    missing = program.get("undefined")
    thrown, engine, not_portable = (error_named(program, name) for name in ("Thrown", "EngineError", "NotPortable"))
    arguments = [decode(x, missing) for x in arguments]
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        try:
            return encode(function(*arguments), missing)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Late:
        return ["late"]
    except engine as e:
        return ["throw", e.name, ["engine"]]
    except not_portable as e:
        return ["throw", "NotPortable", encode(str(e), missing)]
    except thrown as e:
        return ["throw", encode(e.name, missing), encode(e.message, missing)]
    except Exception as e:
        return ["crash", f"{type(e).__name__}: {e}", traceback.format_tb(e.__traceback__)[-1].strip()]


def answer(request):
    program = {}
    try:
        exec(compile(request["source"], "program", "exec"), program)
        function = eval(request["function"], program)
    except BaseException as e:
        return {"error": f"{type(e).__name__}: {e}"}
    return {"results": [call(program, function, x, request["limit"]) for x in request["calls"]]}


warnings.simplefilter("error")  # served code must not print warnings to the log
signal.signal(signal.SIGALRM, late)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
