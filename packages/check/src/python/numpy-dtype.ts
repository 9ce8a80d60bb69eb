import type { DataType } from "@tritype/triton";
import { argumentOf, type Call } from "./backend-utils.ts";
import type { Expression } from "./syntax.ts";
import type { Values } from "./values.ts";
import { dottedName } from "./walk.ts";

/** Triton's type of the array that an expression certainly is; undefined where it depends on anything else. */
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
  return isNumpy(callee.object) &&
    keepsTypeOf.has(callee.name) &&
    first?.star === "" &&
    first.name === undefined
    ? numpyType(first.value, { resolve } as Values)
    : undefined;
};

const isNumpy = (expression: Expression): boolean => {
  const name = dottedName(expression);
  return name === "np" || name === "numpy";
};

const keepsType = new Set(["reshape", "copy", "squeeze", "ravel", "flatten", "transpose", "swapaxes"]);
const keepsTypeOf = new Set(["expand_dims", "squeeze", "reshape", "ascontiguousarray", "ravel", "transpose"]);
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

/** `np.zeros(shape)` and others that make float64 when nothing else is said. */
const isMadeAsDouble = ({ callee, args }: Call): boolean => {
  if (!doubles.has(dottedName(callee)?.replace(/^numpy\./, "np.") ?? "")) return false;
  return callee.kind === "attribute" && callee.name.startsWith("rand")
    ? args.every(({ name, star }) => name === undefined && star !== "**")
    : args.length === 1 && args.every(({ name, star }) => star === "" && (name ?? "shape") === "shape");
};

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
  return Object.hasOwn(types, plain) ? types[plain] : undefined;
};

const passes = new Set(["cpu", "detach", "clone", "contiguous"]);

/** Token ids of `model.generate(…)` of Hugging Face models, which are int64. */
const isGenerated = (expression: Expression, resolve: (expression: Expression) => Expression): boolean => {
  const value = resolve(expression);
  if (value.kind !== "call" || value.callee.kind !== "attribute") return false;
  if (passes.has(value.callee.name)) return isGenerated(value.callee.object, resolve);
  return (
    value.callee.name === "generate" &&
    value.args.every(({ name }) => !/^return_dict|^output_/.test(name ?? ""))
  );
};
