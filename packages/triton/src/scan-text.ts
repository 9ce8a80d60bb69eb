import { decodeUtf8, encodeUtf8 } from "@tritype/core";

/** A piece of protobuf's text format. Line and column count from 1, columns in UTF-16 units. */
export interface Token {
  readonly kind: "word" | "string" | "sign" | "end";
  /** As written, quotes and escapes included; "" at the end. */
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** Where it begins in the text. */
  readonly offset: number;
}

/** Walks the tokens of a text that protobuf's text format takes; of other texts it makes something of every character. */
export class TextScanner {
  readonly #text: string;
  #offset = 0;
  #line = 1;
  #lineStart = 0;
  #next: Token;

  constructor(text: string) {
    this.#text = text;
    this.#next = this.#scan();
  }

  peek(): Token {
    return this.#next;
  }

  take(): Token {
    const token = this.#next;
    this.#next = this.#scan();
    return token;
  }

  /** Takes the next token if it is this sign. */
  skip(sign: string): boolean {
    const found = this.#next.kind === "sign" && this.#next.text === sign;
    if (found) this.take();
    return found;
  }

  /** Goes on from a token that was taken or looked at. */
  returnTo(token: Token): void {
    this.#offset = token.offset;
    this.#line = token.line;
    this.#lineStart = token.offset - token.column + 1;
    this.#next = this.#scan();
  }

  #scan(): Token {
    this.#skipSpace();
    const start = this.#offset;
    const place = { line: this.#line, column: start - this.#lineStart + 1, offset: start };
    const first = this.#text[start];
    if (first === undefined) return { kind: "end", text: "", ...place };
    const [kind, pattern] = first === '"' || first === "'" ? strings[first] : wordOrSign;
    pattern.lastIndex = start;
    const text = pattern.exec(this.#text)?.[0] ?? first;
    this.#offset = start + text.length;
    return { kind: kind === "word" && signs.includes(text) ? "sign" : kind, text, ...place };
  }

  #skipSpace(): void {
    for (; ; this.#offset++) {
      const code = this.#text.charCodeAt(this.#offset);
      if (code === newline) {
        this.#line++;
        this.#lineStart = this.#offset + 1;
      } else if (code === hash) {
        const end = this.#text.indexOf("\n", this.#offset);
        this.#offset = (end === -1 ? this.#text.length : end) - 1;
      } else if (code !== 32 && (code < 9 || code > 13)) return;
      else if (Number.isNaN(code)) return;
    }
  }
}

const newline = 10;
const hash = 35;
const signs = "{}<>:[],;-";
const wordOrSign = ["word", /\.?\d(?:[eE][+-]\d|[\w.])*|[{}<>:[\],;-]|[^\s{}<>:[\],;#"'-]+/y] as const;
const strings = {
  '"': ["string", /"(?:[^"\\\n]|\\[^\n])*"?/y],
  "'": ["string", /'(?:[^'\\\n]|\\[^\n])*'?/y],
} as const;

/** What protobuf's tokenizer refuses at a character, in any context. */
export interface StringFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A text's first bad escape, open string or zero byte; all else is up to the grammar. */
export const findStringFault = (text: string): StringFault | undefined => {
  const zero = text.indexOf("\0");
  const scanner = new TextScanner(text);
  for (let token = scanner.take(); token.kind !== "end"; token = scanner.take()) {
    if (zero !== -1 && zero < token.offset) break;
    if (token.kind !== "string") continue;
    const fault = faultInString(token.text);
    const at = fault === undefined ? -1 : token.offset + fault.offset;
    if (fault === undefined || (zero !== -1 && zero < at)) continue;
    return { message: fault.message, line: token.line, column: token.column + fault.offset };
  }
  if (zero === -1) return undefined;
  const before = text.slice(0, zero).split("\n");
  return { message: "a zero byte", line: before.length, column: (before.at(-1) ?? "").length + 1 };
};

