import {
  type DType,
  dtypes,
  isDType,
  type Json,
  type Scalar,
  showType,
  type TensorType,
  tensorOf,
} from "@tritype/core";
import { dtypeArgument, named, optionsOf } from "./arguments.ts";
import { castNode } from "./carrier.ts";
import { lacks, refuseBf16 } from "./dtype-rules.ts";
import { readElement } from "./element.ts";
import { type Failed, failed, operandAt, single } from "./inferred.ts";
import { notADType } from "./not-a-dtype.ts";
import type { Attributes, OnnxAttribute, OnnxBuilder, Operator } from "./operator.ts";

/**
 * Attributes: `keys` and `values`, which have equal length, `otherwise`, the value for anything that is not a key, and
 * `to`, the dtype of the values. All are read by `readElement`. The tensor contains text or integers.
 */
export const labelEncode: Operator = {
  name: "labelEncode",
  readArguments([to, table]) {
    const { keys, values, otherwise } = optionsOf(table);
    return named("to", "keys", "values", "otherwise")([dtypeArgument(to), keys, values, otherwise]);
  },
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    const table = readTable(x, attributes);
    return "problem" in table ? table : single(table.to, x.dims);
  },
  lower(builder, operands, attributes) {
    const { name, type } = operandAt(operands, 0);
    const table = readTable(type, attributes);
    if ("problem" in table) return {};
    const text = type.dtype === "BYTES";
    const x = text || type.dtype === "INT64" ? name : castNode(builder, name, "INT64");
    const keys = listOf(text ? "BYTES" : "INT64", table.keys);
    return { out: encode(builder, x, { [text ? "keys_strings" : "keys_int64s"]: keys }, table) };
  },
};

interface Table {
  readonly to: DType;
  readonly keys: readonly Scalar[];
  readonly values: readonly Scalar[];
  readonly otherwise: Scalar;
}

type OnnxAttributes = Readonly<Record<string, OnnxAttribute>>;

/** LabelEncoder can only produce text, INT64 and FP32; other values are gathered by the position of their key. */
const encode = (
  builder: OnnxBuilder,
  x: string,
  keys: OnnxAttributes,
  { to, values, otherwise }: Table,
): string => {
  const names = outcomeNames[to];
  if (names !== undefined) {
    const outcomes = { [names.values]: listOf(to, values), [names.otherwise]: oneOf(to, otherwise) };
    return builder.node("ai.onnx.ml.LabelEncoder", [x], { ...keys, ...outcomes })[0];
  }
  const positions: OnnxAttributes = {
    values_int64s: { ints: [...values.keys()] },
    default_int64: { int: values.length },
  };
  const [at] = builder.node("ai.onnx.ml.LabelEncoder", [x], { ...keys, ...positions });
  const all = builder.constant(tensorOf(to, [values.length + 1], [...values, otherwise]));
  return builder.node("Gather", [all, at], { axis: { int: 0 } })[0];
};

const outcomeNames: Partial<
  Readonly<Record<DType, { readonly values: string; readonly otherwise: string }>>
> = {
  BYTES: { values: "values_strings", otherwise: "default_string" },
  INT64: { values: "values_int64s", otherwise: "default_int64" },
  FP32: { values: "values_floats", otherwise: "default_float" },
};
const listOf = (dtype: DType, elements: readonly Scalar[]): OnnxAttribute =>
  dtype === "BYTES"
    ? { texts: elements.map(String) }
    : dtype === "FP32"
      ? { floats: elements.map(Number) }
      : { ints: elements.map((element) => BigInt(element)) };
const oneOf = (dtype: DType, element: Scalar): OnnxAttribute =>
  dtype === "BYTES"
    ? { text: String(element) }
    : dtype === "FP32"
      ? { float: Number(element) }
      : { int: BigInt(element) };

const readTable = (x: TensorType, { to, keys, values, otherwise }: Attributes): Table | Failed => {
  const { family } = dtypes[x.dtype];
  if (family !== "bytes" && family !== "int")
    return failed("dtype/not-supported", `${showType(x)} cannot contain keys: keys are text or integers`, {
      operand: 0,
      help: "cast it first, as in .cast(int64)",
    });
  if (x.dtype === "UINT64") return lacks(x, "labelEncode", 0);
  if (typeof to !== "string" || !isDType(to)) return notADType(to);
  const shown = showType({ dtype: to, dims: x.dims });
  const refused = refuseBf16(to, shown);
  if (refused !== undefined) return refused;
  const [readKeys, readValues] = [
    readAll(x.dtype, keys, showType(x), "key"),
    readAll(to, values, shown, "value"),
  ];
  if ("problem" in readKeys) return readKeys;
  if ("problem" in readValues) return readValues;
  if (readKeys.length !== readValues.length)
    return failed("shape/bad-constant", `${readKeys.length} keys have ${readValues.length} values`);
  const seen = new Set<Scalar>();
  const twice = readKeys.find((key) => seen.size === seen.add(key).size);
  if (twice !== undefined) return failed("shape/bad-constant", `the key ${String(twice)} occurs twice`);
  const rest = readElement(to, otherwise, shown);
  return rest.problem === undefined
    ? { to, keys: readKeys, values: readValues, otherwise: rest.value }
    : rest;
};

const readAll = (
  dtype: DType,
  elements: Json | undefined,
  shown: string,
  role: string,
): readonly Scalar[] | Failed => {
  if (!Array.isArray(elements) || elements.length === 0)
    return failed(
      "shape/bad-constant",
      `labelEncode takes a list of one or more ${role}s, got ${JSON.stringify(elements)}`,
    );
  const read: Scalar[] = [];
  for (const element of elements as readonly Json[]) {
    const one = readElement(dtype, element, shown);
    if (one.problem !== undefined) return one;
    read.push(one.value);
  }
  return read;
};
