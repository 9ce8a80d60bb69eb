import type { Span } from "@tritype/core";

/** The position of an offset in a source. */
export const spanAt = (source: string, offset: number, file: string): Span => {
  const before = source.slice(0, offset).split("\n");
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};
