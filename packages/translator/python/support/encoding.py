"""Strings as bytes, base64 and percent encoding."""

import base64
import re
import urllib.parse

from .units import LONE_SURROGATE, units, utf8
from .values import Thrown


def from_utf8(array):
    """new TextDecoder().decode: without a byte order mark, U+FFFD for invalid UTF-8."""
    return units(bytes(array).decode("utf-8-sig", "replace"))


def to_base64(text):
    """btoa: each unit is a byte."""
    try:
        return base64.b64encode(text.encode("latin-1")).decode()
    except UnicodeEncodeError:
        raise Thrown("Invalid character", "InvalidCharacterError") from None


def from_base64(text):
    """atob: padding may be missing, whitespace is skipped."""
    text = re.sub("[\\t\\n\\f\\r ]", "", text)
    digits = text.rstrip("=")
    padding = len(text) - len(digits)
    is_alone = padding <= 2 and len(digits) % 4 == 1
    if re.search("[^A-Za-z0-9+/]", digits) or padding and not is_alone and (padding > 2 or len(text) % 4):
        raise Thrown("Invalid character", "InvalidCharacterError")
    if is_alone:
        raise Thrown("The string to be decoded is not correctly encoded.", "InvalidCharacterError")
    return base64.b64decode(digits + "=" * (-len(digits) % 4)).decode("latin-1")


def encode_component(text):
    """encodeURIComponent."""
    if LONE_SURROGATE.search(text):
        raise Thrown("URI malformed", "URIError")
    return urllib.parse.quote(utf8(text), safe="!'()*")


def decode_component(text):
    """decodeURIComponent."""
    def decode(m):
        try:
            return units(bytes.fromhex(m[0].replace("%", "")).decode())
        except UnicodeDecodeError:
            raise Thrown("URI malformed", "URIError") from None
    text = re.sub("(?:%[0-9A-Fa-f]{2})+", decode, re.sub("%(?![0-9A-Fa-f]{2})", "%FF", text))
    return text


def clone(v, seen=None):
    """structuredClone of arrays, records, maps and sets: an object that occurs twice is one object in the copy too."""
    if not isinstance(v, (list, dict)):
        return v
    seen = {} if seen is None else seen
    if id(v) not in seen:
        seen[id(v)] = copy = type(v)()
        if isinstance(v, list):
            copy.extend(clone(x, seen) for x in v)
        else:
            copy.update((k, clone(x, seen)) for k, x in v.items())
    return seen[id(v)]
