/** A line of the emitted text (from 1) and the line (from 1) of the source that it begins with. */
export interface LineFrom {
  readonly line: number;
  readonly from: number;
}

/** Lines of a source map (version 3) with one source. */
export const mappedLines = (map: string): readonly LineFrom[] => {
  const { mappings } = JSON.parse(map) as { readonly mappings: string };
  const lines: LineFrom[] = [];
  let from = 0;
  for (const [at, line] of mappings.split(";").entries()) {
    let first: number | undefined;
    for (const segment of line.split(",")) {
      const [, , delta = 0] = decode(segment);
      if (segment === "") continue;
      from += delta;
      first ??= from;
    }
    if (first !== undefined) lines.push({ line: at + 1, from: first + 1 });
  }
  return lines;
};

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Variable-length quantities in base64: five bits per digit, lowest first, the sign in the lowest bit. */
const decode = (segment: string): readonly number[] => {
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const char of segment) {
    const digit = digits.indexOf(char);
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if (digit >= 32) continue;
    values.push(value % 2 === 1 ? -(value - 1) / 2 : value / 2);
    value = 0;
    shift = 0;
  }
  return values;
};
