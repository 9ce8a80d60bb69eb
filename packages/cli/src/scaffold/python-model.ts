import { decoupledIn, printPython } from "@tritype/compiler";
import { type Dim, type DType, isOptional, type Signature, showType, type TensorType } from "@tritype/core";
import { modelTemplate } from "../generated/python.ts";

/** The tensors of a `python` step. */
export interface DeclaredStep {
  readonly name: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A `model.py` that reads the declared inputs and answers with zeros of the declared dtypes and sizes. */
export const pythonModel = (step: DeclaredStep): string => {
  const { name, inputs, outputs } = step;
  const variableOf = createVariables();
  const inCode = (tensors: Signature): readonly TensorInCode[] =>
    Object.entries(tensors).map(([tensor, type]) => ({ tensor, type, variable: variableOf(tensor) }));
  const [read, made] = [inCode(inputs), inCode(outputs)];
  const size = (dim: Dim): string => {
    if (typeof dim === "number") return String(Math.max(1, dim));
    for (const { type, variable } of read)
      if (type.dims.includes(dim) && !isOptional(type))
        return `${type.dtype === "BF16" ? `${tensorOf(variable)}.shape()` : `${variable}.shape`}[${type.dims.indexOf(dim)}]`;
    return "1";
  };
  const shape = ({ dims }: TensorType): string =>
    `(${dims.map(size).join(", ")}${dims.length === 1 ? "," : ""})`;
  return printPython(modelTemplate, {
    heading: `"""The model ${name}."""\n\nfrom __future__ import annotations`,
    decoupled: decoupledIn(step) === true,
    reads: read.length === 0 ? undefined : read.map(reading).join("\n"),
    makes: made
      .map(({ type, variable }) => `${variable} = ${filled(type, shape(type))}  # ${noteOf(type)}`)
      .join("\n"),
    tensors: made
      .map(
        ({ tensor, type, variable }) =>
          `pb_utils.Tensor${type.dtype === "BF16" ? ".from_dlpack" : ""}(${JSON.stringify(tensor)}, ${variable})`,
      )
      .join(`,\n${" ".repeat(16)}`),
  });
};

interface TensorInCode {
  readonly tensor: string;
  readonly type: TensorType;
  readonly variable: string;
}

const reading = ({ tensor: input, type, variable }: TensorInCode): string => {
  const tensor = tensorOf(variable);
  const get = `${tensor} = pb_utils.get_input_tensor_by_name(request, ${JSON.stringify(input)})\n`;
  const value = `${tensor}.${type.dtype === "BF16" ? "to_dlpack" : "as_numpy"}()`;
  if (isOptional(type))
    return `${get}${variable} = None if ${tensor} is None else ${value}  # ${noteOf(type)}, where the request has it`;
  return `${get}assert ${tensor} is not None  # Triton refuses requests without it
${variable} = ${value}  # ${noteOf(type)}${type.dtype === "BYTES" ? ", elements are bytes" : ""}`;
};

const noteOf = (type: TensorType): string =>
  `${showType(type)}${type.dtype === "BF16" ? ", which numpy does not have: use DLPack, as with PyTorch's torch.from_dlpack" : ""}`;

const numpy: Readonly<Record<Exclude<DType, "BF16" | "BYTES">, string>> = {
  BOOL: "np.bool_",
  UINT8: "np.uint8",
  UINT16: "np.uint16",
  UINT32: "np.uint32",
  UINT64: "np.uint64",
  INT8: "np.int8",
  INT16: "np.int16",
  INT32: "np.int32",
  INT64: "np.int64",
  FP16: "np.float16",
  FP32: "np.float32",
  FP64: "np.float64",
};

const filled = ({ dtype }: TensorType, shape: string): string => {
  if (dtype === "BF16") return "None";
  return dtype === "BYTES" ? `np.full(${shape}, b"", np.object_)` : `np.zeros(${shape}, ${numpy[dtype]})`;
};

/** The variable of Triton's tensor, from which `variable` is read. */
const tensorOf = (variable: string): string => `${variable}_tensor`;

/** Unique and valid names for Python variables. */
const createVariables = (): ((name: string) => string) => {
  const taken = new Set(["self", "request", "requests", "args", "np", "pb_utils"]);
  return (name) => {
    const plain = name.replaceAll(/\W/g, "_");
    let variable = /^[A-Za-z_]/.test(plain) && !keywords.has(plain) ? plain : `x_${plain}`;
    while (taken.has(variable) || taken.has(tensorOf(variable))) variable = `${variable}_`;
    taken.add(variable).add(tensorOf(variable));
    return variable;
  };
};

const keywords: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is " +
    "lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
