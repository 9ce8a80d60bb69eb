import {
  type DType,
  type Scalar,
  type TensorData,
  type TensorType,
  tensorOf,
  typedArrayOf,
  valuesOf,
} from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { type Attributes, type OnnxBuilder, type OnnxValue, operators } from "@tritype/operators";

// onnxruntime-node accepts Uint16Array for float16, but only if this class is missing (Node 24 has it).
Reflect.deleteProperty(globalThis, "Float16Array");
const ort = (await import(
  process.env["TRITYPE_TEST_ONNXRUNTIME"] ?? "onnxruntime-node"
)) as typeof import("onnxruntime-node");
ort.env.logLevel = "fatal";

const ortNames = {
  BOOL: "bool",
  UINT8: "uint8",
  UINT16: "uint16",
  UINT32: "uint32",
  UINT64: "uint64",
  INT8: "int8",
  INT16: "int16",
  INT32: "int32",
  INT64: "int64",
  FP16: "float16",
  FP32: "float32",
  FP64: "float64",
  BYTES: "string",
} as const;
type RunnableDType = keyof typeof ortNames;
const dtypeOfOrtName = new Map(
  Object.entries(ortNames).map(([dtype, name]) => [name as string, dtype as DType]),
);

/** The operands of an operator: the types known at compile time. */
export interface OperatorCall {
  readonly operator: string;
  readonly operands: readonly TensorType[];
  readonly attributes: Attributes;
}

/**
 * Runs a model of this single operator. The outputs are those that ONNX Runtime returns, with its own shapes and
 * dtypes.
 */
export const runOperator = async (
  call: OperatorCall,
  feeds: readonly TensorData[],
  opset?: number,
): Promise<Readonly<Record<string, TensorData>>> => {
  return runModel(operatorModel(call, opset), feeds);
};

const runModel = async (
  model: Uint8Array,
  feeds: readonly TensorData[],
): Promise<Readonly<Record<string, TensorData>>> => {
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 4, intraOpNumThreads: 1 });
  try {
    const results = await session.run(Object.fromEntries(feeds.map((tensor, i) => [`x${i}`, toOrt(tensor)])));
    return Object.fromEntries(Object.entries(results).map(([name, tensor]) => [name, fromOrt(tensor)]));
  } finally {
    await session.release();
  }
};

/** @param opset Default: that of tensor math. */
export const operatorModel = (
  { operator: name, operands, attributes }: OperatorCall,
  opset?: number,
): Uint8Array => {
  const operator = operators.get(name);
  const inferred = operator?.infer(operands, attributes);
  const types = inferred?.outputs;
  if (operator === undefined || types === undefined)
    throw new Error(`${name}: ${inferred?.problem?.message}`);
  const inputs = operands.map((type, i) => ({ name: `x${i}`, type }));
  const outputs = Object.entries(types).map(([output, type]) => ({ name: output, type }));
  const header = { name: "test", inputs, outputs, ...(opset === undefined ? {} : { opset }) };
  return buildModel(header, (builder) => operator.lower(builder, inputs, attributes, types));
};

/** One operator of a chain in one model; `operand` is what the compiler knows about its subject. */
export interface Link {
  readonly operator: string;
  readonly operand: TensorType;
  readonly attributes: Attributes;
}

/** Runs operators with one operand one after the other, in one model. */
export const runChain = async (chain: readonly Link[], feed: TensorData): Promise<TensorData | undefined> => {
  const first = chain[0]?.operand;
  if (first === undefined) throw new Error("a chain has links");
  const header = { name: "test", inputs: [{ name: "x0", type: first }] };
  const output = { name: "out", type: { dtype: first.dtype, dims: feed.shape } };
  const model = buildModel({ ...header, outputs: [output] }, (builder) => {
    const out = chain.reduce((name, { operator, operand, attributes }) => {
      const types = operators.get(operator)?.infer([operand], attributes).outputs ?? {};
      const lowered = operators.get(operator)?.lower(builder, [{ name, type: operand }], attributes, types);
      return lowered?.["out"] ?? "missing";
    }, "x0");
    return { out };
  });
  return (await runModel(model, [feed]))["out"];
};

/** Runs a model with one output that `build` returns. */
export const runBuilt = async (
  {
    inputs,
    output,
    feeds,
  }: { inputs: readonly OnnxValue[]; output: OnnxValue; feeds: readonly TensorData[] },
  build: (builder: OnnxBuilder) => string,
): Promise<TensorData> => {
  const header = { name: "test", inputs, outputs: [output] };
  const model = buildModel(header, (builder) => ({ [output.name]: build(builder) }));
  const { [output.name]: out } = await runModel(model, feeds);
  if (out === undefined) throw new Error("the model has no output");
  return out;
};

const toOrt = (tensor: TensorData): InstanceType<typeof ort.Tensor> => {
  const data = tensor.dtype === "BYTES" ? (valuesOf(tensor) as string[]) : typedArrayOf(tensor);
  return new ort.Tensor(
    ortNames[tensor.dtype as RunnableDType] as "float32",
    data as Float32Array,
    tensor.shape,
  );
};

const fromOrt = (tensor: InstanceType<typeof ort.Tensor>): TensorData => {
  const dtype = dtypeOfOrtName.get(tensor.type);
  if (dtype === undefined) throw new Error(`ONNX Runtime returned ${tensor.type}`);
  if (dtype === "BYTES") return tensorOf(dtype, tensor.dims, tensor.data as string[]);
  const view = tensor.data as Float32Array;
  const data = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  return { dtype, shape: tensor.dims, data };
};

/** A tensor of literals, for tables of cases. */
export const given = (dtype: DType, shape: readonly number[], ...values: Scalar[]): TensorData =>
  tensorOf(dtype, shape, values);
