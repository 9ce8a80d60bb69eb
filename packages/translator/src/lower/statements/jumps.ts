import type { Variable } from "../../ir/variable.ts";
import { typeOfKind } from "../../ir/value-type.ts";
import { pyAssign, pyBinary, pyDo, pyText, pyVariable, pyWhen } from "../../python/build.ts";
import type { PyStatement } from "../../python/syntax.ts";
import type { Jump, Loop } from "./loop.ts";
import type { LoweringState } from "../lowering-state.ts";

/** `break` and `continue`, with or without a label. */
export const lowerJump = (
  lowering: LoweringState,
  kind: Jump,
  label: string | undefined,
): readonly PyStatement[] => {
  const { loops } = lowering;
  const at = label === undefined ? loops.length - 1 : loops.findLastIndex((loop) => loop.label === label);
  const target = loops[at];
  if (target === undefined || at === loops.length - 1) return [pyDo({ kind })];
  target.flag ??= lowering.temporary(target.label ?? "jump_", typeOfKind("string"));
  for (const loop of loops.slice(at + 1)) {
    const kinds = loop.leaving.get(target);
    if (kinds === undefined) loop.leaving.set(target, new Set([kind]));
    else kinds.add(kind);
  }
  return [pyAssign(pyVariable(target.flag), pyText(kind)), pyDo({ kind: "break" })];
};

/** A loop in Python, followed by the jumps that continue to outer loops. */
export const inLoop = (
  lowering: LoweringState,
  label: string | undefined,
  lower: () => readonly PyStatement[],
): readonly PyStatement[] => {
  const { loops } = lowering;
  const loop: Loop = { label, flag: undefined, leaving: new Map() };
  loops.push(loop);
  const made = lower();
  loops.pop();
  const around = loops.at(-1);
  const [before, after]: PyStatement[][] = [[], []];
  for (const [target, kinds] of loop.leaving) {
    const { flag } = target;
    if (flag === undefined) continue;
    if (target !== around) {
      after?.push(leave(flag, "!=", "", "break"));
      continue;
    }
    before?.push(pyAssign(pyVariable(flag), pyText("")));
    for (const kind of kinds) after?.push(leave(flag, "==", kind, kind));
  }
  return [...(before ?? []), ...made, ...(after ?? [])];
};

const leave = (flag: Variable, operator: "==" | "!=", text: string, kind: Jump): PyStatement =>
  pyWhen(pyBinary(operator, pyVariable(flag), pyText(text)), [pyDo({ kind })]);
