import { readNumber } from "./json-number.ts";
import { readString } from "./json-string.ts";
import { char, wordAt } from "./json-text.ts";
import { type Steps, stepSize } from "./steps.ts";

/**
 * Receives the elements of a tensor's `data`, at any nesting depth. Each method throws the error for elements of that
 * kind.
 */
export interface DataReader {
  /** An array that is nested at this depth. */
  readonly nest: (depth: number) => void;
  readonly number: (value: number, integer: boolean, start: number, end: number) => void;
  readonly word: (value: boolean | null) => void;
  /** Undefined if strings are not accepted. */
  readonly string: ((bytes: Uint8Array) => void) | undefined;
  /** An object, or a string where strings are not accepted. */
  readonly other: () => never;
}

/** Parses a validated array, element by element. Strings without escapes share memory with it. */
export function* readDataText(bytes: Uint8Array, reader: DataReader): Steps<void> {
  let depth = 0;
  let paused = 0;
  for (let at = 0; ; ) {
    if (at - paused > stepSize) {
      paused = at;
      yield;
    }
    const byte = bytes[at] as number;
    if (byte === char.comma || byte <= 0x20) at++;
    else if (byte === char.openArray) {
      reader.nest(depth++);
      at++;
    } else if (byte === char.closeArray) {
      at++;
      if (--depth === 0) return;
    } else if (byte === char.quote) {
      if (reader.string === undefined) reader.other();
      else {
        const { text, end } = yield* readString(bytes, at);
        reader.string(text);
        at = end;
      }
    } else if (byte === char.openObject) reader.other();
    else {
      const word = wordAt(bytes, at);
      if (word === undefined) {
        const { value, end, integer } = readNumber(bytes, at);
        reader.number(value, integer, at, end);
        at = end;
      } else {
        reader.word(word[1]);
        at += word[0].length;
      }
    }
  }
}
