import { findInType, isAlways, type Kind, unknownIn, type ValueType } from "../ir/value-type.ts";
import { pyCall, pyText } from "../python/build.ts";
import { argument } from "./arguments.ts";
import { parseJson } from "../json/parse-json.ts";
import type { NamedShapes, Shape } from "../json/shape.ts";
import type { PyExpression } from "../python/syntax.ts";
import { jsonShapeOf } from "./json-shape.ts";
import type { Rows } from "./row.ts";

export const json: Rows = {
  "JSON.stringify": {
    args: [1, 3],
    lower(call, lowering) {
      const value = argument(call, 0);
      const [, replacer, space] = call.args.map((item) => item.value);
      const problem = value.type.undefined
        ? "`JSON.stringify` of a value that may be undefined"
        : (value.type.kinds.find((kind) => kind === "unknown") ?? kindWithout(value.type));
      if (problem !== undefined)
        return lowering.refuse(
          call.at,
          problem === "unknown" ? "function/any" : "function/mixed-kinds",
          `\`JSON.stringify\` of \`${value.type.text}\``,
          "a value with a type, of strings, numbers, booleans, null, arrays and records",
          { of: value.type },
        );
      if (
        replacer !== undefined &&
        !(replacer.kind === "constant" && (replacer.value === "null" || replacer.value === "undefined"))
      )
        return lowering.refuse(
          replacer.at,
          "function/built-in",
          "a replacer of `JSON.stringify`",
          "a record with only the properties that you need",
        );
      const indent =
        space === undefined
          ? undefined
          : space.kind === "number"
            ? " ".repeat(Math.min(space.value, 10))
            : space.kind === "text"
              ? space.value.slice(0, 10)
              : null;
      if (indent === null)
        return lowering.refuse(call.at, "function/built-in", "a computed indentation", "a literal");
      const given = lowering.expression(value);
      return indent === undefined || indent === ""
        ? pyCall(lowering.jsonWriter(value.type), given)
        : pyCall("stringify", given, pyText(indent));
    },
  },
  "JSON.parse": {
    lower(call, lowering) {
      const text = argument(call, 0);
      if (!isAlways(text.type, "string"))
        return lowering.refuseKind(text, "`JSON.parse` of {type}", "a string");
      const made = jsonShapeOf(call.type);
      if (made === undefined)
        return lowering.refuse(
          call.at,
          "function/any",
          `\`JSON.parse\` as \`${call.type.text}\``,
          "`JSON.parse(text) as T`, with a T of strings, numbers, booleans, null, arrays, records and unions of these",
          { refuses: unknownIn(call.type) },
        );
      return parsedAs(lowering.expression(text), made.shape, made.named);
    },
  },
};

/** A kind in a type that JavaScript cannot write as JSON, or writes as a record. */
const kindWithout = (type: ValueType): Kind | undefined =>
  findInType(type, ({ kinds }) =>
    kinds.find((kind) => !/^(?:string|number|boolean|array|record|unknown)$/.test(kind)),
  );

/** Parses a string to a value whose shape is checked. @param place The start of error messages. */
export const parsedAs = (text: PyExpression, shape: Shape, named: NamedShapes, place = ""): PyExpression => {
  const whole = parseJson(shape, named, place).python("X");
  return pyCall("parse_as", text, { kind: "literal", text: whole.slice("parse_as(X, ".length, -1) });
};
