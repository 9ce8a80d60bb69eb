import type { Expression, Invocation } from "../ir/code.ts";
import { kindOf, type ValueType } from "../ir/value-type.ts";
import type { Lowering } from "../lower/lowering.ts";
import { pyBinary, pyCall, pyComprehension, pyInt, pyList, pyRun, pyVariable } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { length } from "../ranges/num.ts";
import { clauseOf, elementOf, ofIndex, rangeOf, withoutArray } from "./array-callbacks.ts";
import { argument, receiverOf, statementOnly } from "./arguments.ts";
import type { Rows, TranslatedRow } from "./row.ts";
import { typedElement } from "./typed-element.ts";

const names =
  "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array".split(
    " ",
  );

/** The results of a callback over `source`, as stored in the new array. */
const mapped = (
  call: Invocation,
  callback: Expression,
  element: ValueType,
  source: PyExpression,
  lowering: Lowering,
): PyExpression => {
  const inlined = lowering.inline(callback, element, "value");
  const { target, iterable } = clauseOf(inlined, source);
  const made = callback.kind === "lambda" ? callback.value : undefined;
  return pyComprehension("list", typedElement(lowering, call.type, made, inlined.value), {
    target,
    iterable,
  });
};

/** The elements of `of`, as stored in a new array of the given class. */
const copied = (
  of: Expression,
  type: ValueType,
  lowering: Lowering,
  source: () => PyExpression,
): PyExpression => {
  const item = pyVariable(lowering.temporary("x", elementOf(of.type)));
  const kept = typedElement(lowering, type, undefined, item);
  return pyComprehension("list", kept, { target: item, iterable: lowering.source(source) });
};

/** `xs.map(f)`: each result as stored in the array. */
const map: TranslatedRow = {
  fresh: true,
  callback: [undefined, length],
  lower(call, lowering) {
    const { receiver, callback } = withoutArray(call, lowering);
    const source = lowering.source(() => lowering.expression(receiver));
    return mapped(call, callback, elementOf(receiver.type), source, lowering);
  },
};

/** `new Float32Array(list)`, `new Float32Array(length)`. */
const make: TranslatedRow = {
  args: [0, 1],
  fresh: true,
  lower(call, lowering) {
    const of = call.args[0]?.value;
    if (of === undefined) return pyList([]);
    const kind = kindOf(of.type);
    if (kind === "number") {
      const num = lowering.num(of);
      const isBig = call.type.array?.startsWith("Big") === true;
      const isFloat = call.type.array?.startsWith("Float") === true;
      const zero: PyExpression = isFloat && !isBig ? { kind: "literal", text: "0.0" } : pyInt(0);
      return num.kind === "int" && num.low >= 0
        ? pyBinary("*", pyList([zero]), lowering.expression(of))
        : pyCall("new_typed", zero, lowering.expression(of));
    }
    if (kind !== "array" && kind !== "typed")
      return lowering.refuse(
        of.at,
        "function/built-in",
        `a typed array of \`${of.type.text}\``,
        "an array or a length",
      );
    return copied(of, call.type, lowering, () => lowering.expression(of));
  },
};

/** `Float32Array.from(list)`, with or without a function. */
const from: TranslatedRow = {
  args: [1, 2],
  fresh: true,
  callback: [undefined, length],
  lower(call, lowering) {
    const [of, callback] = [argument(call, 0), call.args[1]?.value];
    if (kindOf(of.type) === "record") return fromLength(call, of, callback, lowering);
    if (callback !== undefined) lowering.steadyWhile(of, callback);
    if (callback === undefined) return copied(of, call.type, lowering, () => lowering.iterable(of));
    const source = lowering.source(() => lowering.iterable(of));
    return mapped(call, callback, elementOf(of.type), source, lowering);
  },
};

/** `Float32Array.from({ length }, f)`. */
const fromLength = (
  call: Invocation,
  of: Expression,
  callback: Expression | undefined,
  lowering: Lowering,
): PyExpression => {
  const [only, ...more] = of.kind === "record" ? of.entries : [];
  const isLength = only !== undefined && more.length === 0 && "key" in only && only.key === "length";
  if (!isLength || callback?.kind !== "lambda" || callback.parameters[0]?.pattern.kind === "fields")
    return lowering.refuse(
      of.at,
      "function/built-in",
      "`from` of a record that is not `{ length }` with a function",
      "`from({ length: n }, (_, i) => …)`, or a list",
    );
  return mapped(call, ofIndex(callback), elementOf(call.type), rangeOf(only.value, lowering), lowering);
};

/** `Float32Array.of(a, b)`. */
const ofItems: TranslatedRow = {
  args: [0, Infinity],
  fresh: true,
  lower(call, lowering) {
    if (call.args.some(({ spread }) => spread))
      return lowering.refuse(call.at, "function/built-in", "`of` with a spread", "`from(list)`");
    return pyList(
      call.args.map(({ value }) => typedElement(lowering, call.type, value, lowering.expression(value))),
    );
  },
};

/** `new Float32Array(n).fill(x)`, or `fill` on an existing array, as a statement. */
const fill: TranslatedRow = {
  args: [1, 3],
  changes: true,
  lower(call, lowering) {
    const receiver = receiverOf(call);
    const filling = typedElement(lowering, receiver.type, undefined, lowering.expression(argument(call, 0)));
    if (call.args.length > 1)
      return pyCall("fill_typed", lowering.expression(receiver), filling, ...lowering.args(call).slice(1));
    const size =
      receiver.kind === "invocation" && receiver.row.startsWith("new ") ? receiver.args[0]?.value : undefined;
    const count = size && kindOf(size.type) === "number" ? lowering.num(size) : undefined;
    return size !== undefined && count?.kind === "int" && count.low >= 0
      ? pyBinary("*", pyList([filling]), lowering.expression(size))
      : pyCall("fill_typed", lowering.expression(receiver), filling);
  },
  statement(call, lowering) {
    const receiver = receiverOf(call);
    const [, ...bounds] = call.args.map(({ value }) => value);
    const array = lowering.expression(receiver);
    const kept = typedElement(lowering, receiver.type, undefined, lowering.expression(argument(call, 0)));
    return [pyRun(pyCall("fill_typed", array, kept, ...bounds.map((bound) => lowering.expression(bound))))];
  },
};

/** `xs.set(list, offset)` as a statement. */
const set: TranslatedRow = {
  args: [1, 2],
  changes: true,
  lower: statementOnly("set"),
  statement(call, lowering) {
    const receiver = receiverOf(call);
    const [of, offset] = [argument(call, 0), call.args[1]?.value];
    if (kindOf(of.type) !== "typed" && kindOf(of.type) !== "array") {
      lowering.refuseKind(of, "`.set()` of {type}", "an array");
      return [];
    }
    const values =
      of.type.array === receiver.type.array
        ? lowering.expression(of)
        : copied(of, receiver.type, lowering, () => lowering.expression(of));
    const start = offset === undefined ? [] : [lowering.expression(offset)];
    return [pyRun(pyCall("set_typed", lowering.expression(receiver), values, ...start))];
  },
};

/** Typed arrays: lists whose elements are rounded when they are written. */
export const typedArrays: Rows = {
  "typed.map": map,
  "typed.fill": fill,
  "typed.set": set,
  ...Object.fromEntries(
    names.flatMap((name) => [
      [`new ${name}`, make],
      [`${name}.from`, from],
      [`${name}.of`, ofItems],
    ]),
  ),
};
