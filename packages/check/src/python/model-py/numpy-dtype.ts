import { ownValue } from "@tritype/core";
import { methodCall } from "../patterns.ts";
import type { DataType } from "@tritype/triton";
import { argumentOf, type Call } from "../backend-utils.ts";
import type { Expression } from "../syntax.ts";
import type { Values } from "../values.ts";
import { dottedName } from "../walk.ts";

/** Triton's type for the array that an expression certainly produces; undefined if it depends on anything else. */
export const numpyType = (expression: Expression, { resolve }: Values): DataType | undefined => {
  const value = resolve(expression);
  if (value.kind !== "call" || value.callee.kind !== "attribute") return undefined;
  const { callee, args } = value;
  const typed = dtypeArgument(value);
  if (typed !== undefined) return typeOf(resolve(typed));
  if (isMadeAsDouble(value)) return "TYPE_FP64";
  if (callee.name === "numpy" && args.length === 0)
    return isGenerated(callee.object, resolve) ? "TYPE_INT64" : undefined;
  if (keepsType.has(callee.name) && !isNumpy(callee.object))
    return numpyType(callee.object, { resolve } as Values);
  const [first] = args;
  if (!isNumpy(callee.object) || first?.star !== "" || first.name !== undefined) return undefined;
  if (keepsTypeOf.has(callee.name)) return numpyType(first.value, { resolve } as Values);
  if (!makesFloats.has(callee.name) || args.length > 1) return undefined;
  const from = numpyType(first.value, { resolve } as Values);
  if (wideIntegers.has(from)) return "TYPE_FP64";
  return from?.startsWith("TYPE_FP") === true ? from : undefined;
};

/** Whether an expression is certainly an array of Unicode text, whose dtype (`<U8`) Triton does not support. */
export const isUnicodeArray = (expression: Expression, { resolve }: Values): boolean => {
  const value = resolve(expression);
  if (value.kind !== "call" || value.callee.kind !== "attribute") return false;
  const { callee, args } = value;
  const typed = dtypeArgument(value);
  if (typed !== undefined) return isUnicode(resolve(typed));
  const place = isNumpy(callee.object) ? makers.get(callee.name) : undefined;
  const made = place === undefined ? undefined : args[place - 1];
  return made?.star === "" && made.name === undefined && isText(resolve(made.value), resolve);
};

const isUnicode = (dtype: Expression): boolean =>
  dtype.kind === "text"
    ? /^(?:[<>=]?U\d*|str)$/.test(dtype.value ?? "")
    : /^(?:str|(?:np|numpy)\.(?:str_|unicode_))$/.test(dottedName(dtype) ?? "");

/** A string, or a list of strings. */
const isText = (value: Expression, resolve: (expression: Expression) => Expression): boolean =>
  value.kind === "text"
    ? value.value !== undefined
    : value.kind === "sequence" &&
      value.items.length > 0 &&
      value.items.every((item) => isText(resolve(item), resolve));

const isNumpy = (expression: Expression): boolean => {
  const name = dottedName(expression);
  return name === "np" || name === "numpy";
};

const keepsType = new Set([
  "reshape",
  "copy",
  "squeeze",
  "ravel",
  "flatten",
  "transpose",
  "swapaxes",
  "max",
  "min",
]);
const keepsTypeOf = new Set([
  "expand_dims",
  "squeeze",
  "reshape",
  "ascontiguousarray",
  "ravel",
  "transpose",
  "max",
  "min",
]);
/** Functions that keep a float type, and turn wide integers into float64. */
const makesFloats = new Set(["exp", "log", "sqrt", "tanh", "sin", "cos"]);
const wideIntegers: ReadonlySet<DataType | undefined> = new Set<DataType>([
  "TYPE_INT32",
  "TYPE_INT64",
  "TYPE_UINT32",
  "TYPE_UINT64",
]);
const makers: ReadonlyMap<string, number> = new Map([
  ["array", 1],
  ["asarray", 1],
  ["zeros", 1],
  ["ones", 1],
  ["empty", 1],
  ["full", 2],
  ["ascontiguousarray", 1],
]);

const dtypeArgument = ({ callee, args }: Call): Expression | undefined => {
  if (callee.kind !== "attribute") return undefined;
  if (callee.name === "astype") return argumentOf(args, 0, "dtype");
  const place = isNumpy(callee.object) ? makers.get(callee.name) : undefined;
  return place === undefined ? undefined : argumentOf(args, place, "dtype");
};

/** `np.zeros(shape)` and other functions that create float64 by default. */
const isMadeAsDouble = ({ callee, args }: Call): boolean => {
  const [first] = args;
  if (/^(?:np|numpy)\.(?:as)?array$/.test(dottedName(callee) ?? ""))
    return args.length === 1 && first?.star === "" && hasFraction(first.value);
  if (!doubles.has(dottedName(callee)?.replace(/^numpy\./, "np.") ?? "")) return false;
  return callee.kind === "attribute" && callee.name.startsWith("rand")
    ? args.every(({ name, star }) => name === undefined && star !== "**")
    : args.length === 1 && args.every(({ name, star }) => star === "" && (name ?? "shape") === "shape");
};

/** Literal numbers, at least one of them with a fraction. */
const hasFraction = (value: Expression): boolean => {
  if (value.kind !== "sequence") return false;
  const numbers = numbersIn(value);
  return numbers.every((number) => number !== undefined) && numbers.some((number) => number % 1 !== 0);
};

const numbersIn = (value: Expression): readonly (number | undefined)[] =>
  value.kind === "sequence"
    ? value.items.flatMap(numbersIn)
    : [value.kind === "number" ? value.value : undefined];

const doubles = new Set(["np.zeros", "np.ones", "np.empty", "np.random.rand", "np.random.randn"]);

const types: Readonly<Record<string, DataType>> = {
  bool: "TYPE_BOOL",
  bool_: "TYPE_BOOL",
  uint8: "TYPE_UINT8",
  uint16: "TYPE_UINT16",
  uint32: "TYPE_UINT32",
  uint64: "TYPE_UINT64",
  int8: "TYPE_INT8",
  int16: "TYPE_INT16",
  int32: "TYPE_INT32",
  int64: "TYPE_INT64",
  float16: "TYPE_FP16",
  half: "TYPE_FP16",
  float32: "TYPE_FP32",
  single: "TYPE_FP32",
  float64: "TYPE_FP64",
  double: "TYPE_FP64",
  object: "TYPE_STRING",
  object_: "TYPE_STRING",
  bytes_: "TYPE_STRING",
};

const typeOf = (dtype: Expression): DataType | undefined => {
  const name = dtype.kind === "text" ? dtype.value : dottedName(dtype);
  if (name === undefined) return undefined;
  const [, plain = ""] = /^(?:np\.|numpy\.)?(\w+)$/.exec(name) ?? [];
  return ownValue(types, plain);
};

const passes = new Set(["cpu", "detach", "clone", "contiguous"]);

/** Token ids from `model.generate(…)` in Hugging Face models, which are int64. */
const isGenerated = (expression: Expression, resolve: (expression: Expression) => Expression): boolean => {
  const call = methodCall(resolve(expression));
  if (call !== undefined && passes.has(call.name)) return isGenerated(call.object, resolve);
  return (
    call?.name === "generate" && call.args.every(({ name }) => !/^return_dict|^output_/.test(name ?? ""))
  );
};
