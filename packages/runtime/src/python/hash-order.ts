import { encodeUtf8 } from "@tritype/core";

/**
 * The order in which Triton passes the inputs of a request to a model: that of a hash map that is filled from another
 * one. It is the order of the request unless two names share a bucket.
 * @param names In the order of the request.
 * @param controls The inputs that the sequence batcher adds.
 */
export const hashOrder = (names: readonly string[], controls: readonly string[] = []): readonly string[] =>
  hashMap([...hashMap(names), ...controls]);

/** The order of libstdc++'s `std::unordered_map` with these keys, inserted in this order. */
const hashMap = (names: readonly string[]): readonly string[] => {
  let size = 13;
  let order: readonly Entry[] = [];
  for (const [count, name] of names.entries()) {
    if (count + 1 > size) {
      size = sizes.find((next) => next >= 2 * size) ?? size;
      order = order.reduce<readonly Entry[]>((again, known) => inserted(again, known.name, size), []);
    }
    order = inserted(order, name, size);
  }
  return order.map(({ name }) => name);
};

/** Numbers of buckets. */
const sizes = [13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273];

interface Entry {
  readonly name: string;
  readonly bucket: number;
}

/** A new entry comes first in its bucket, and a new bucket comes first of all. */
const inserted = (order: readonly Entry[], name: string, size: number): readonly Entry[] => {
  const bucket = Number(hashOf(name) % BigInt(size));
  const first = order.findIndex((known) => known.bucket === bucket);
  return order.toSpliced(Math.max(0, first), 0, { name, bucket });
};

const hashes = new Map<string, bigint>();
const hashOf = (name: string): bigint => {
  const known = hashes.get(name) ?? murmurHash(encodeUtf8(name));
  hashes.set(name, known);
  return known;
};

const factor = 0xc6a4a7935bd1e995n;
const uint64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const mix = (value: bigint): bigint => value ^ (value >> 47n);

/** Source: `_Hash_bytes` of libstdc++, with its usual seed. */
const murmurHash = (bytes: Uint8Array): bigint => {
  let hash = 0xc70f6907n ^ uint64(BigInt(bytes.length) * factor);
  for (let at = 0; at < bytes.length; at += 8) {
    const word = bytes.subarray(at, at + 8).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
    const data = at + 8 > bytes.length ? word : uint64(mix(uint64(word * factor)) * factor);
    hash = uint64((hash ^ data) * factor);
  }
  return mix(uint64(mix(hash) * factor));
};
