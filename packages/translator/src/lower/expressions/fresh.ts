import { builtins } from "../../builtins/table.ts";
import type { Expression } from "../../ir/code.ts";

/** Whether the array, map, set or record that an expression creates has no other references. */
export const isFresh = (expression: Expression): boolean => {
  if (expression.kind === "list" || expression.kind === "record") return true;
  if (expression.kind !== "invocation") return false;
  const row = builtins[expression.row];
  if (row === undefined || "refuse" in row) return false;
  if (row.fresh === true) return true;
  return row.changes === true && expression.receiver !== undefined && isFresh(expression.receiver);
};
