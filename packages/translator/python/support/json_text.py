"""JSON of values whose type does not determine how they are written."""

import json
import re

from .number_text import number, string
from .records import keys
from .units import LONE_SURROGATE, units
from .values import INF, Thrown, undefined

COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def quote(text):
    """A string in JSON: only quotes, backslashes, control characters and lone surrogates are escaped."""
    text = json.encoder.encode_basestring(text)
    return text if text.isascii() else LONE_SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def stringify(v, indent="", level="\n"):
    """JSON.stringify(v, null, indent)."""
    if isinstance(v, str):
        return quote(v)
    if v is undefined:
        return v
    if isinstance(v, float):
        return number(v) if abs(v) < INF else "null"
    if isinstance(v, (bool, int)) or v is None:
        return string(v)
    inner, outer = (level + indent, level) if indent else ("", "")
    if isinstance(v, dict):
        colon = ": " if indent else ":"
        items = [quote(k) + colon + stringify(v[k], indent, inner) for k in keys(v) if v[k] is not undefined]
        return "{" + inner + ("," + inner).join(items) + outer + "}" if items else "{}"
    items = ["null" if x is undefined else stringify(x, indent, inner) for x in v]
    return "[" + inner + ("," + inner).join(items) + outer + "]" if items else "[]"


def split_pairs(v):
    """A parsed value with its strings as UTF-16 units."""
    if isinstance(v, str):
        return units(v)
    if isinstance(v, list):
        return [split_pairs(x) for x in v]
    return {units(k): split_pairs(x) for k, x in v.items()} if isinstance(v, dict) else v


def parse(text, place=""):
    """JSON.parse; error messages start with the place, and differ from the engine's."""
    def refuse(constant):
        raise ValueError(constant)
    text = string(text)
    try:
        v = json.loads(text, parse_int=float, parse_constant=refuse)
    except ValueError:
        raise Thrown(place + "the text is not JSON", "SyntaxError") from None
    return split_pairs(v) if "\\u" in text else v


def json_number(v):
    """A number in JSON: NaN and infinities are null. Anything that is not a number raises TypeError."""
    if type(v) is int:
        return repr(v)
    text = repr(v + 0)
    if text[-2:] == ".0":
        return text[:-2] if v else "0"
    if "e" in text or "n" in text:
        return number(v) if abs(v) < INF else "null"
    return text


def plain_json(v):
    """JSON of strings, booleans, None, ints, lists of these and dicts whose keys are in order."""
    try:
        text = COMPACT(v)
    except TypeError:
        return stringify(v)
    return text if text.isascii() else LONE_SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def parse_as(text, shape, named={}, place=""):
    """JSON.parse(text). Raises if the value does not have the shape; the message starts with the place."""
    value = parse(text, place)
    fault = misfit(value, shape, named, "")
    if fault:
        raise Thrown(place + fault, "TypeError")
    return value


def misfit(value, shape, named, path):
    """The part of a parsed value that does not have the shape, and its path; empty if there is none."""
    kind, *rest = [shape] if isinstance(shape, str) else shape
    if kind == "named":
        return misfit(value, named[rest[0]], named, path)
    if kind == "union" and any(not misfit(value, option, named, path) for option in rest):
        return ""
    kinds = {str: "string", float: "number", bool: "boolean", list: "array", dict: "object", type(None): "null", type(...): "nothing"}
    found = kinds[type(value)]
    if kind == "literal" and value == rest[0] and isinstance(value, bool) == isinstance(rest[0], bool):
        return ""
    checks = None
    if kind == found == "array":
        checks = ((item, rest[0], f"[{i}]") for i, item in enumerate(value))
    elif kind == found:
        return ""
    elif kind == "tuple" and found == "array" and len(value) == len(rest):
        checks = ((item, rest[i], f"[{i}]") for i, item in enumerate(value))
    elif kind == "dictionary" and found == "object":
        checks = ((value[name], rest[0], json_step(name)) for name in keys(value))
    elif kind == "record" and found == "object":
        checks = ((value.get(name, ...), of, json_step(name)) for name, of, optional in rest if name in value or not optional)
    if checks is None:
        place = f" at {path}" if path else ""
        return f"the JSON{place}: {describe_shape(shape)} expected, got {found}"
    return next(filter(None, (misfit(item, of, named, path + step) for item, of, step in checks)), "")


def describe_shape(shape):
    """A short description of a shape."""
    kind, *rest = [shape] if isinstance(shape, str) else shape
    if kind == "literal":
        return {True: "true", False: "false"}[rest[0]] if isinstance(rest[0], bool) else quote(rest[0]) if isinstance(rest[0], str) else number(rest[0])
    if kind == "union":
        return " | ".join(describe_shape(option) for option in rest)
    return {"named": "".join(map(str, rest[:1])), "tuple": f"array of {len(rest)}", "record": "object", "dictionary": "object"}.get(kind, kind)


def json_step(name):
    """A property in a path."""
    return f".{name}" if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) else f"[{quote(name)}]"
