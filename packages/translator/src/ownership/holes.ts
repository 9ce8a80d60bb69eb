import type { Declaration, Expression } from "../ir/code.ts";
import { walk } from "../ir/walk.ts";
import type { Origins } from "./origins.ts";

/**
 * Determines whether the code treats the holes in the result of `new Array(n)` like undefined. Python's lists
 * have no holes; in JavaScript, methods such as `map` skip them.
 */
export const holeFinder = (
  declarations: readonly Declaration[],
  origins: Origins,
): ((made: Expression) => boolean) => {
  const asked: Expression[] = [];
  walk(declarations, {
    expression(seen) {
      if (seen.kind !== "invocation") return;
      if (seen.receiver !== undefined && !blind.test(seen.row)) asked.push(seen.receiver);
      if (keeping.test(seen.row)) for (const { value } of seen.args) asked.push(value);
    },
  });
  return (made) =>
    asked.every((one) =>
      [...origins.of(one)].every((origin) => origin.made !== made && origin.made !== "anywhere"),
    );
};

/** Table rows that treat a hole as undefined. */
const blind =
  /^array\.(?:push|pop|fill|join|at|includes|indexOf|lastIndexOf|entries|keys|values)$|^(?:map|set)\./;
/** Table rows that keep the holes in their arguments. */
const keeping = /^array\.concat$|^structuredClone$|^Object\./;