/** Whether a string token ends with its own quote. */
export const isWholeString = (token: string): boolean => /^(["'])(?:\\[^]|(?!\1)[^\\])*\1$/.test(token);

export interface InString {
  readonly message: string;
  /** From the opening quote. */
  readonly offset: number;
}

/** The first bad escape of a string token, or that it does not end. */
export const faultInString = (token: string): InString | undefined => {
  let offset = 1;
  let last = "";
  for ([last] of token.slice(1).matchAll(pieces)) {
    const escape = /^\\([^])$/u.exec(last)?.[1];
    if (escape !== undefined && !letterEscapes.has(escape) && !/[0-7]/.test(escape))
      return { message: digitsNeeded.get(escape) ?? unknownEscape(escape), offset };
    offset += last.length;
  }
  const closed = !last.startsWith("\\") && last.endsWith(token.charAt(0));
  return closed ? undefined : { message: "the string does not end on its line", offset: 0 };
};

const unknownEscape = (letter: string): string =>
  /[\p{C}\s]/u.test(letter)
    ? "a backslash in a string has no letter after it"
    : `unknown escape \\${letter} in a string`;

const digitsNeeded: ReadonlyMap<string, string> = new Map([
  ["x", "the escape \\x needs a hexadecimal digit"],
  ["u", "the escape \\u needs four hexadecimal digits"],
  ["U", "the escape \\U needs eight hexadecimal digits, at most 001FFFFF"],
]);

/** The value of a string token. Escapes are bytes of UTF-8; bytes that are none become U+FFFD, bad escapes stay as they are. */
export const unquote = (token: string): string => {
  const inner = token.slice(1, token.length > 1 && token.endsWith(token.charAt(0)) ? -1 : undefined);
  return inner.includes("\\") ? decodeUtf8(Uint8Array.from(bytesOf(inner))) : inner;
};

/** The text with its escapes in other words: those that every reader of protobuf's text format takes, line for line. */
export const withPlainEscapes = (text: string, quote: (value: string) => string): string => {
  if (!text.includes("\\")) return text;
  const parts: string[] = [];
  const scanner = new TextScanner(text);
  let end = 0;
  for (let token = scanner.take(); token.kind !== "end"; token = scanner.take()) {
    if (token.kind !== "string" || !token.text.includes("\\")) continue;
    parts.push(text.slice(end, token.offset), quote(unquote(token.text)));
    end = token.offset + token.text.length;
  }
  return parts.join("") + text.slice(end);
};

/** As protobuf's tokenizer takes them: a first surrogate with the second one's escape is one character. */
const pieces =
  /\\(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2}|(?:u|U0000)[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U00[01][0-9A-Fa-f]{5}|[^])|[^\\]+|\\/gu;

function* bytesOf(inner: string): Generator<number> {
  for (const [piece] of inner.matchAll(pieces)) {
    const letter = piece.length > 1 && piece.startsWith("\\") ? piece.charAt(1) : "";
    const known = letterEscapes.get(letter);
    if (/[0-7]/.test(letter)) yield Number.parseInt(piece.slice(1), 8) & 255;
    else if (letter === "x" && piece.length > 2) yield Number.parseInt(piece.slice(2), 16);
    else if (/[uU]/.test(letter) && piece.length > 2) yield* encodeUtf8(characterOf(piece));
    else if (known === undefined) yield* encodeUtf8(piece);
    else yield known;
  }
}

/** Beyond Unicode protobuf leaves the escape as text. */
const characterOf = (escape: string): string => {
  const codes = escape
    .split(/\\[uU]/)
    .slice(1)
    .map((digits) => Number.parseInt(digits, 16));
  if (codes.length === 2) return String.fromCharCode(...codes);
  const [code = 0] = codes;
  return code > 0x10_ff_ff ? `\\U${code.toString(16).padStart(8, "0")}` : String.fromCodePoint(code);
};

const letterEscapes: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["b", 8],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
  ["\\", 92],
  ["?", 63],
  ["'", 39],
  ['"', 34],
]);
