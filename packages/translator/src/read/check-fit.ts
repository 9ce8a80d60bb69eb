import { ts } from "ts-morph";
import type { Expression } from "../ir/code.ts";
import { type Kind, kindOf } from "../ir/value-type.ts";
import { matchAsList, wantsList } from "./match-as-list.ts";
import type { Reader } from "./reader.ts";

/**
 * Refuses a value that is passed as a record because it has the same properties, such as an array as `{ length: number
 * }`, because Python would look them up in a dict. Also refuses strings and maps that are passed as an `Iterable`,
 * because iterating over them differs in Python.
 */
export const checkFit = (
  reader: Reader,
  node: ts.Expression,
  value: Expression,
  isLibrary: (symbol: ts.Symbol) => boolean,
): Expression => {
  const kind = kindOf(value.type);
  if (!others.has(kind) || value.kind === "refused") return value;
  if (kind === "match" && wantsList(reader, node)) return matchAsList(value);
  const contextual = reader.checker.getContextualType(node);
  const wanted = contextual && reader.checker.getNonNullableType(contextual);
  const symbol = wanted?.getSymbol();
  if (wanted === undefined || symbol === undefined || wanted.isUnion()) return value;
  const isRecord =
    !isLibrary(symbol) &&
    wanted.getCallSignatures().length === 0 &&
    (reader.checker.getPropertiesOfType(wanted).length > 0 || wanted.getNumberIndexType() !== undefined);
  const isIterable =
    (kind === "string" || kind === "map") &&
    symbol.getName() === "Iterable" &&
    isLibrary(symbol) &&
    !isLibraryCall(reader, node.parent, isLibrary);
  if (isRecord || isIterable)
    reader.refuse(
      node,
      "function/mixed-kinds",
      `\`${value.type.text}\` where \`${reader.checker.typeToString(wanted)}\` is expected`,
      `a parameter or variable of type \`${value.type.text}\``,
    );
  return value;
};

const others: ReadonlySet<Kind | "mixed" | "nothing"> = new Set([
  "array",
  "typed",
  "string",
  "map",
  "set",
  "error",
  "match",
]);

const isLibraryCall = (reader: Reader, call: ts.Node, isLibrary: (symbol: ts.Symbol) => boolean): boolean => {
  if (!ts.isCallExpression(call) && !ts.isNewExpression(call)) return false;
  const callee = ts.isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression;
  const symbol = reader.checker.getSymbolAtLocation(callee);
  return symbol !== undefined && isLibrary(symbol);
};
