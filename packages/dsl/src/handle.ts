import type { Dims, DType, Json, TensorType } from "@tritype/core";
import { operators } from "@tritype/operators";
import { type CallSite, callSite } from "./call-site.ts";
import type { Tensor } from "./tensor.ts";
import { addNode, type NodeRef, type NotATensor } from "./trace.ts";
import { dslError } from "./errors.ts";

/** A tensor while `run` is recorded. */
export const handle = <D extends DType, S extends Dims>(dtype: D, dims: S, node: NodeRef): Tensor<D, S> =>
  Object.assign(Object.create(methods) as object, { dtype, dims, "~node": node }) as unknown as Tensor<D, S>;

export const isHandle = (value: unknown): value is Tensor =>
  typeof value === "object" && value !== null && "~node" in value;

/** The node behind a wire, or the value that was passed instead. */
export const wireOf = (value: unknown): NodeRef | NotATensor =>
  isHandle(value) ? value["~node"] : { notATensor: describe(value) };

const describe = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "an array"
      : typeof value === "object"
        ? "an object"
        : value === undefined
          ? "nothing"
          : `a ${typeof value}`;

type Attributes = Readonly<Record<string, Json>>;

/** Records one operator; numbers among the operands become constants of the first tensor's dtype. */
export const recordOperator = (
  operator: string,
  operands: readonly unknown[],
  attributes: Attributes,
  site: CallSite,
): Readonly<Record<string, Tensor>> => {
  for (const [name, value] of Object.entries(attributes)) refuseTensors(operator, name, value);
  const tensor = operands.find(isHandle);
  const resolved = operands.map((operand) =>
    typeof operand === "number" || typeof operand === "bigint"
      ? recordConstant(tensor?.dtype ?? "FP32", [], [operand], site)
      : operand,
  );
  const inputs = Object.fromEntries(resolved.map((operand, index) => [index, wireOf(operand)]));
  const outputs = resultTypes(operator, resolved, attributes);
  const portOf = addNode({ kind: "operator", operator, attributes, inputs, outputs, site });
  return Object.fromEntries(
    Object.entries(outputs).map(([name, type]) => [name, handle(type.dtype, type.dims, portOf(name))]),
  );
};

/** JavaScript may pass a tensor instead of a plain value; it would not survive JSON. */
const refuseTensors = (operator: string, name: string, value: unknown): void => {
  if (!isHandle(value) && !(Array.isArray(value) && value.some(isHandle))) return;
  throw dslError("operator/not-plain", { name, operator });
};

/** A tensor that a function needs. @throws PipelineError `project/invalid` */
export const needTensor = (owner: string, name: string, value: unknown): void => {
  if (isHandle(value)) return;
  throw dslError("operator/not-a-tensor", { owner, name, got: describe(value) });
};

/** The types of the handles; the compiler infers them again and reports errors. */
const resultTypes = (
  operator: string,
  operands: readonly unknown[],
  attributes: Attributes,
): Readonly<Record<string, TensorType>> => {
  const types = operands.filter(isHandle).map(({ dtype, dims }) => ({ dtype, dims }));
  const inferred =
    types.length === operands.length ? operators.get(operator)?.infer(types, attributes) : undefined;
  if (inferred?.outputs !== undefined) return inferred.outputs;
  const guess = types[0] ?? { dtype: "FP32" as const, dims: [] };
  const names = operators.get(operator)?.outputs?.(attributes) ?? { out: undefined };
  return Object.fromEntries(
    Object.entries(names).map(([name, dtype]) => [name, { ...guess, dtype: dtype ?? guess.dtype }]),
  );
};

export const recordConstant = (
  dtype: DType,
  dims: readonly number[],
  values: readonly (number | bigint | string | boolean)[],
  site: CallSite,
): Tensor => only(recordOperator("constant", [], { dtype, dims, values: values.map(toJson) }, site));

/** The operator's single output. */
export const only = (outputs: Readonly<Record<string, Tensor>>): Tensor => outputs["out"] as Tensor;

/** JSON has no Infinity, NaN or 64-bit integers: they travel as text. */
const toJson = (value: number | bigint | string | boolean): Json =>
  typeof value === "bigint" ||
  (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))
    ? Object.is(value, -0)
      ? "-0"
      : String(value)
    : value;

const dtypeOf = (name: unknown): Json =>
  (name as { readonly dtype?: DType } | undefined)?.dtype ?? String(name);
const keepDimsOf = (options: unknown): boolean =>
  (options as { readonly keepDims?: boolean } | undefined)?.keepDims === true;

interface Application {
  readonly operands: readonly unknown[];
  readonly attributes: Attributes;
  /** Several outputs are a list instead of an object with their names. */
  readonly listed?: boolean;
}
/** How a method's arguments become operands (after the tensor itself) and attributes. */
type Arguments = (args: readonly unknown[]) => Application;
const json = (value: unknown): Json =>
  typeof value === "bigint" || typeof value === "number" ? toJson(value) : (value as Json);

const jsonList = (values: unknown): Json => (Array.isArray(values) ? values.map(json) : json(values));

