import { type Dims, type DType, dtypes, type TensorType } from "@tritype/core";
import { type Attributes, jsonOf, operators, type ReadArguments } from "@tritype/operators";
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
  const inputs = Object.fromEntries(
    resolved.map((operand, index) => [
      index,
      Array.isArray(operand) ? { ...wireOf(operand), ...arrayHelp(operand, tensor) } : wireOf(operand),
    ]),
  );
  const outputs = resultTypes(operator, resolved, attributes);
  const portOf = addNode({ kind: "operator", operator, attributes, inputs, outputs, site });
  return Object.fromEntries(
    Object.entries(outputs).map(([name, type]) => [name, handle(type.dtype, type.dims, portOf(name))]),
  );
};

/** The call that makes an array a tensor next to another one: the values of a channel get a size of 1 for each later axis. */
const arrayHelp = (values: readonly unknown[], beside: Tensor | undefined): Pick<NotATensor, "constant"> => {
  const sizes = sizesOf(values);
  const dims = beside?.dims ?? [];
  const dtype = beside?.dtype ?? "FP32";
  const axis = sizes.length === 1 && dims.at(-1) !== sizes[0] ? dims.lastIndexOf(sizes[0] ?? 0) : -1;
  const after = axis < 0 ? [] : dims.slice(axis + 1).map(() => 1);
  const isFraction = (value: unknown): boolean => typeof value === "number" && !Number.isInteger(value);
  const misfits = dtypes[dtype].family === "int" && values.flat(Infinity).some(isFraction);
  const call = `constant(${[misfits ? "fp32" : dtype.toLowerCase(), "[…]", ...sizes, ...after].join(", ")})`;
  return { constant: misfits ? `${call}, and cast the other operand with .cast(fp32)` : call };
};

const sizesOf = (values: unknown): readonly number[] =>
  Array.isArray(values) ? [values.length, ...sizesOf(values[0])] : [];

/** JavaScript code may pass a tensor instead of a plain value; a tensor would not survive JSON. */
const refuseTensors = (operator: string, name: string, value: unknown): void => {
  if (!isHandle(value) && !(Array.isArray(value) && value.some(isHandle))) return;
  throw dslError("operator/not-plain", { name, operator });
};

/** Checks a tensor that a function needs. @throws PipelineError `project/invalid` */
export const needTensor = (owner: string, name: string, value: unknown): void => {
  if (isHandle(value)) return;
  throw dslError("operator/not-a-tensor", { owner, name, got: describe(value) });
};

/** The handles' types; the compiler infers them again and reports errors. */
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
): Tensor => only(recordOperator("constant", [], { dtype, dims, values: jsonOf(values) }, site));

/** The operator's single output. */
export const only = (outputs: Readonly<Record<string, Tensor>>): Tensor => outputs["out"] as Tensor;

const methodOf = (name: string, read: ReadArguments): object => {
  const method = function (this: Tensor, ...args: readonly unknown[]): unknown {
    const { operands, attributes, listed } = read(args);
    const outputs = recordOperator(name, [this, ...operands], attributes, callSite(method));
    if (listed === true) return Object.values(outputs);
    return "out" in outputs ? only(outputs) : outputs;
  };
  return method;
};

const refuseCoercion = (): never => {
  throw dslError("trace/no-value", {});
};

/** Properties of arrays: without them, `x.length > 1` would silently be false. */
const values = { get: refuseCoercion };

/** All operators that have a method. */
const methods: object = Object.assign(
  Object.create(Object.prototype, { length: values, shape: values, data: values }),
  { [Symbol.toPrimitive]: refuseCoercion, [Symbol.iterator]: refuseCoercion },
  Object.fromEntries(
    [...operators].flatMap(([name, { readArguments }]) =>
      readArguments === undefined ? [] : [[name, methodOf(name, readArguments)]],
    ),
  ),
);
