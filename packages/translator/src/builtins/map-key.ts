import type { Expression } from "../ir/code.ts";
import { isPrimitive, kindOf, mixesNumbers, type ValueType } from "../ir/value-type.ts";
import type { Lowering } from "../lower/lowering.ts";
import { pyCall } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { isInt } from "../ranges/num.ts";

/** A key of a Map or Set. Floats have one NaN and no -0; objects are refused because Python compares them by value. */
export const mapKey = (lowering: Lowering, key: Expression, of?: ValueType): PyExpression => {
  const { kinds, text } = key.type;
  const declared = of?.key ?? (of?.kinds.includes("set") === true ? of.element : undefined);
  if (!isPrimitive(key.type))
    return lowering.refuseAny(
      key,
      "{type} as a key of a Map or a Set",
      kinds.includes("unknown")
        ? "`K extends string` or `K extends number` for a type parameter, or a string that identifies the key"
        : "a string or a number that identifies it",
    );
  if (mixesNumbers([key.type, declared]))
    return lowering.refuse(
      key.at,
      "function/mixed-kinds",
      `numbers together with bigints or booleans as keys: \`${declared?.text ?? text}\``,
      "texts",
    );
  const value = lowering.expression(key);
  return kindOf(key.type) === "number" && isInt(lowering.num(key))
    ? value
    : kinds.includes("number")
      ? pyCall("key", value)
      : value;
};
