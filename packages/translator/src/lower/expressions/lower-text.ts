import type { Expression } from "../../ir/code.ts";
import { isMissing, type Kind, kindOf } from "../../ir/value-type.ts";
import { pyCall, pyText } from "../../python/build.ts";
import type { PyExpression, PyFormatted } from "../../python/syntax.ts";
import { isInt } from "../../ranges/num.ts";
import type { Lowering } from "../lowering.ts";

/** String(expression), as a str. */
export const lowerText = (lowering: Lowering, expression: Expression): PyExpression => {
  const { value, plain } = textOf(lowering, expression);
  return plain ? value : pyCall("str", value);
};

/** A template literal. */
export const lowerFormat = (lowering: Lowering, parts: readonly (string | Expression)[]): PyExpression => {
  if (parts.every((part) => typeof part === "string")) return pyText(parts.join(""));
  const lowered = parts.map((part) => (typeof part === "string" ? part : textOf(lowering, part)));
  const [only] = lowered;
  if (lowered.length === 1 && typeof only === "object" && only.plain) return only.value;
  return { kind: "format", parts: lowered };
};

/** A part of an f-string. Ints print the same in both languages; other values are converted as in JavaScript. */
const textOf = (lowering: Lowering, expression: Expression): PyFormatted => {
  const { type, at } = expression;
  const kind = kindOf(type);
  const plain = (value: PyExpression): PyFormatted => ({ value, plain: true });
  if (!isMissing(type)) {
    if (kind === "string") return plain(lowering.expression(expression));
    if (kind === "bigint") return { value: lowering.expression(expression), plain: false };
    if (kind === "number") {
      const value = lowering.expression(expression);
      return isInt(lowering.num(expression)) ? { value, plain: false } : plain(pyCall("number", value));
    }
  }
  const bad = badIn(expression.type);
  if (bad !== undefined)
    return plain(
      lowering.refuse(
        at,
        bad === "unknown" ? "function/any" : "function/mixed-kinds",
        `the text of \`${type.text}\``,
        bad === "error"
          ? "`.message`"
          : bad === "match"
            ? "`m[0]`"
            : bad === "unknown"
              ? undefined
              : "`JSON.stringify(x)`, or a string of your own",
        { of: type },
      ),
    );
  return plain(pyCall("string", lowering.expression(expression)));
};

/** A kind in the type that has no useful text form; undefined if there is no such kind. */
const badIn = (type: Expression["type"], seen: readonly Expression["type"][] = []): Kind | undefined => {
  if (seen.includes(type)) return undefined;
  const found = type.kinds.find((kind) => !textual.has(kind));
  return (
    found ??
    (type.kinds.includes("array") && type.element !== undefined
      ? badIn(type.element, [...seen, type])
      : undefined)
  );
};

const textual: ReadonlySet<Kind> = new Set(["string", "number", "bigint", "boolean", "array", "typed"]);
