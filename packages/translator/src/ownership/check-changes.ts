import { translatedRow } from "../builtins/table.ts";
import type { Declaration, Expression } from "../ir/code.ts";
import { targetsOf } from "../ir/effects.ts";
import type { Variable } from "../ir/variable.ts";
import { walk } from "../ir/walk.ts";
import type { Flows } from "../ranges/flows.ts";
import type { Refusals } from "../refusals/refusals.ts";
import { holdersOf } from "./ownership.ts";

/**
 * Refuses code that changes an input or a module constant, because rows would then influence each other. `own`: inputs
 * that are created for each row, such as parsed JSON.
 */
export const checkChanges = (
  declarations: readonly Declaration[],
  flows: Flows,
  run: Variable,
  own: ReadonlySet<string>,
  refusals: Refusals,
): void => {
  const isHeld = holdersOf(declarations, flows, run, own, true);
  const check = (object: Expression, what: string): void => {
    if (!isHeld(object)) return;
    const isView = !holdersOf(declarations, flows, run, own, false)(object);
    const changed = isView
      ? "an array that shares its memory with a `subarray`"
      : "part of an input or of a module-level constant";
    const instead = isView ? oneArray : undefined;
    refusals.refuse(object.at, "function/mutated-input", `${what} changes ${changed}`, instead);
  };
  walk(declarations, {
    expression(seen) {
      if (seen.kind !== "invocation" || seen.receiver === undefined) return;
      const row = translatedRow(seen.row);
      if (row?.changes === true) check(seen.receiver, `\`.${seen.row.split(".")[1] ?? ""}()\``);
    },
    statement(seen) {
      for (const target of targetsOf(seen))
        if (target.kind === "property" || target.kind === "element") check(target.object, "the assignment");
    },
  });
};

const oneArray =
  "the whole array and an offset (`a[from + i]`, `a.fill(x, from, to)`), or `slice` if no change must be visible in both";
