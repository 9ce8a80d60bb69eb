"""Values as strings."""

from .values import INF, undefined


def string(v):
    """String(v) of strings, numbers, booleans, null, undefined and arrays of these."""
    if isinstance(v, str):
        return v
    if isinstance(v, bool) or v is None or v is undefined:
        return {None: "null", True: "true", False: "false"}.get(v, "undefined")
    if isinstance(v, float):
        return number(v)
    return str(v) if isinstance(v, int) else ",".join("" if x is None or x is undefined else string(x) for x in v)


def number(v):
    """A number as a string: both languages use the shortest digits; JavaScript uses exponents from 1e21 on and below 1e-6."""
    text = repr(v)
    if text.endswith(".0"):
        return text[:-2] if v else "0"
    if "e" not in text and "n" not in text:
        return text
    if v != v or abs(v) == INF:
        return "NaN" if v != v else "Infinity" if v > 0 else "-Infinity"
    sign = "-" if v < 0 else ""
    digits, exponent = text.lstrip("-").split("e")
    exponent = int(exponent)
    digits = digits.replace(".", "")
    if 0 <= exponent < 21:
        return sign + digits.ljust(exponent + 1, "0")
    if -7 < exponent < 0:
        return sign + "0." + "0" * (-exponent - 1) + digits
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{exponent:+d}"