const binary: Arguments = ([other]) => ({ operands: [other], attributes: {} });
const unary: Arguments = () => ({ operands: [], attributes: {} });
const alongAxis: Arguments = ([axis]) => ({ operands: [], attributes: { axis: json(axis) } });
const reduction: Arguments = ([axis, options]) => ({
  operands: [],
  attributes: { axis: json(axis), keepDims: keepDimsOf(options) },
});
const layerNormArguments: Arguments = ([axis, options]) => {
  const { scale, bias, epsilon = 1e-5 } = (options ?? {}) as Readonly<Record<string, unknown>>;
  return {
    operands: [scale, bias].filter((weight) => weight !== undefined),
    attributes: {
      axis: json(axis),
      epsilon: json(epsilon),
      scale: scale !== undefined,
      bias: bias !== undefined,
    },
  };
};
const padArguments: Arguments = ([axis, before, after, options]) => {
  const { mode = "constant", value } = (options ?? {}) as Readonly<Record<string, unknown>>;
  return {
    operands: [],
    attributes: {
      axis: json(axis),
      before: json(before),
      after: json(after),
      mode: json(mode),
      ...(value === undefined ? {} : { value: json(value) }),
    },
  };
};
const labelEncodeArguments: Arguments = ([to, table]) => {
  const { keys, values, otherwise } = (table ?? {}) as Readonly<Record<string, unknown>>;
  return {
    operands: [],
    attributes: {
      to: dtypeOf(to),
      keys: jsonList(keys),
      values: jsonList(values),
      otherwise: json(otherwise),
    },
  };
};
const toDims: Arguments = (dims) => ({ operands: [], attributes: { dims: dims.map(json) } });

const family = (names: readonly string[], form: Arguments): readonly (readonly [string, Arguments])[] =>
  names.map((name) => [name, form]);

/** Every method of a tensor with how it reads its arguments. */
const methodTable: ReadonlyMap<string, Arguments> = new Map<string, Arguments>([
  ...family(
    [
      "add",
      "sub",
      "mul",
      "div",
      "mod",
      "pow",
      "minimum",
      "maximum",
      "eq",
      "ne",
      "gt",
      "ge",
      "lt",
      "le",
      "and",
      "or",
      "xor",
      "matmul",
    ],
    binary,
  ),
  ...family(["not", "neg", "abs", "sign", "round", "floor", "ceil", "sqrt", "exp", "log", "erf"], unary),
  ...family(["tanh", "sigmoid", "relu"], unary),
  ...family(["softmax", "unsqueeze", "squeeze"], alongAxis),
  ...family(["sum", "mean", "prod", "max", "min", "logSumExp", "argmax", "argmin"], reduction),
  ...family(["reshape", "expand", "ensureDims"], toDims),
  ["clip", ([min, max]) => ({ operands: [], attributes: { min: json(min), max: json(max) } })],
  [
    "gelu",
    ([options]) => {
      const { approximation = "none" } = (options ?? {}) as Readonly<Record<string, unknown>>;
      return { operands: [], attributes: { approximation: json(approximation) } };
    },
  ],
  ["layerNorm", layerNormArguments],
  ["pad", padArguments],
  ["labelEncode", labelEncodeArguments],
  [
    "oneHot",
    ([depth, axis, to]) => ({
      operands: [],
      attributes: { depth: json(depth), axis: json(axis), to: dtypeOf(to) },
    }),
  ],
  [
    "split",
    ([axis, parts]) => ({
      operands: [],
      attributes: { axis: json(axis), parts: Array.isArray(parts) ? jsonList(parts) : json(parts) },
      listed: true,
    }),
  ],
  ["tile", ([axis, times]) => ({ operands: [], attributes: { axis: json(axis), times: json(times) } })],
  ["cast", ([to]) => ({ operands: [], attributes: { to: dtypeOf(to) } })],
  ["topK", ([k, axis]) => ({ operands: [], attributes: { k: json(k), axis: json(axis) } })],
  ["transpose", (axes) => ({ operands: [], attributes: { axes: axes.map(json) } })],
  [
    "slice",
    ([axis, start, end]) => ({
      operands: [],
      attributes: { axis: json(axis), start: json(start), ...(end === undefined ? {} : { end: json(end) }) },
    }),
  ],
  [
    "gather",
    ([axis, indices]) =>
      isHandle(indices)
        ? { operands: [indices], attributes: { axis: json(axis) } }
        : { operands: [], attributes: { axis: json(axis), index: json(indices) } },
  ],
]);

const refuseCoercion = (): never => {
  throw dslError("trace/no-value", {});
};

const methods: object = Object.assign(
  { [Symbol.toPrimitive]: refuseCoercion },
  Object.fromEntries(
    [...methodTable].map(([name, form]) => {
      const method = function (this: Tensor, ...args: readonly unknown[]): unknown {
        const { operands, attributes, listed } = form(args);
        const outputs = recordOperator(name, [this, ...operands], attributes, callSite(method));
        if (listed === true) return Object.values(outputs);
        return "out" in outputs ? only(outputs) : outputs;
      };
      return [name, method];
    }),
  ),
);
