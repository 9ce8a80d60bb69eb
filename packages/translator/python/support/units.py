"""Strings are sequences of UTF-16 units: a character beyond U+FFFF is two characters of the Python string."""

import re

from .values import undefined

SURROGATE = re.compile(r"[\ud800-\udfff]")
LONE_SURROGATE = re.compile(r"[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
POINT = re.compile(r"[\ud800-\udbff][\udc00-\udfff]|.", re.S)
WHITESPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def units(text):
    """A Python string as UTF-16 units: a character beyond U+FFFF becomes two."""
    if text.isascii():
        return text
    raw = text.encode("utf-16-le", "surrogatepass")
    return text if len(raw) == 2 * len(text) else "".join(map(chr, memoryview(raw).cast("H")))


def chars(text):
    """UTF-16 units as a Python string: pairs are joined, lone surrogates are kept."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def utf8(text):
    """The bytes of a string for a BYTES tensor: a lone surrogate becomes U+FFFD."""
    return text.encode() if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def points(text):
    """The items for for…of and spread: one string for each code point."""
    return list(text) if text.isascii() or not SURROGATE.search(text) else POINT.findall(text)


def whole(i, low, high):
    """A position as an integer between two bounds; NaN and undefined are 0."""
    return int(min(max(i, low), high)) if i == i and i is not undefined else int(min(max(0, low), high))


def index(i, length):
    """A bound of a slice: an integer in 0..length; negative ones count from the end."""
    i = whole(i, -length, length)
    return i + length if i < 0 else i
