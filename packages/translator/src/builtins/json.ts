import { kindOf } from "../ir/value-type.ts";
import { pyCall, pyText } from "../python/build.ts";
import { argument } from "./arguments.ts";
import type { Rows } from "./row.ts";

/** JSON. */
export const json: Rows = {
  "JSON.stringify": {
    args: [1, 3],
    lower(call, lowering) {
      const value = argument(call, 0);
      const [, replacer, space] = call.args.map((item) => item.value);
      const problem = value.type.undefined
        ? "`JSON.stringify` of what may be undefined"
        : value.type.kinds.find((kind) => kind === "unknown" || kind === "bigint" || kind === "function");
      if (problem !== undefined)
        return lowering.refuse(
          call.at,
          problem === "unknown" ? "function/any" : "function/mixed-kinds",
          `\`JSON.stringify\` of \`${value.type.text}\``,
          "a value with a type, without bigints, functions and undefined",
        );
      if (
        replacer !== undefined &&
        !(replacer.kind === "constant" && (replacer.value === "null" || replacer.value === "undefined"))
      )
        return lowering.refuse(
          replacer.at,
          "function/built-in",
          "a replacer of `JSON.stringify`",
          "a record with the properties that are wanted",
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
      return pyCall(
        "stringify",
        lowering.expression(value),
        ...(indent === undefined || indent === "" ? [] : [pyText(indent)]),
      );
    },
  },
  "JSON.parse": {
    args: [1, 1],
    engineText: true,
    lower(call, lowering) {
      const text = argument(call, 0);
      if (kindOf(text.type) !== "string")
        return lowering.refuse(
          text.at,
          "function/mixed-kinds",
          `\`JSON.parse\` of \`${text.type.text}\``,
          "a text",
        );
      return pyCall("parse", lowering.expression(text));
    },
  },
};
