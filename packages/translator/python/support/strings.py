"""Methods of strings, over UTF-16 units."""

import re

from .number_text import number, string
from .numbers import to_int32, to_uint32
from .units import chars, index, units, whole
from .values import NAN, Thrown, undefined

REPLACEMENT = re.compile(r"\$([$&\x60']|\d\d?)", re.A)
NAMED_REPLACEMENT = re.compile(r"\$([$&\x60']|\d\d?|<[^>]*>)", re.A)


def replace(text, what, by, count=0):
    """replace and replaceAll of a string with a string in which $ has a meaning."""
    def put(m):
        parts = {"$$": "$", "$&": what, "$\x60": text[:m.start()], "$'": text[m.end():]}
        return re.sub(r"\$[$&\`']", lambda sign: parts[sign[0]], by)
    return re.sub(re.escape(what), put, text, count=count)


def replace_by(text, what, by, takes, most=-1):
    """replace and replaceAll of a string with the result of a function of the match, its position and the whole string."""
    out, start, at = [], 0, text.find(what)
    while at >= 0 and most:
        out += text[start:at], string(by(*(what, at, text)[:takes]))
        start, most = at + len(what), most - 1
        at = text.find(what, at + max(len(what), 1))
    return "".join(out) + text[start:]


def split_between(pattern, text):
    """split by a pattern that only matches the empty string: never at the start or the end."""
    if not text:
        return [] if pattern.match(text) else [text]
    cuts = [0, *(m.start() for m in pattern.finditer(text) if 0 < m.start() < len(text)), len(text)]
    return [text[a:b] for a, b in zip(cuts, cuts[1:])]


def cut(s, start=0, end=undefined):
    """slice of a string or an array."""
    return s[index(start, len(s)):len(s) if end is undefined else index(end, len(s))]


def substring(text, start, end=undefined):
    """substring: bounds in either order; negative ones are 0."""
    n = len(text)
    a, b = whole(start, 0, n), n if end is undefined else whole(end, 0, n)
    return text[min(a, b):max(a, b)]


def at(s, i, missing=undefined):
    """s[i]: undefined outside the bounds."""
    return s[int(i)] if len(s) > i >= 0 and i == int(i) else missing


def from_end(s, i):
    """s.at(i): negative positions count from the end."""
    n = len(s)
    i = whole(i, -n - 1, n)
    return s[i] if -n <= i < n else undefined


def char_at(text, i=0):
    """charAt: the empty string outside the bounds."""
    i = whole(i, -1, len(text))
    return text[i:i + 1] if i >= 0 else ""


def char_code_at(text, i=0):
    """charCodeAt: NaN outside the bounds."""
    i = whole(i, -1, len(text))
    return ord(text[i]) if 0 <= i < len(text) else NAN


def code_point_at(text, i=0):
    """codePointAt: undefined outside the bounds."""
    i = whole(i, -1, len(text))
    return ord(chars(text[i:i + 2])[0]) if 0 <= i < len(text) else undefined


def from_code_point(*codes):
    """String.fromCodePoint."""
    for code in codes:
        if not 0 <= code <= 0x10FFFF or code != int(code):
            raise Thrown(f"Invalid code point {number(code)}", "RangeError")
    return "".join(units(chr(int(code))) for code in codes)


def from_char_code(*codes):
    """String.fromCharCode: the lower 16 bits of each number."""
    return "".join(chr(to_int32(code) & 0xFFFF) for code in codes)


def index_of(text, what, start=0):
    """indexOf with a position."""
    return text.find(what, whole(start, 0, len(text)))


def last_index_of(text, what, start=undefined):
    """lastIndexOf with a position; NaN and undefined search everywhere."""
    last = len(text) if start is undefined or start != start else whole(start, 0, len(text))
    return text.rfind(what, 0, last + len(what))


def pad(text, length, fill=" "):
    """The padding that padStart and padEnd add to the string."""
    n = max(whole(length, 0, 2**53) - len(text), 0) if fill else 0
    if n + len(text) > 536870888 and n:
        raise Thrown("Invalid string length", "RangeError")
    return (fill * (n // len(fill) + 1))[:n] if n else ""


def repeat(text, n):
    """repeat, with V8's limits."""
    count = whole(n, -1, 2**53)
    if count < 0 or n == float("inf"):
        raise Thrown(f"Invalid count value: {number(n)}", "RangeError")
    if count * len(text) > 536870888:
        raise Thrown("Invalid string length", "RangeError")
    return text * count


def split(text, separator, limit=undefined):
    """split at a string; an empty one separates all units."""
    parts = list(text) if separator == "" else text.split(separator)
    return parts if limit is undefined else parts[:to_uint32(limit)]


def expand(template, match):
    """Expands $$, $&, $1 and $<name> in a replacement, for one match."""
    names = match.re.groupindex

    def one(found):
        what = found[1]
        if what in "$&\x60'":
            return {"$": "$", "&": match[0], "\x60": match.string[:match.start()], "'": match.string[match.end():]}[what]
        if what[0] == "<":
            return match[what[1:-1]] or "" if what[1:-1] in names else ""
        for digits in (what, what[:1]):
            if 1 <= int(digits) <= match.re.groups:
                return (match[int(digits)] or "") + what[len(digits):]
        return found[0]
    return (NAMED_REPLACEMENT if names else REPLACEMENT).sub(one, template)


def search(pattern, text):
    """search with a regular expression: -1 if there is no match."""
    match = pattern.search(text)
    return match.start() if match else -1
