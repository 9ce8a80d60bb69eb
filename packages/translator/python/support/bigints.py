"""A bigint is a Python int."""

import re
import sys

from .number_text import number
from .units import WHITESPACE
from .values import INF, NotPortable, Thrown

# Python 3.11 limits the digits of the text of an int to 4,300.
ANY_DIGITS = getattr(sys, "set_int_max_str_digits", int)(0)


def big_div(a, b):
    """a / b of bigints: towards zero."""
    if b == 0:
        raise Thrown("Division by zero", "RangeError")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def big_rem(a, b):
    """a % b of bigints: the sign of a."""
    return a - b * big_div(a, b)


def big_power(a, b):
    """a ** b of bigints."""
    if b < 0:
        raise NotPortable("a negative power of a bigint, for which Node versions have different messages")
    return a**b


def as_int(bits, v):
    """BigInt.asIntN."""
    bits = int(bits)
    v &= (1 << bits) - 1
    return v - (1 << bits) if bits and v >> (bits - 1) else v


def as_uint(bits, v):
    """BigInt.asUintN."""
    return v & (1 << int(bits)) - 1


def bigint(v):
    """BigInt(v) of a number."""
    if v != v or abs(v) == float("inf") or v != int(v):
        raise Thrown(f"The number {number(v)} cannot be converted to a BigInt because it is not an integer", "RangeError")
    return int(v)


def text_bigint(text):
    """BigInt(text)."""
    digits = text.strip(WHITESPACE)
    if re.fullmatch("[+-]?[0-9]+", digits):
        return int(digits)
    if re.fullmatch("0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", digits):
        return int(digits, 0)
    if digits:
        raise Thrown(f"Cannot convert {text} to a BigInt", "SyntaxError")
    return 0


def big_number(v):
    """Number(v) of a bigint."""
    try:
        return float(v)
    except OverflowError:
        return INF if v > 0 else -INF
