import { counted } from "@tritype/core";
import type { RefusedRow, Row, TranslatedRow } from "../../builtins/row.ts";
import { builtins } from "../../builtins/table.ts";
import type { Invocation } from "../../ir/code.ts";
import { hasEffect } from "../../ir/effects.ts";
import { pyRun } from "../../python/build.ts";
import type { PyExpression, PyStatement } from "../../python/syntax.ts";
import type { Lowering } from "../lowering.ts";

/** A call of a JavaScript built-in, lowered by its table row. */
export const lowerInvocation = (lowering: Lowering, call: Invocation): PyExpression => {
  const row = rowFor(lowering, call);
  return "lower" in row ? row.lower(call, lowering) : row.refused;
};

/** The same call, as a statement. */
export const lowerInvocationStatement = (lowering: Lowering, call: Invocation): readonly PyStatement[] => {
  const row = rowFor(lowering, call);
  if ("refused" in row) return [];
  return row.statement === undefined ? [pyRun(row.lower(call, lowering))] : row.statement(call, lowering);
};

const rowFor = (lowering: Lowering, call: Invocation): TranslatedRow | { readonly refused: PyExpression } => {
  const row: Row | undefined = builtins[call.row];
  const name = shown(call.row);
  const refuse = (made: PyExpression): { readonly refused: PyExpression } => {
    if (call.receiver !== undefined) lowering.expression(call.receiver);
    for (const { value } of call.args)
      if (!/^(?:lambda|regexp|builtin)$/.test(value.kind)) lowering.expression(value);
    return { refused: made };
  };
  checkEffects(lowering, call);
  const { receiver } = call;
  if (receiver?.type.kinds.includes("array") === true && row !== undefined && "callback" in row)
    for (const { value } of call.args) lowering.keepsLength(receiver, value);
  if (row === undefined)
    return refuse(lowering.refuse(call.at, "function/built-in", `\`${name}\` is not translated`));
  if (isRefused(row))
    return refuse(lowering.refuse(call.at, row.refuse, `\`${name}\`: ${row.why}`, row.instead));
  const [fewest, most] = row.args ?? [1, 1];
  const count = call.args.length;
  const spread = call.args.some((item) => item.spread);
  if ((count < fewest || count > most || (spread && most !== Infinity)) && !(spread && most === Infinity))
    return refuse(
      lowering.refuse(
        call.at,
        "function/built-in",
        `\`${name}\` with ${spread ? "a spread" : counted(count, "argument")}`,
        row.instead,
      ),
    );
  return row;
};

/** A table row may evaluate its parts in any order, so no part may read what another part writes. */
const checkEffects = (lowering: Lowering, { row, receiver, args }: Invocation): void => {
  const parts = [...(receiver === undefined ? [] : [receiver]), ...args.map(({ value }) => value)];
  if (inOrder.test(row) && !parts.some(hasEffect)) return;
  const values = parts.filter(({ kind }) => kind !== "lambda");
  for (const [at, part] of values.entries())
    if (values.slice(0, at).some((before) => lowering.mayInterfere(before, part)))
      lowering.refuse(
        part.at,
        "function/effect-in-expression",
        "an argument changes a value that another argument reads",
      );
};

/** Table rows that evaluate the receiver first and then each argument, each once, as JavaScript does. */
const inOrder = /^(?:array|typed|string)\.(?:push|concat|slice|splice|indexOf|substring)$|^Math\./;

const isRefused = (row: Row): row is RefusedRow => "refuse" in row;

/** "array.map" as a user would name it: ".map()". */
const shown = (row: string): string => (/^[a-z]+\./.test(row) ? row.replace(/^[a-z]+/, "") : row);
