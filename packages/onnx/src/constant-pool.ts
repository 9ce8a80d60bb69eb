import type { TensorData } from "@tritype/core";

/** A function that calls `add` once for equal tensors (dtype, shape and bytes) and returns its name every time. */
export const newConstantPool = (add: (tensor: TensorData) => string): ((tensor: TensorData) => string) => {
  const buckets = new Map<string, { readonly tensor: TensorData; readonly name: string }[]>();
  return (tensor) => {
    const key = `${tensor.dtype}[${tensor.shape.join()}]${partsOf(tensor).reduce(digest, 0x811c9dc5)}`;
    const bucket = buckets.get(key) ?? [];
    const known = bucket.find((entry) => sameBytes(partsOf(entry.tensor), partsOf(tensor)));
    if (known !== undefined) return known.name;
    const name = add(tensor);
    buckets.set(key, [...bucket, { tensor, name }]);
    return name;
  };
};

const partsOf = (tensor: TensorData): readonly Uint8Array[] =>
  tensor.dtype === "BYTES" ? tensor.data : [tensor.data];

/** FNV-1a, which is only used to find candidates; equality is determined by comparing the bytes. */
const digest = (hash: number, bytes: Uint8Array): number => {
  let next = Math.imul(hash ^ bytes.length, 0x01000193);
  for (const byte of bytes) next = Math.imul(next ^ byte, 0x01000193);
  return next >>> 0;
};

const sameBytes = (a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean =>
  a.length === b.length && a.every((part, index) => sameArray(part, b[index] as Uint8Array));

const sameArray = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
