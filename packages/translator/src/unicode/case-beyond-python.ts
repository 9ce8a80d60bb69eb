import { pythonCase } from "../generated/python-case.ts";

/** A character whose case is changed by this Node but not by the oldest supported Python. */
export type CaseChange = readonly [character: string, changed: string];

/**
 * Case mappings that this Node has in addition to Python 3.10 (Unicode 13). A pair of mappings is stable once it is in
 * Unicode, so a newer Python only has some of them too. Computed once, because it tests every code point.
 */
export const caseBeyondPython = (change: "lower" | "upper"): readonly CaseChange[] => {
  const made = worked.get(change) ?? workOut(change);
  worked.set(change, made);
  return made;
};

const worked = new Map<"lower" | "upper", readonly CaseChange[]>();

const workOut = (change: "lower" | "upper"): readonly CaseChange[] => {
  const known = new Set(
    pythonCase[change].flatMap(([first, last, step]) =>
      Array.from({ length: (last - first) / step + 1 }, (_, at) => first + at * step),
    ),
  );
  const changedOf = (text: string): string => (change === "lower" ? text.toLowerCase() : text.toUpperCase());
  const changes: CaseChange[] = [];
  for (let start = 0x80; start <= 0x10ffff; start += 0x80) {
    const codes = Array.from({ length: 0x80 }, (_, at) => start + at);
    const all = String.fromCodePoint(...codes);
    // Most scripts have no upper and lower case.
    if (changedOf(all) === all) continue;
    for (const code of codes) {
      const character = String.fromCodePoint(code);
      const changed = changedOf(character);
      if (changed !== character && !known.has(code)) changes.push([character, changed]);
    }
  }
  return changes;
};
