/** A Python string literal of UTF-16 units. Lone surrogates, control characters and invisible characters are escaped. */
export const textLiteral = (value: string, quote: '"' | "'" = '"'): string =>
  `${quote}${escapeText(value, quote)}${quote}`;

/** The text between the quotes. */
export const escapeText = (value: string, quote: '"' | "'" = '"'): string => {
  let out = "";
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    const char = value.charAt(at);
    if (char === quote || char === "\\") out += `\\${char}`;
    else out += named[char] ?? (isHidden(unit) ? `\\u${unit.toString(16).padStart(4, "0")}` : char);
  }
  return out;
};

const named: Readonly<Record<string, string | undefined>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };

const isHidden = (unit: number): boolean =>
  unit < 0x20 ||
  (unit >= 0x7f && unit <= 0xa0) ||
  unit === 0xad ||
  (unit >= 0x0300 && unit <= 0x036f) ||
  unit === 0x1680 ||
  (unit >= 0x2000 && unit <= 0x200f) ||
  (unit >= 0x2028 && unit <= 0x202f) ||
  (unit >= 0x205f && unit <= 0x206f) ||
  unit === 0x3000 ||
  (unit >= 0xd800 && unit <= 0xdfff) ||
  unit === 0xfeff ||
  unit >= 0xfff0;
