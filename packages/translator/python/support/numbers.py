"""Numbers are floats, or ints within 2 ** 53 that are never -0."""

import decimal
import math
import re
import struct

from .bigints import big_number
from .number_text import number, string
from .units import WHITESPACE, whole
from .values import INF, NAN, NotPortable, Thrown, undefined

NUMBER = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")


def to_fixed(v, digits=0):
    """toFixed: ties away from zero; Python's formatting rounds ties to even."""
    digits = whole(digits, -1, 101)
    if not 0 <= digits <= 100:
        raise Thrown("toFixed() digits argument must be between 0 and 100", "RangeError")
    if not abs(v) < 1e21:
        return number(float(v))
    if v * 2.0 ** (digits + 1) % 1:
        return f"{v:.{digits}f}"
    exact, step = decimal.Decimal(v or 0), decimal.Decimal(1).scaleb(-digits)
    return f"{exact.quantize(step, decimal.ROUND_HALF_UP, decimal.Context(200)):f}"


def to_radix(v, radix):
    """toString(radix), including fractions (V8's DoubleToRadixCString)."""
    if not 2 <= radix < 37:
        raise Thrown("toString() radix argument must be between 2 and 36", "RangeError")
    radix, size = int(radix), abs(float(v))
    if radix == 10 or v != v or size == INF:
        return number(float(v))
    if size > 2**53:
        raise NotPortable("the digits of a number beyond 2 ** 53, in a base other than 10")
    figures = "0123456789abcdefghijklmnopqrstuvwxyz"
    whole, fraction, digits = float(math.floor(size)), size - math.floor(size), []
    delta = max(0.5 * (math.nextafter(size, INF) - size), 5e-324)
    while fraction >= delta:
        fraction, delta = fraction * radix, delta * radix
        digits.append(int(fraction))
        fraction -= digits[-1]
        if (fraction > 0.5 or fraction == 0.5 and digits[-1] % 2) and fraction + delta > 1:
            while digits and digits[-1] + 1 >= radix:
                digits.pop()
            if digits:
                digits[-1] += 1
            else:
                whole += 1
            break
    text = ""
    while whole > 0 or not text:
        rest = math.fmod(whole, radix)
        whole, text = (whole - rest) / radix, figures[int(rest)] + text
    return ("-" if v < 0 else "") + text + ("." if digits else "") + "".join(figures[digit] for digit in digits)


def to_precision(v, precision=undefined):
    """toPrecision."""
    if precision is undefined or not abs(v) < float("inf"):
        return number(float(v))
    precision = whole(precision, -1, 101)
    if not 1 <= precision <= 100:
        raise Thrown("toPrecision() argument must be between 1 and 100", "RangeError")
    sign, digits, exponent = rounded_digits(v, precision)
    if not -7 < exponent < precision:
        return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{exponent:+d}"
    if exponent < 0:
        return sign + "0." + "0" * (-exponent - 1) + digits
    point = exponent + 1
    return sign + digits[:point] + ("." + digits[point:] if point < precision else "")


def to_exponential(v, count=undefined):
    """toExponential."""
    if not abs(v) < float("inf"):
        return number(float(v))
    if count is not undefined and not 0 <= whole(count, -1, 101) <= 100:
        raise Thrown("toExponential() argument must be between 0 and 100", "RangeError")
    sign, digits, exponent = rounded_digits(v, None if count is undefined else whole(count, 0, 100) + 1)
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{exponent:+d}"


def rounded_digits(v, count):
    """Sign, digits and exponent of a finite number: either the given number of digits, with ties away from zero, or as many as needed."""
    size = abs(float(v))
    exact = decimal.Decimal(repr(size) if count is None else size)
    if count is not None and size:
        exact = decimal.Context(count, decimal.ROUND_HALF_UP).plus(exact)
    figures, exponent = exact.as_tuple().digits if size else (0,), exact.adjusted() if size else 0
    digits = "".join(map(str, figures))
    digits = digits.rstrip("0") or "0" if count is None else digits.ljust(count, "0")
    return "-" if v < 0 else "", digits, exponent


def power(x, y):
    """x ** y of integers whose result is exact."""
    if y == 0 or y == 1 or y == 2:
        return 1.0 if y == 0 else float(x) if y == 1 else float(x) * float(x)
    if x != x or y != y:
        return NAN
    if abs(y) < 2**53 and y > 0 and y == int(y) and (abs(x) <= 1 or y * math.log2(abs(x)) < 1024):
        exact = int(x) ** int(y) if abs(x) > 1 else int(x) if x > 0 or y % 2 else abs(int(x))
        if float(exact) == exact:
            return float(exact)
    raise NotPortable("a power that is not an exact integer")


