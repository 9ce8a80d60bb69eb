import { positionsIn, type TextPosition } from "@tritype/core";
import { type Place, readConfigText } from "./read-config-text.ts";

/** Keys and indexes from the config down to a field: `["input", 0, "dims", 1]`; map entries by key. */
export type FieldPath = readonly (string | number)[];

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
