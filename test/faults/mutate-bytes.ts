/** Pseudorandom numbers, the same for the same seed. */
export interface Mutator {
  /** From 0 to `below`, exclusive. */
  number(below: number): number;
  pick<T>(items: readonly T[]): T;
  /** One of many changes to a message; `other` is a message that may be spliced in. */
  mutate(message: Uint8Array, other: Uint8Array): Uint8Array;
}

/** Texts with a special meaning for some component. */
const tokens = [
  "null",
  "true",
  "-1",
  "1e999",
  "9223372036854775808",
  "NaN",
  "{}",
  "[]",
  "[[[[",
  '""',
  '"\\ud800"',
  "\u0000",
  "\ufeff",
  "__proto__",
  "data",
  "shape",
  "BYTES",
  "FP16",
  "parameters",
  "binary_data_size",
  "shared_memory_region",
  "classification",
].map((text) => Buffer.from(text));
const edges = [0, 1, 0x7f, 0x80, 0xff];

/** Mulberry32: 32 bits of state are enough to spread changes. */
export const createMutator = (seed: number): Mutator => {
  let state = seed;
  const number = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const pick = <T>(items: readonly T[]): T => items[number(items.length)] as T;
  const random = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => number(256));
  const joined = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);

  const changes: readonly ((message: Uint8Array, other: Uint8Array) => Uint8Array)[] = [
    (message) => {
      const changed = Uint8Array.from(message);
      for (let i = number(4); i >= 0; i--) changed[number(changed.length)] = number(256);
      return changed;
    },
    (message) => {
      const changed = Uint8Array.from(message);
      changed[number(changed.length)] = pick(edges);
      return changed;
    },
    (message) => message.subarray(0, number(message.length)),
    (message) => message.subarray(number(message.length)),
    (message) => {
      const at = number(message.length);
      return joined(message.subarray(0, at), message.subarray(at + 1 + number(8)));
    },
    (message) => {
      const at = number(message.length);
      return joined(message.subarray(0, at), pick(tokens), message.subarray(at + number(6)));
    },
    (message) => {
      const [from, to] = [number(message.length), number(message.length)];
      return joined(message.subarray(0, to), message.subarray(from, from + number(40)), message.subarray(to));
    },
    (message, other) =>
      joined(message.subarray(0, number(message.length)), other.subarray(number(other.length))),
    (message) => joined(message, random(number(64))),
    () => random(number(300)),
  ];
  return {
    number,
    pick,
    mutate: (message, other) => {
      let changed = message;
      for (let i = number(3); i >= 0; i--)
        changed = changed.length === 0 ? random(9) : pick(changes)(changed, other);
      return changed;
    },
  };
};