def same_number(a, b):
    """Object.is of numbers."""
    return a != a and b != b or a == b and math.copysign(1, a) == math.copysign(1, b)


def div(a, b):
    """a / b, including division by zero."""
    try:
        return a / b
    except ZeroDivisionError:
        return NAN if a == 0 or a != a else math.copysign(INF, a) * math.copysign(1, b)


def rem(a, b):
    """a % b: the sign of a."""
    return NAN if b == 0 or a != a or b != b or abs(a) == INF else math.fmod(a, b)


def floor(x):
    """Math.floor, keeping NaN, infinities and -0."""
    return float(math.floor(x)) if x and abs(x) < 2**53 else +x


def ceil(x):
    """Math.ceil, keeping NaN, infinities and -0."""
    return math.copysign(math.ceil(x), x) if x and abs(x) < 2**53 else +x


def trunc(x):
    """Math.trunc, keeping NaN, infinities and -0."""
    return math.copysign(math.trunc(x), x) if x and abs(x) < 2**53 else +x


def round_half_up(x):
    """Math.round: halves upwards, keeping NaN, infinities and -0."""
    if not abs(x) < 2**52 or not x:
        return x
    below = math.floor(x)
    return math.copysign(below + (x - below >= 0.5), x)


def sign(x):
    """Math.sign, keeping NaN and -0."""
    return math.copysign(1.0, x) if x and x == x else +x


def sqrt(x):
    """Math.sqrt: NaN for negative numbers."""
    return math.sqrt(x) if x >= 0 else NAN


def largest(*xs):
    """Math.max: NaN if an argument is NaN; 0 is above -0."""
    if any(x != x for x in xs):
        return NAN
    m = max(xs, default=-INF)
    return m if m else max(xs, key=lambda x: (x, math.copysign(1, x)))


def smallest(*xs):
    """Math.min: NaN if an argument is NaN; -0 is below 0."""
    if any(x != x for x in xs):
        return NAN
    m = min(xs, default=INF)
    return m if m else min(xs, key=lambda x: (x, math.copysign(1, x)))


def to_int32(x):
    """A number as a bitwise operand: a signed 32-bit integer."""
    if x != x or abs(x) == INF:
        return 0
    x = int(x) & 0xFFFFFFFF
    return x - 0x100000000 if x & 0x80000000 else x


def to_uint32(x):
    """A number as an operand of >>>: an unsigned 32-bit integer."""
    return to_int32(x) & 0xFFFFFFFF


def fround(x):
    """Math.fround, and a number stored in a Float32Array."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def clamp_byte(x):
    """A number stored in a Uint8ClampedArray: within 0..255, halves to even."""
    return round(min(max(x, 0), 255)) if x == x else 0


def is_integer(x):
    """Number.isInteger."""
    return x == x and abs(x) < INF and x == int(x)


def is_safe_integer(x):
    """Number.isSafeInteger."""
    return abs(x) < 2**53 and x == int(x)


def to_number(text):
    """Number(text); also handles null and undefined, despite the declared type."""
    if not isinstance(text, str):
        return 0.0 if text is None else NAN
    text = text.strip(WHITESPACE)
    if re.fullmatch("0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", text):
        return big_number(int(text, 0))
    return float(text) if NUMBER.fullmatch(text) else NAN if text else 0.0


def parse_float(text):
    """parseFloat: the longest number at the start of the string."""
    match = NUMBER.match(string(text).lstrip(WHITESPACE))
    return float(match[0]) if match else NAN


def parse_int(text, radix=0):
    """parseInt: the longest integer at the start of the string."""
    base = 0 if radix is undefined else to_int32(radix)
    sign, hexadecimal, body = re.fullmatch("([+-]?)(0[xX])?(.*)", string(text).lstrip(WHITESPACE), re.S).groups()
    if hexadecimal and base not in (0, 16):
        body = hexadecimal + body
    base = base or (16 if hexadecimal else 10)
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[:base]
    n = next((i for i, c in enumerate(body) if c not in digits + digits.upper()), len(body))
    if not 2 <= base <= 36 or not n:
        return NAN
    value = float(body[:n]) if base == 10 else int(body[:n], base)
    if base not in (2, 4, 8, 10, 16, 32) and value > 2**53:
        raise NotPortable(f"an integer beyond 2 ** 53 in base {base}")
    return math.copysign(big_number(value), -1 if sign == "-" else 1)
