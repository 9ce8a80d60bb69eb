"""Prints src/generated/python-case.ts; run it with the oldest supported Python."""
import sys
import unicodedata


def runs(codes):
    """Code points as [first, last, step]: most alternate between upper and lower case."""
    out = []
    for code in codes:
        if out and code - out[-1][1] == (out[-1][2] or code - out[-1][1]) and code - out[-1][1] <= 2:
            out[-1][1:] = [code, code - out[-1][1]]
        else:
            out.append([code, code, 0])
    return ", ".join(f"[0x{a:x}, 0x{b:x}, {step or 1}]" for a, b, step in out)


mapped = {case: [c for c in range(0x110000) if getattr(chr(c), case)() != chr(c)] for case in ("lower", "upper")}
version = ".".join(map(str, sys.version_info[:2]))
print(f"""// Made by scripts/python-case.py with Python {version} (Unicode {unicodedata.unidata_version}).

/** Code points whose case Python {version} changes, as [first, last, step]. */
export const pythonCase: Readonly<Record<"lower" | "upper", readonly (readonly [number, number, number])[]>> = {{
  lower: [{runs(mapped["lower"])}],
  upper: [{runs(mapped["upper"])}],
}};""")
