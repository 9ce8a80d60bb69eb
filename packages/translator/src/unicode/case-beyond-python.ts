import { pythonCase } from "../generated/python-case.ts";

/** Unicode has no cased characters after its first two planes. */
export const lastCased = 0x1ffff;

/** A character whose case this Node changes, but the oldest supported Python does not. */
export type CaseChange = readonly [character: string, changed: string];

/**
 * Case mappings that this Node has in addition to Python 3.10 (Unicode 13). Unicode never changes existing mappings, so a
 * newer Python only has some of these already. Computed once, because many code points are tested.
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
  for (let start = 0x80; start <= lastCased; start += 0x80) {
    const all = String.fromCodePoint(...Array.from({ length: 0x80 }, (_, at) => start + at));
    // Most scripts have no upper and lower case.
    if (changedOf(all) === all) continue;
    for (const character of all) {
      const changed = changedOf(character);
      const isNew = changed !== character && !known.has(character.codePointAt(0) ?? 0);
      if (isNew) changes.push([character, changed]);
    }
  }
  return changes;
};
