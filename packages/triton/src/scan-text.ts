/** A piece of protobuf's text format. */
export interface Token {
  /** "open" is a string that does not end on its line. */
  readonly kind: "word" | "string" | "open" | "sign" | "end";
  /** The text as written, including quotes and escapes; "" at the end. */
  readonly text: string;
  readonly offset: number;
}

/** Walks the tokens of a text in protobuf's text format; in any other text, every character still belongs to some token. */
export class TextScanner {
  readonly #text: string;
  #next: Token;

  constructor(text: string) {
    this.#text = text;
    this.#next = scan(text, 0);
  }

  peek(): Token {
    return this.#next;
  }

  take(): Token {
    const token = this.#next;
    this.#next = scan(this.#text, token.offset + token.text.length);
    return token;
  }

  /** Consumes the next token if it is this symbol. */
  skip(sign: string): boolean {
    const found = this.#next.text === sign;
    if (found) this.take();
    return found;
  }

  /** Goes back to a token that was consumed or peeked at. */
  returnTo(token: Token): void {
    this.#next = token;
  }
}

const scan = (text: string, from: number): Token => {
  const offset = skipSpace(text, from);
  const first = text.charAt(offset);
  if (first === "") return { kind: "end", text: "", offset };
  if (signs.includes(first)) return { kind: "sign", text: first, offset };
  const pattern = first === '"' ? doubleQuoted : first === "'" ? singleQuoted : word;
  pattern.lastIndex = offset;
  const [found = first, closing] = pattern.exec(text) ?? [];
  return { kind: pattern === word ? "word" : closing ? "string" : "open", text: found, offset };
};

const skipSpace = (text: string, from: number): number => {
  for (let offset = from; ; offset++) {
    const code = text.charCodeAt(offset);
    if (code === hash) {
      const end = text.indexOf("\n", offset);
      if (end === -1) return text.length;
      offset = end;
    } else if (code !== 32 && !(code >= 9 && code <= 13)) return offset;
  }
};

const hash = 35;
const signs = "{}<>:[],;-";
const word = /\.?\d(?:[eE][+-]\d|[\w.])*|[^\s{}<>:[\],;#"'-]+/y;
const doubleQuoted = /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*("?)/y;
const singleQuoted = /'[^'\\\n]*(?:\\[^\n][^'\\\n]*)*('?)/y;
