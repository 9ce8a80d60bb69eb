import type { Expression } from "../../ir/code.ts";
import type { Kind } from "../../ir/value-type.ts";
import { pyBinary, pyCall, pyName, pyNot, pyText, pyTuple } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import type { Lowering } from "../lowering.ts";

/** `typeof x === "…"`. */
export const lowerTypeof = (
  lowering: Lowering,
  { value, is, not, at }: Expression & { readonly kind: "typeof" },
): PyExpression => {
  const { kinds } = value.type;
  const made = lowering.expression(value);
  const isA = (...types: readonly string[]): PyExpression =>
    pyCall("isinstance", made, types.length === 1 ? pyName(types[0] ?? "") : pyTuple(types.map(pyName)));
  const test = ((): PyExpression | undefined => {
    switch (is) {
      case "string":
        return isA("str");
      case "boolean":
        return isA("bool");
      case "undefined":
        return pyBinary("is", made, pyName("undefined"));
      case "number":
        if (kinds.includes("bigint") || kinds.includes("unknown")) return undefined;
        return kinds.includes("boolean")
          ? pyBinary("and", isA("int", "float"), pyNot(isA("bool")))
          : isA("int", "float");
      case "bigint":
        if (kinds.includes("number") || kinds.includes("unknown")) return undefined;
        return kinds.includes("boolean") ? pyBinary("and", isA("int"), pyNot(isA("bool"))) : isA("int");
      case "object":
        return kinds.some((kind) => unclear.has(kind))
          ? undefined
          : pyBinary("or", isA("list", "tuple", "dict"), pyBinary("is", made, pyName("None")));
      default:
        return undefined;
    }
  })();
  if (test === undefined)
    return lowering.refuse(
      at,
      "function/any",
      `\`typeof\` of \`${value.type.text}\` compared with "${is}"`,
      "a more specific type, or another test",
      { of: value.type },
    );
  return not ? pyNot(test) : test;
};

/** `typeof x` as a string. */
export const lowerTypeName = (lowering: Lowering, value: Expression): PyExpression => {
  const { kinds } = value.type;
  if (
    kinds.some((kind) => unclear.has(kind) && kind !== "function") ||
    (kinds.includes("number") && kinds.includes("bigint"))
  )
    return lowering.refuse(
      value.at,
      "function/any",
      `\`typeof\` of \`${value.type.text}\` as a value`,
      "a more specific type, or another test",
      { of: value.type },
    );
  return kinds.includes("bigint")
    ? pyCall("type_name", lowering.expression(value), pyText("bigint"))
    : pyCall("type_name", lowering.expression(value));
};

const unclear: ReadonlySet<Kind> = new Set(["unknown", "function", "error", "match", "regexp"]);
