"""Functions that depend on the Unicode version, which is newer in the Node of the build than in the Python of the server."""

import unicodedata

from .units import chars, units
from .values import NotPortable, Thrown

NEWER_LOWER = {}
NEWER_UPPER = {}


def unknown_to_python(text, doing):
    """Raises for characters newer than this Python, which Node may know. Noncharacters are left unchanged."""
    for c in text:
        if unicodedata.category(c) == "Cn" and ord(c) & 0xFFFE != 0xFFFE and not "\ufdd0" <= c <= "\ufdef":
            raise NotPortable(f"{doing} U+{ord(c):04X}, which Python's Unicode {unicodedata.unidata_version} does not know")


def lower(text):
    """toLowerCase."""
    if text.isascii():
        return text.lower()
    text = chars(text)
    if "\u03a3" in text:
        unknown_to_python(text, "the small sigma next to")
    return units(text.translate(NEWER_LOWER).lower())


def upper(text):
    """toUpperCase."""
    return text.upper() if text.isascii() else units(chars(text).translate(NEWER_UPPER).upper())


def normalize(text, form="NFC"):
    """normalize; raises for characters newer than this Python rather than leaving them unchanged."""
    if form not in ("NFC", "NFD", "NFKC", "NFKD"):
        raise Thrown("The normalization form should be one of NFC, NFD, NFKC, NFKD.", "RangeError")
    if text.isascii():
        return text
    text = chars(text)
    unknown_to_python(text, f"the {form} of")
    return units(unicodedata.normalize(form, text))
