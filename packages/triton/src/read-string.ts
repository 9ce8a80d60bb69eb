import { decodeUtf8, encodeUtf8 } from "@tritype/core";
import { faultTexts } from "./fault-texts.ts";
import type { Token } from "./scan-text.ts";

/** A fault in a token, and its offset from the token's start. */
export interface InToken {
  readonly message: string;
  readonly offset: number;
}

/** The content of a string, or its first fault. Escapes are bytes of UTF-8; invalid bytes become U+FFFD. */
export const readString = ({ kind, text }: Token): string | InToken => {
  const inner = text.slice(1, kind === "string" ? -1 : undefined);
  if (kind === "string" && !inner.includes("\\"))
    return /\p{Cs}/u.test(inner) ? { message: "invalid UTF-8 string", offset: 0 } : inner;
  const pieces = inner.match(piece) ?? [];
  let offset = 1;
  for (const one of pieces) {
    const message = escapeFault(one);
    if (message !== undefined) return { message, offset };
    offset += one.length;
  }
  if (kind === "open") return { message: faultTexts.openString, offset: 0 };
  return decodeUtf8(Uint8Array.from(pieces.flatMap((one) => [...bytesOf(one)])));
};

/** Like protobuf's tokenizer: the escapes of a surrogate pair are one character. */
const piece =
  /\\(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2}|(?:u|U0000)[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U00[01][0-9A-Fa-f]{5}|[^])|[^\\]+/gu;
const letters = "abfnrtv\\?'\"";
const meanings = "\u0007\b\f\n\r\t\v\\?'\"";

const escapeFault = (text: string): string | undefined => {
  const letter = /^\\([^0-7])$/u.exec(text)?.[1];
  if (letter === undefined || letters.includes(letter)) return undefined;
  if (/[\p{C}\s]/u.test(letter)) return "a backslash in a string is not followed by a letter";
  return digitsNeeded.get(letter) ?? `unknown escape \\${letter} in a string`;
};

const digitsNeeded: ReadonlyMap<string, string> = new Map([
  ["x", "the escape \\x needs a hexadecimal digit"],
  ["u", "the escape \\u needs four hexadecimal digits"],
  ["U", "the escape \\U needs eight hexadecimal digits, at most 001FFFFF"],
]);

const bytesOf = (text: string): Iterable<number> => {
  if (!text.startsWith("\\")) return encodeUtf8(text);
  const letter = text.charAt(1);
  if (/[0-7]/.test(letter)) return [Number.parseInt(text.slice(1), 8) & 255];
  if (letter === "x") return [Number.parseInt(text.slice(2), 16)];
  if (letter === "u" || letter === "U") return encodeUtf8(characterOf(text));
  return [meanings.charCodeAt(letters.indexOf(letter))];
};

/** protobuf leaves an escape beyond Unicode as text. */
const characterOf = (escape: string): string => {
  const [code = 0, ...second] = (escape.match(/[0-9A-Fa-f]{4,}/g) ?? []).map((digits) =>
    Number.parseInt(digits, 16),
  );
  if (second.length > 0) return String.fromCharCode(code, ...second);
  return code > 0x10_ff_ff ? escape.toLowerCase().replace("u", "U") : String.fromCodePoint(code);
};
