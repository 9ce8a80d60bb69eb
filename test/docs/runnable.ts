/** Turns `expression; // => value` at the end of a line into a check; all other lines are unchanged. */
export const runnable = (source: string): string =>
  `import { expect as expectValue } from "vitest"; ${source.replaceAll(
    /^(\s*)(\S.*?);?[ \t]+\/\/ => (.+)$/gm,
    "$1expectValue($2).toEqual($3);",
  )}`;
