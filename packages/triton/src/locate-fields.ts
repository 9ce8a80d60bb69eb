import { type Place, readConfigText } from "./read-config-text.ts";

/** Keys and indexes from the config down to a field: `["input", 0, "dims", 1]`; map entries by key. */
export type FieldPath = readonly (string | number)[];

/** Line and column start at 1; columns are in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The place of a field in the text; undefined if it is missing. `[]` is the first character of the text. */
export type FieldLocator = (path: FieldPath) => TextPosition | undefined;

/**
 * Finds fields in a config's text. The place of a field is that of its name. The place of an item in a bracketed list
 * is the start of its value; an item written as a separate field (`dims: 2 dims: 3`) has the place of the value for
 * scalars and of the name for messages. The same applies to a map's entries; of those with the same key, the last one
 * counts. In a text that does not parse, everything before its first grammar error is found. The first query takes time
 * and memory proportional to the text.
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

/** The positions of offsets; the text is read on the first query. */
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
