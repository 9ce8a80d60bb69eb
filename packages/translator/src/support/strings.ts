import { python, type SupportPieces } from "./support-piece.ts";

/** Strings are sequences of UTF-16 units: a character beyond U+FFFF is two characters of the Python string. */
export const strings: SupportPieces = {
  units: {
    text: python`
def units(text):
    """A Python string as UTF-16 units: a character beyond U+FFFF becomes two."""
    if text.isascii():
        return text
    raw = text.encode("utf-16-le", "surrogatepass")
    return text if len(raw) == 2 * len(text) else "".join(map(chr, memoryview(raw).cast("H")))
`,
  },
  chars: {
    text: python`
def chars(text):
    """UTF-16 units as a Python string: pairs joined, lone surrogates left."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
`,
  },
  utf8: {
    text: python`
def utf8(text):
    """The bytes of a string for a BYTES tensor: a lone surrogate becomes U+FFFD."""
    return text.encode() if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
`,
  },
  SURROGATE: { imports: ["re"], text: String.raw`SURROGATE = re.compile(r"[\ud800-\udfff]")` },
  LONE_SURROGATE: {
    imports: ["re"],
    text: String.raw`LONE_SURROGATE = re.compile(r"[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")`,
  },
  POINT: { imports: ["re"], text: String.raw`POINT = re.compile(r"[\ud800-\udbff][\udc00-\udfff]|.", re.S)` },
  points: {
    needs: ["POINT", "SURROGATE"],
    text: python`
def points(text):
    """What for…of and spread see: one string for each code point."""
    return list(text) if text.isascii() or not SURROGATE.search(text) else POINT.findall(text)
`,
  },
  whole: {
    text: python`
def whole(i, low, high):
    """A position as an integer between two bounds; NaN and undefined are 0."""
    return int(min(max(i, low), high)) if i == i and i is not undefined else int(min(max(0, low), high))
`,
    needs: ["undefined"],
  },
  index: {
    needs: ["whole"],
    text: python`
def index(i, length):
    """A bound of a slice: an integer in 0..length; negative ones count from the end."""
    i = whole(i, -length, length)
    return i + length if i < 0 else i
`,
  },
  replace: {
    imports: ["re"],
    text: python`
def replace(text, what, by, count=0):
    """replace and replaceAll of a text by a text in which $ has a meaning."""
    def put(m):
        parts = {"$$": "$", "$&": what, "$\x60": text[:m.start()], "$'": text[m.end():]}
        return re.sub(r"\$[$&\`']", lambda sign: parts[sign[0]], by)
    return re.sub(re.escape(what), put, text, count=count)
`,
  },
  replace_by: {
    needs: ["string"],
    text: python`
def replace_by(text, what, by, takes, most=-1):
    """replace and replaceAll of a text by what a function of the text, its position and the whole makes."""
    out, start, at = [], 0, text.find(what)
    while at >= 0 and most:
        out += text[start:at], string(by(*(what, at, text)[:takes]))
        start, most = at + len(what), most - 1
        at = text.find(what, at + max(len(what), 1))
    return "".join(out) + text[start:]
`,
  },
  split_between: {
    text: python`
def split_between(pattern, text):
    """split by a pattern that matches only empty texts: never at the start or the end."""
    if not text:
        return [] if pattern.match(text) else [text]
    cuts = [0, *(m.start() for m in pattern.finditer(text) if 0 < m.start() < len(text)), len(text)]
    return [text[a:b] for a, b in zip(cuts, cuts[1:])]
`,
  },
  cut: {
    needs: ["index", "undefined"],
    text: python`
def cut(s, start=0, end=undefined):
    """slice of a string or an array."""
    return s[index(start, len(s)):len(s) if end is undefined else index(end, len(s))]
`,
  },
  substring: {
    needs: ["whole", "undefined"],
    text: python`
def substring(text, start, end=undefined):
    """substring: bounds in either order, negative ones are 0."""
    n = len(text)
    a, b = whole(start, 0, n), n if end is undefined else whole(end, 0, n)
    return text[min(a, b):max(a, b)]
`,
  },
  at: {
    needs: ["undefined"],
    text: python`
def at(s, i, missing=undefined):
    """s[i]: undefined outside."""
    return s[int(i)] if len(s) > i >= 0 and i == int(i) else missing
`,
  },
  from_end: {
    needs: ["undefined", "whole"],
    text: python`
def from_end(s, i):
    """s.at(i): negative positions count from the end."""
    n = len(s)
    i = whole(i, -n - 1, n)
    return s[i] if -n <= i < n else undefined
`,
  },
  char_at: {
    needs: ["whole"],
    text: python`
def char_at(text, i=0):
    """charAt: empty outside."""
    i = whole(i, -1, len(text))
    return text[i:i + 1] if i >= 0 else ""
`,
  },
  char_code_at: {
    needs: ["NAN", "whole"],
    text: python`
def char_code_at(text, i=0):
    """charCodeAt: NaN outside."""
    i = whole(i, -1, len(text))
    return ord(text[i]) if 0 <= i < len(text) else NAN
`,
  },
  code_point_at: {
    needs: ["chars", "undefined", "whole"],
    text: python`
def code_point_at(text, i=0):
    """codePointAt: undefined outside."""
    i = whole(i, -1, len(text))
    return ord(chars(text[i:i + 2])[0]) if 0 <= i < len(text) else undefined
`,
  },
  from_code_point: {
    needs: ["Thrown", "number", "units"],
    text: python`
def from_code_point(*codes):
    """String.fromCodePoint."""
    for code in codes:
        if not 0 <= code <= 0x10FFFF or code != int(code):
            raise Thrown(f"Invalid code point {number(code)}", "RangeError")
    return "".join(units(chr(int(code))) for code in codes)
`,
  },
  from_char_code: {
    needs: ["to_int32"],
    text: python`
def from_char_code(*codes):
    """String.fromCharCode: the lower 16 bits of each number."""
    return "".join(chr(to_int32(code) & 0xFFFF) for code in codes)
`,
  },
  index_of: {
    needs: ["whole"],
    text: python`
def index_of(text, what, start=0):
    """indexOf with a position."""
    return text.find(what, whole(start, 0, len(text)))
`,
  },
  last_index_of: {
    needs: ["undefined", "whole"],
    text: python`
def last_index_of(text, what, start=undefined):
    """lastIndexOf with a position; NaN and undefined search everywhere."""
    last = len(text) if start is undefined or start != start else whole(start, 0, len(text))
    return text.rfind(what, 0, last + len(what))
`,
  },
  pad: {
    needs: ["Thrown", "whole"],
    text: python`
def pad(text, length, fill=" "):
    """What padStart and padEnd add to the text."""
    n = max(whole(length, 0, 2**53) - len(text), 0) if fill else 0
    if n + len(text) > 536870888 and n:
        raise Thrown("Invalid string length", "RangeError")
    return (fill * (n // len(fill) + 1))[:n] if n else ""
`,
  },
  repeat: {
    needs: ["Thrown", "number", "whole"],
    text: python`
def repeat(text, n):
    """repeat, with the limits of V8."""
    count = whole(n, -1, 2**53)
    if count < 0 or n == float("inf"):
        raise Thrown(f"Invalid count value: {number(n)}", "RangeError")
    if count * len(text) > 536870888:
        raise Thrown("Invalid string length", "RangeError")
    return text * count
`,
  },
  split: {
    needs: ["undefined"],
    text: python`
def split(text, separator, limit=undefined):
    """split at a text; an empty one separates all units."""
    parts = list(text) if separator == "" else text.split(separator)
    return parts if limit is undefined else parts[:int(limit)]
`,
  },
  WHITESPACE: {
    text: String.raw`WHITESPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"`,
  },
  REPLACEMENT: { imports: ["re"], text: String.raw`REPLACEMENT = re.compile(r"\$([$&\x60']|\d\d?)", re.A)` },
  NAMED_REPLACEMENT: {
    imports: ["re"],
    text: String.raw`NAMED_REPLACEMENT = re.compile(r"\$([$&\x60']|\d\d?|<[^>]*>)", re.A)`,
  },
  expand: {
    needs: ["NAMED_REPLACEMENT", "REPLACEMENT"],
    text: python`
def expand(template, match):
    """A replacement's $$, $&, $1 and $<name>, for one match."""
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
`,
  },
  search: {
    text: python`
def search(pattern, text):
    """search with a regular expression: -1 where there is no match."""
    match = pattern.search(text)
    return match.start() if match else -1
`,
  },
};
