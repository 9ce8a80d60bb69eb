import { type CodeSet, setOf } from "./code-set.ts";

/** Code points of `\p{…}`, according to this Node. */
export const propertySet = (escape: string): CodeSet => {
  const known = asked.get(escape);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^${escape}$`, "u");
  const ranges: [number, number][] = [];
  for (let code = 0; code <= 0x10ffff; code++)
    if (pattern.test(String.fromCodePoint(code))) {
      const previous = ranges.at(-1);
      if (previous?.[1] === code - 1) previous[1] = code;
      else ranges.push([code, code]);
    }
  const set = setOf(ranges);
  asked.set(escape, set);
  return set;
};

const asked = new Map<string, CodeSet>();
