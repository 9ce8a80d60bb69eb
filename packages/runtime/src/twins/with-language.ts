import { addedLength, type Languages, type TokenizerTwinOptions } from "@tritype/manifest";
import type { EncodedRow, EngineOptions } from "./tokenizer-engine.ts";

/** The options for an engine: `maxLength` leaves room in each row for its language token. */
export const engineOptionsOf = (options: TokenizerTwinOptions): EngineOptions => ({
  ...options,
  maxLength: options.maxLength - addedLength(options),
});

/** A row with the token of its source language in place of the file's own, or at the front. */
export const withLanguage = (row: EncodedRow, id: number, { at, replaces }: Languages): EncodedRow => {
  const place = at < 0 ? row.length + at : at;
  const put = <T>(values: readonly T[], value: T): readonly T[] =>
    values.toSpliced(place, replaces ? 1 : 0, value);
  return {
    length: row.length + (replaces ? 0 : 1),
    ids: () => put(row.ids(), id),
    typeIds: () => (replaces ? row.typeIds() : put(row.typeIds(), 0)),
    specialTokensMask: () => (replaces ? row.specialTokensMask() : put(row.specialTokensMask(), 1)),
    offsets: () => (replaces ? row.offsets() : put(row.offsets(), [0, 0])),
  };
};
