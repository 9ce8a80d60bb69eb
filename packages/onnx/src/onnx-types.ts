/** Names of `TensorProto.DataType` in `onnx.proto`, by number. */
const names: readonly string[] = [
  "UNDEFINED",
  "FLOAT",
  "UINT8",
  "INT8",
  "UINT16",
  "INT16",
  "INT32",
  "INT64",
  "STRING",
  "BOOL",
  "FLOAT16",
  "DOUBLE",
  "UINT32",
  "UINT64",
  "COMPLEX64",
  "COMPLEX128",
  "BFLOAT16",
  "FLOAT8E4M3FN",
  "FLOAT8E4M3FNUZ",
  "FLOAT8E5M2",
  "FLOAT8E5M2FNUZ",
  "UINT4",
  "INT4",
  "FLOAT4E2M1",
];

/** `1` → `"FLOAT"`; undefined for a number without a name, and for 0, which means that a type is missing. */
export const knownOnnxType = (type: number): string | undefined => (type === 0 ? undefined : names[type]);

/** `1` → `"FLOAT"`; a number without a name is shown unchanged. */
export const onnxTypeName = (type: number): string => names[type] ?? `type ${type}`;
