import type { Expression } from "../../ir/code.ts";
import { kindOf } from "../../ir/value-type.ts";
import { pyCall, pyMethod, pyName } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import type { Lowering } from "../lowering.ts";

/** The items that `for…of` and spread iterate over. */
export const lowerIterable = (lowering: Lowering, expression: Expression, pairs: boolean): PyExpression => {
  const kind = kindOf(expression.type);
  const ready = (): PyExpression => lowering.expression(expression);
  if (expression.type.undefined || expression.type.null)
    return lowering.refuseKind(expression, "iterating {type}", "`?? []`");
  switch (kind) {
    case "string":
      return pyCall("points", ready());
    case "map":
      return asLists(pyMethod(ready(), "items"), pairs);
    case "iterator":
      return pairs || (expression.kind === "invocation" && expression.row === "map.entries")
        ? asLists(ready(), pairs)
        : ready();
    case "array":
    case "set":
    case "typed":
      return ready();
    default:
      return lowering.refuseAny(
        expression,
        "iterating {type}",
        kind === "record" ? "`Object.entries(o)`" : "an array; of a match, `[m[0], m[1]]`",
      );
  }
};

/** Entries of a map are arrays in JavaScript. If they are destructured immediately, Python's tuples suffice. */
const asLists = (items: PyExpression, pairs: boolean): PyExpression => {
  if (!pairs) return pyCall("map", pyName("list"), items);
  const made =
    items.kind === "call" && items.callee.kind === "name" && items.callee.id === "map" ? items.args : [];
  const [convert, entries] = made.map(({ value }) => value);
  return convert?.kind === "name" && convert.id === "list" && entries !== undefined ? entries : items;
};
