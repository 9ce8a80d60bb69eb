import type { ValueType } from "../ir/value-type.ts";
import type { Expression } from "../ir/code.ts";
import type { Lowering } from "../lower/lowering.ts";
import { pyBinary, pyCall, pyInt } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { isInt, type Num } from "../ranges/num.ts";

/** A value as stored in a typed array. `value`: the value in Python; `of`: the same value in the user's code. */
export const typedElement = (
  lowering: Lowering,
  { array }: ValueType,
  of: Expression | undefined,
  value: PyExpression,
): PyExpression => {
  const store = array === undefined ? undefined : stores[array];
  return store === undefined ? value : store(value, of && lowering.num(of));
};

const int32 = (value: PyExpression): PyExpression => pyCall("to_int32", value);

/** How each class of typed arrays stores a value. `num`: the range of the value, if it is known. */
const stores: Readonly<
  Record<string, ((value: PyExpression, num: Num | undefined) => PyExpression) | undefined>
> = {
  Float32Array: (value) => pyCall("fround", value),
  Float64Array: (value, num) => (num?.kind === "float" ? value : pyCall("float", value)),
  Int32Array: (value, num) =>
    num !== undefined && isInt(num) && num.low >= -(2 ** 31) && num.high < 2 ** 31 ? value : int32(value),
  Uint32Array: (value) => pyCall("to_uint32", value),
  Uint8Array: (value) => pyBinary("&", int32(value), pyInt(0xff)),
  Uint16Array: (value) => pyBinary("&", int32(value), pyInt(0xffff)),
  Int8Array: (value) => pyCall("as_int", pyInt(8), int32(value)),
  Int16Array: (value) => pyCall("as_int", pyInt(16), int32(value)),
  Uint8ClampedArray: (value) => pyCall("clamp_byte", value),
  BigInt64Array: (value) => pyCall("as_int", pyInt(64), value),
  BigUint64Array: (value) => pyCall("as_uint", pyInt(64), value),
};
