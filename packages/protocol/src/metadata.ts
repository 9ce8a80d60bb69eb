export interface TensorMetadata {
  readonly name: string;
  readonly datatype: string;
  /** With the batch dim: -1 first when the model is batched. */
  readonly shape: readonly number[];
}
export interface ModelMetadata {
  readonly name: string;
  readonly versions: readonly string[];
  readonly platform: string;
  readonly inputs: readonly TensorMetadata[];
  readonly outputs: readonly TensorMetadata[];
}
export interface ServerMetadata {
  readonly name: string;
  readonly version: string;
  readonly extensions: readonly string[];
}
