import { isName, mentions, methodCall } from "../../python/patterns.ts";
import { argumentOf, backendUtilsOf } from "../../python/backend-utils.ts";
import type { ClassModelPy } from "../../python/model-py/model-py.ts";
import { fixedPaddings } from "../../python/model-py/paddings.ts";
import { certainParts } from "../../python/reached.ts";
import type { Expression, Statement } from "../../python/syntax.ts";
import { valuesOf } from "../../python/values.ts";
import { allExpressions, allStatements } from "../../python/walk.ts";
import type { Rule } from "../../rule.ts";
import { pythonRule } from "./python-rule.ts";

const paddingLimit = 2048;

const longPadding: Rule = pythonRule(
  {
    code: "python/long-padding",
    message: "`{path}` of `{model}` pads every text to {length} tokens",
    help: "pad to the longest text of the request (`padding=True`), or set a smaller `max_length`",
    reason:
      '`padding="max_length"` makes every request as expensive as the longest one: a ten-word question runs through the model as thousands of padding tokens.',
  },
  (file, report, model) => {
    for (const { tokens, padding, length } of fixedPaddings(file, model))
      if (tokens > paddingLimit)
        report([file.at(padding.from, `to ${tokens} tokens`), file.at(length.from, "the length")], {
          length: tokens,
        });
  },
);

const wrongRank: Rule = pythonRule(
  {
    code: "python/wrong-rank",
    severity: "error",
    message: "`{path}` of `{model}` treats values of `{input}` as having {taken}, but they have {given}",
    help: "{advice}",
    reason:
      "Arrays have one more dimension than `dims` if `max_batch_size` is set, and exactly the dimensions in `dims` otherwise. If the code expects something else, `decode` is called on a number or an array, and every request fails with AttributeError.",
  },
  (file, report, model) => {
    const batch = (model.config.max_batch_size ?? 0) > 0 ? 1 : 0;
    for (const { input, depth, place } of decodedRows(file)) {
      const port = (model.config.input ?? []).find(({ name }) => name === input);
      if (port === undefined || port.data_type !== "TYPE_STRING" || port.reshape !== undefined) continue;
      const rank = (port.dims ?? []).length + batch;
      if (rank === 0 || rank === depth || file.model.methods.has("auto_complete_config")) continue;
      report(
        [
          file.at(place.from, "`decode` of a value"),
          model.at(
            ["input", model.config.input?.indexOf(port) ?? 0],
            `${dimensions(rank)}${batch ? ", including the batch" : ""}`,
          ),
        ],
        {
          input,
          taken: dimensions(depth),
          given: dimensions(rank),
          advice:
            rank > depth
              ? "call `.flatten()` on the array first"
              : "set `max_batch_size`, or call `.flatten()` on the array and do not use `[0]` on its items",
        },
      );
    }
  },
);

const dimensions = (count: number): string => (count === 1 ? "one dimension" : `${count} dimensions`);

interface DecodedRow {
  readonly input: string;
  /** The number of dimensions that the code assumes. */
  readonly depth: number;
  readonly place: Expression;
}

/** `x[0].decode(…) for x in array`, where the array is an unmodified input. */
const decodedRows = (file: ClassModelPy): readonly DecodedRow[] => {
  const values = valuesOf(file.module);
  const utils = backendUtilsOf(file.module);
  const inputOf = (source: Expression): string | undefined => {
    const array = methodCall(values.resolve(source));
    if (array?.name !== "as_numpy") return undefined;
    const tensor = values.resolve(array.object);
    if (tensor.kind !== "call" || utils.memberOf(tensor.callee) !== "get_input_tensor_by_name")
      return undefined;
    const name = argumentOf(tensor.args, 1, "name");
    const text = name && values.resolve(name);
    return text?.kind === "text" ? text.value : undefined;
  };
  const rows: DecodedRow[] = [];
  const look = (target: Expression, source: Expression, inside: readonly Expression[]): void => {
    const input = inputOf(source);
    if (input === undefined || target.kind !== "name") return;
    for (const expression of inside.flatMap(certainParts)) {
      const depth = decodeDepth(expression, target.name);
      if (depth !== undefined) rows.push({ input, depth: depth + 1, place: expression });
    }
  };
  for (const expression of allExpressions(file.module.body))
    if (expression.kind === "comprehension" && expression.clauses.length === 1) {
      const [clause] = expression.clauses;
      if (clause?.target !== undefined) look(clause.target, clause.source, expression.element);
    }
  for (const statement of allStatements(file.module.body))
    if (
      statement.kind === "for" &&
      !allStatements(statement.body).some((inner) => sets(inner, statement.target))
    )
      look(statement.target, statement.source, statement.body.flatMap(lastValues));
  return rows;
};

/** Whether a statement assigns a different value to a loop's variable. */
const sets = (statement: Statement, variable: Expression): boolean =>
  statement.kind === "assign" &&
  variable.kind === "name" &&
  statement.targets.some((target) => mentions(target, variable.name));

/** `name.append(x)` and `name = x`: x. */
const lastValues = (statement: Statement): readonly Expression[] => {
  if (statement.kind === "assign") return statement.value ? [statement.value] : [];
  if (statement.kind !== "expression" || statement.value.kind !== "call") return [];
  return statement.value.args.map(({ value }) => value);
};

/** The number of indexes between a name and `.decode(…)`. */
const decodeDepth = (expression: Expression, name: string): number | undefined => {
  const call = methodCall(expression);
  if (call?.name !== "decode") return undefined;
  let value = call.object;
  let depth = 0;
  while (value.kind === "index" && value.index.length === 1 && value.index[0]?.kind === "number") {
    value = value.object;
    depth += 1;
  }
  return isName(value, name) ? depth : undefined;
};

export const pythonTextRules: readonly Rule[] = [longPadding, wrongRank];
