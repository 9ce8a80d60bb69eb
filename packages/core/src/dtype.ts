/** A KServe v2 datatype, the name on the wire. */
export type DType =
  | "BOOL"
  | "UINT8"
  | "UINT16"
  | "UINT32"
  | "UINT64"
  | "INT8"
  | "INT16"
  | "INT32"
  | "INT64"
  | "FP16"
  | "FP32"
  | "FP64"
  | "BF16"
  | "BYTES";
export type FloatDType = "FP16" | "FP32" | "FP64" | "BF16";
export type IntDType = "UINT8" | "UINT16" | "UINT32" | "UINT64" | "INT8" | "INT16" | "INT32" | "INT64";
export type NumericDType = FloatDType | IntDType;

/** The properties of a dtype. */
export interface DTypeFacts {
  /** The size of one element in bytes; undefined for BYTES, whose elements have any length. */
  readonly byteSize: number | undefined;
  /** The dtype's name in Triton's `config.pbtxt`. */
  readonly configName: string;
  /** `TensorProto.DataType` of ONNX. */
  readonly onnxType: number;
  /** The smallest and largest integer that it holds; undefined for BOOL, floats and BYTES. */
  readonly range: readonly [bigint, bigint] | undefined;
  readonly family: "bool" | "int" | "float" | "bytes";
}

const int = (bits: number, signed: boolean, onnxType: number): DTypeFacts => {
  const name = `${signed ? "INT" : "UINT"}${bits}`;
  const span = 1n << BigInt(signed ? bits - 1 : bits);
  return {
    byteSize: bits / 8,
    configName: `TYPE_${name}`,
    onnxType,
    range: signed ? [-span, span - 1n] : [0n, span - 1n],
    family: "int",
  };
};
const float = (name: string, byteSize: number, onnxType: number): DTypeFacts => ({
  byteSize,
  configName: `TYPE_${name}`,
  onnxType,
  range: undefined,
  family: "float",
});

/** Every dtype with its properties. Source: Triton's `model_config.proto`, KServe v2, `onnx.proto`. */
export const dtypes: Readonly<Record<DType, DTypeFacts>> = {
  BOOL: { byteSize: 1, configName: "TYPE_BOOL", onnxType: 9, range: undefined, family: "bool" },
  UINT8: int(8, false, 2),
  UINT16: int(16, false, 4),
  UINT32: int(32, false, 12),
  UINT64: int(64, false, 13),
  INT8: int(8, true, 3),
  INT16: int(16, true, 5),
  INT32: int(32, true, 6),
  INT64: int(64, true, 7),
  FP16: float("FP16", 2, 10),
  FP32: float("FP32", 4, 1),
  FP64: float("FP64", 8, 11),
  BF16: float("BF16", 2, 16),
  BYTES: { byteSize: undefined, configName: "TYPE_STRING", onnxType: 8, range: undefined, family: "bytes" },
};

export const isDType = (name: string): name is DType => Object.hasOwn(dtypes, name);

const invert = <K extends "configName" | "onnxType">(key: K): ReadonlyMap<DTypeFacts[K], DType> =>
  new Map(Object.entries(dtypes).map(([dtype, facts]) => [facts[key], dtype as DType]));
const byConfigName = invert("configName");
const byOnnxType = invert("onnxType");

/** `"TYPE_FP32"` → `"FP32"`; undefined for names that Triton does not have. */
export const dtypeOfConfigName = (name: string): DType | undefined => byConfigName.get(name);
/** `TensorProto.DataType` → dtype; undefined for types without a wire format (complex, FP8, …). */
export const dtypeOfOnnxType = (type: number): DType | undefined => byOnnxType.get(type);
