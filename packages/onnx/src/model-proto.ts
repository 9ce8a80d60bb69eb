/** A 64-bit integer: a number if that is exact, otherwise a bigint. */
export type Int64 = number | bigint;

/** A model file. Source of all of these: onnx.proto; absent fields stay absent, and unlisted fields survive decoding and encoding. */
export interface ModelProto {
  readonly irVersion?: Int64;
  readonly opsetImport?: readonly OperatorSetIdProto[];
  readonly producerName?: string;
  readonly producerVersion?: string;
  readonly domain?: string;
  readonly modelVersion?: Int64;
  readonly docString?: string;
  readonly graph?: GraphProto;
  readonly metadataProps?: readonly StringStringEntryProto[];
  readonly functions?: readonly FunctionProto[];
}
export interface OperatorSetIdProto {
  /** If absent or empty, the default domain `ai.onnx`. */
  readonly domain?: string;
  readonly version?: Int64;
}
export interface StringStringEntryProto {
  readonly key?: string;
  readonly value?: string;
}
export interface FunctionProto {
  readonly name?: string;
  readonly domain?: string;
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  readonly node?: readonly NodeProto[];
  readonly opsetImport?: readonly OperatorSetIdProto[];
}
export interface GraphProto {
  readonly name?: string;
  readonly node?: readonly NodeProto[];
  readonly initializer?: readonly TensorProto[];
  readonly sparseInitializer?: readonly SparseTensorProto[];
  readonly docString?: string;
  readonly input?: readonly ValueInfoProto[];
  readonly output?: readonly ValueInfoProto[];
  readonly valueInfo?: readonly ValueInfoProto[];
}
export interface NodeProto {
  /** An empty name is an omitted optional input. */
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  readonly name?: string;
  readonly opType?: string;
  readonly domain?: string;
  readonly attribute?: readonly AttributeProto[];
  readonly docString?: string;
}
/** `AttributeProto.type`, which determines the field with the value. */
export const attributeTypes = {
  float: 1,
  int: 2,
  text: 3,
  tensor: 4,
  graph: 5,
  floats: 6,
  ints: 7,
  texts: 8,
  tensors: 9,
  graphs: 10,
} as const;
export interface AttributeProto {
  readonly name?: string;
  /** One of `attributeTypes`. */
  readonly type?: number;
  readonly f?: number;
  readonly i?: Int64;
  readonly s?: Uint8Array;
  readonly t?: TensorProto;
  readonly g?: GraphProto;
  readonly sparseTensor?: SparseTensorProto;
  readonly floats?: readonly number[];
  readonly ints?: readonly Int64[];
  readonly strings?: readonly Uint8Array[];
  readonly tensors?: readonly TensorProto[];
  readonly graphs?: readonly GraphProto[];
}
export interface TensorProto {
  readonly name?: string;
  readonly dims?: readonly Int64[];
  /** `TensorProto.DataType`; `dtypes[…].onnxType` of @tritype/core. */
  readonly dataType?: number;
  /** Little-endian, row-major; shares memory with the decoded file. */
  readonly rawData?: Uint8Array;
  readonly floatData?: readonly number[];
  readonly int32Data?: readonly number[];
  readonly stringData?: readonly Uint8Array[];
  readonly int64Data?: readonly Int64[];
  readonly doubleData?: readonly number[];
  readonly uint64Data?: readonly Int64[];
  /** `location`, `offset`, `length` of data in another file. */
  readonly externalData?: readonly StringStringEntryProto[];
  /** 1 means that the data is in another file. */
  readonly dataLocation?: number;
}
export interface SparseTensorProto {
  readonly values?: TensorProto;
  readonly indices?: TensorProto;
  readonly dims?: readonly Int64[];
}
export interface ValueInfoProto {
  readonly name?: string;
  readonly type?: TypeProto;
}
export interface TypeProto {
  readonly tensorType?: TensorTypeProto;
  readonly sequenceType?: object;
  readonly mapType?: object;
  readonly optionalType?: object;
  readonly sparseTensorType?: object;
}
export interface TensorTypeProto {
  readonly elemType?: number;
  /** If absent, the rank is unknown. */
  readonly shape?: TensorShapeProto;
}
export interface TensorShapeProto {
  readonly dim?: readonly DimensionProto[];
}
/** If neither field is set, the size is unnamed. */
export interface DimensionProto {
  readonly dimValue?: Int64;
  readonly dimParam?: string;
}
