import { type Place, readConfigText } from "./read-config-text.ts";

/** Keys and indexes from the config down to a field: `["input", 0, "dims", 1]`; map entries by key. */
export type FieldPath = readonly (string | number)[];

/** Line and column count from 1, columns in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where a field is written; undefined when it is not. `[]` is the first character of the text. */
export type FieldLocator = (path: FieldPath) => TextPosition | undefined;

/**
 * Finds fields in a config's text. A field is where its name is; an item of a list in brackets is where its value begins, an
 * item given as a field of its own (`dims: 2 dims: 3`) where the value of that field is for scalars and where the name is for
 * messages; an entry of a map likewise, the last one of those with the same key. In a text that does not parse, everything
 * before its first fault of grammar is found. Takes time and memory in proportion to the text, at the first question.
 */
export const locateFields = (text: string): FieldLocator => {
  let root: Place | undefined;
  const positionOf = positionsIn(text);
  return (path) => {
    root ??= readConfigText(text).root;
    let place: Place | undefined = root;
    for (const key of path) place = place?.inner?.get(key);
    return place && positionOf(place.offset);
  };
};

/** The positions of offsets; it reads the text at the first question. */
export const positionsIn = (text: string): ((offset: number) => TextPosition) => {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
};
