/** Code units or code points as ascending ranges that are not adjacent. */
export type CodeSet = readonly (readonly [first: number, last: number])[];

export const setOf = (ranges: CodeSet): CodeSet => {
  const out: [number, number][] = [];
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = out.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else out.push([first, last]);
  }
  return out;
};

/** The complement of the set, up to `top`. */
export const complement = (set: CodeSet, top: number): CodeSet => {
  const out: [number, number][] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) out.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= top) out.push([next, top]);
  return out;
};

/** The part of the set within bounds. */
export const within = (set: CodeSet, low: number, high: number): CodeSet =>
  set.flatMap(([first, last]) =>
    last < low || first > high ? [] : [[Math.max(first, low), Math.min(last, high)] as const],
  );

export const sameSet = (a: CodeSet, b: CodeSet): boolean =>
  a.length === b.length && a.every(([first, last], at) => first === b[at]?.[0] && last === b[at][1]);

export const digits: CodeSet = [[0x30, 0x39]];
export const wordCharacters: CodeSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
export const lineEnds: CodeSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
export const whitespace: CodeSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
