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
  '"': ["string", /"(?:[^"\\\n]|\\.)*"?/y],
  "'": ["string", /'(?:[^'\\\n]|\\.)*'?/y],
} as const;

/** What a string token says. Escapes are bytes of UTF-8. */
export const unquote = (token: string): string => {
  const inner = token.slice(1, -1);
  return inner.includes("\\") ? decodeUtf8(Uint8Array.from(bytesOf(inner))) : inner;
};

function* bytesOf(inner: string): Generator<number> {
  for (const [piece] of inner.matchAll(/\\(?:[0-7]{1,3}|[xX][0-9A-Fa-f]{1,2}|u.{4}|U.{8}|.)|[^\\]+/g)) {
    if (!piece.startsWith("\\")) yield* encodeUtf8(piece);
    else if (/[0-7]/.test(piece.charAt(1))) yield Number.parseInt(piece.slice(1), 8) & 255;
    else if (/[xX]/.test(piece.charAt(1))) yield Number.parseInt(piece.slice(2), 16);
    else if (/[uU]/.test(piece.charAt(1)))
      yield* encodeUtf8(String.fromCodePoint(Number.parseInt(piece.slice(2), 16)));
    else yield letterEscapes.get(piece.charAt(1)) ?? piece.charCodeAt(1);
  }
}

const letterEscapes: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["b", 8],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
]);
