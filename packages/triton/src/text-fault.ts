import { readString } from "./read-string.ts";
import type { Token } from "./scan-text.ts";

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A fault in a text, in the wording of protobuf's parser. */
export class TextFault extends Error {
  readonly offset: number;
  /** The field that was skipped to continue reading. */
  skipped: TextRange | undefined;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** A misplaced token. A fault in the token itself is reported first. */
export const faultAt = (token: Token, message: string, offset: number = token.offset): TextFault =>
  new TextFault(tokenFault(token) ?? message, offset);

/** Whether a word as a whole, and not just its beginning, is a number in protobuf's text format. */
export const isNumber = (word: string): boolean => numberIn(word) === word;

const numberIn = (word: string): string | undefined => number.exec(word)?.[0];

const number =
  /^(?:0[xX][\dA-Fa-f]+|(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?|\d+(?:[eE][+-]?\d+[fF]?|[fF])|0[0-7]*|[1-9]\d*)/;

const tokenFault = (token: Token): string | undefined => {
  const { kind, text } = token;
  const inString = kind === "open" ? readString(token) : undefined;
  if (typeof inString === "object") return inString.offset === 0 ? inString.message : undefined;
  if (/^\s/.test(text)) return `illegal character '${text}'`;
  const head = text.slice(0, (numberIn(text) ?? text).length + 1);
  return /^\.?\d.*\w$/.test(head) && !isNumber(head) ? `illegal number '${head}'` : undefined;
};
