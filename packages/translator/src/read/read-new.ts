import { ts } from "ts-morph";
import type { Expression } from "../ir/code.ts";
import type { Scope } from "../ir/variable.ts";
import { readArguments } from "./read-chain.ts";
import type { Reader } from "./reader.ts";

/** `new Map(…)` and the like. The class name selects the table row. */
export const readNew = (reader: Reader, node: ts.NewExpression, scope: Scope): Expression => {
  const args = readArguments(reader, node, scope);
  if (!ts.isIdentifier(node.expression)) {
    const of = reader.expression(node.expression, scope);
    if (of.kind === "refused") return of;
  }
  if (!ts.isIdentifier(node.expression))
    return reader.refuse(node, "function/syntax", `\`new ${node.expression.getText()}\``);
  const made = reader.name(node.expression);
  if (made.kind === "refused") return made;
  if (made.kind !== "builtin")
    return reader.refuse(
      node,
      "function/syntax",
      `\`new ${node.expression.text}\`: a class of your own`,
      "a record and functions",
    );
  return {
    kind: "invocation",
    row: `new ${made.name}`,
    receiver: undefined,
    args,
    type: reader.typeOf(node),
    at: reader.at(node),
  };
};
