import type { ValueType } from "../ir/value-type.ts";
import type { Expression } from "../ir/code.ts";
import type { Lowering } from "../lower/lowering.ts";
import { pyBinary, pyCall, pyInt } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { isInt } from "../ranges/num.ts";

/** A value as stored in a typed array. `value`: the value in Python; `of`: the same value in the user's code. */
export const typedElement = (
  lowering: Lowering,
  type: ValueType,
  of: Expression | undefined,
  value: PyExpression,
): PyExpression => {
  const num = of === undefined ? undefined : lowering.num(of);
  switch (type.array) {
    case "Float32Array":
      return pyCall("fround", value);
    case "Float64Array":
      return num?.kind === "float" ? value : pyCall("float", value);
    case "Int32Array":
      return num !== undefined && isInt(num) && num.low >= -(2 ** 31) && num.high < 2 ** 31
        ? value
        : pyCall("to_int32", value);
    case "Uint32Array":
      return pyCall("to_uint32", value);
    case "Uint8Array":
      return pyBinary("&", pyCall("to_int32", value), pyInt(0xff));
    case "Uint16Array":
      return pyBinary("&", pyCall("to_int32", value), pyInt(0xffff));
    case "Int8Array":
      return pyCall("as_int", pyInt(8), pyCall("to_int32", value));
    case "Int16Array":
      return pyCall("as_int", pyInt(16), pyCall("to_int32", value));
    case "Uint8ClampedArray":
      return pyCall("clamp_byte", value);
    case "BigInt64Array":
      return pyCall("as_int", pyInt(64), value);
    case "BigUint64Array":
      return pyCall("as_uint", pyInt(64), value);
    default:
      return value;
  }
};
