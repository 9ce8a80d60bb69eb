import { supportPieces } from "../generated/support.ts";
import type { SupportPieces } from "./support-piece.ts";
import { caseBeyondPython, type CaseChange } from "../unicode/case-beyond-python.ts";

/** Every piece of support code by name, in the order in which it is printed unless a dependency must come first. */
export const supportTable: SupportPieces = {
  ...supportPieces,
  NEWER_LOWER: { text: () => caseTable("lower") },
  NEWER_UPPER: { text: () => caseTable("upper") },
};

/** A Python dict for `str.translate`, with the case mappings that this Node has in addition to Python 3.10. */
const caseTable = (change: "lower" | "upper"): string => {
  const name = change === "lower" ? "NEWER_LOWER" : "NEWER_UPPER";
  const lines = spans(caseBeyondPython(change)).map(([first, last, shift, step]) =>
    first === last
      ? `    0x${first.toString(16)}: 0x${(first + shift).toString(16)},`
      : `    **{c: c ${shift < 0 ? "-" : "+"} ${Math.abs(shift)} for c in range(0x${first.toString(16)}, 0x${(last + 1).toString(16)}, ${step})},`,
  );
  return [`${name} = {`, ...lines, "}"].join("\n");
};

type Span = [first: number, last: number, shift: number, step: number];

/** Combines code points that are shifted by the same distance and are one or two apart. */
const spans = (changes: readonly CaseChange[]): readonly Span[] => {
  const out: Span[] = [];
  for (const [character, changed] of changes) {
    const code = character.codePointAt(0) ?? 0;
    const shift = (changed.codePointAt(0) ?? 0) - code;
    const previous = out.at(-1);
    const gap = previous === undefined ? 0 : code - previous[1];
    const joins =
      previous !== undefined &&
      previous[2] === shift &&
      gap <= 2 &&
      (previous[0] === previous[1] || gap === previous[3]);
    if (joins) previous.splice(1, 3, code, shift, gap);
    else out.push([code, code, shift, 1]);
  }
  return out;
};
