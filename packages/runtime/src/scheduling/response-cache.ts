import { createHash } from "node:crypto";
import { type NamedTensors, printRawData, rawSize } from "@tritype/core";
import { inOwnMemory } from "./in-own-memory.ts";

/** The content of a cache and its use so far, as counted by Triton's metrics. */
export interface ResponseCacheCounts {
  readonly entries: number;
  /** Share of its bytes that are in use, 0 to 1. */
  readonly used: number;
  readonly lookups: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  /** Total time of all lookups, and of storing all answers, in microseconds. */
  readonly lookupTime: number;
  readonly insertionTime: number;
}

/**
 * Answers by request; the least recently used ones are evicted first. Source: `TritonCache` of Triton core, and its local cache.
 */
export interface ResponseCache {
  find(key: string): NamedTensors | undefined;
  /**
   * Stores an answer, unless it is larger than the cache or has a tensor without bytes.
   * @returns false if this key already has an answer: another request with the same inputs ran at the same time.
   */
  keep(key: string, outputs: NamedTensors): boolean;
  /** Adds to the times in the counts, in microseconds. */
  took(lookup: number, insertion: number): void;
  counts(): ResponseCacheCounts;
}

/** @param bytes The size of the cache, including everything that it stores for an answer. */
export const createResponseCache = (bytes: number): ResponseCache => {
  /** From the least to the most recently used. */
  const answers = new Map<string, { readonly outputs: NamedTensors; readonly size: number }>();
  let used = 0;
  let hits = 0;
  let misses = 0;
  let evictions = 0;
  let lookupTime = 0;
  let insertionTime = 0;
  return {
    find: (key) => {
      const found = answers.get(key);
      if (found === undefined) {
        misses++;
        return undefined;
      }
      hits++;
      answers.delete(key);
      answers.set(key, found);
      return found.outputs;
    },
    keep: (key, outputs) => {
      if (answers.has(key)) return false;
      const size = storedSize(outputs);
      if (size === undefined || size > bytes) return true;
      for (const [oldest, { size: freed }] of answers) {
        if (used + size <= bytes) break;
        answers.delete(oldest);
        used -= freed;
        evictions++;
      }
      const kept = new Map([...outputs].map(([name, tensor]) => [name, inOwnMemory(tensor)]));
      answers.set(key, { outputs: kept, size });
      used += size;
      return true;
    },
    took: (lookup, insertion) => {
      lookupTime += lookup;
      insertionTime += insertion;
    },
    counts: () => ({
      entries: answers.size,
      used: used / bytes,
      lookups: hits + misses,
      hits,
      misses,
      evictions,
      lookupTime,
      insertionTime,
    }),
  };
};

/**
 * The key of a request: its model, and the names and bytes of its inputs. As in Triton, shapes, requested outputs and
 * parameters are not part of it.
 */
export const cacheKey = (model: string, inputs: NamedTensors): string => {
  const hash = createHash("sha256").update(model);
  for (const [name, tensor] of [...inputs].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`\0${name}\0`).update(printRawData(tensor));
  return hash.digest("base64");
};

/** Number of bytes of an answer in Triton's cache; undefined if it cannot be stored. */
export const storedSize = (outputs: NamedTensors): number | undefined => {
  let size = 4;
  for (const [name, tensor] of outputs) {
    const tensorSize = rawSize(tensor);
    if (tensorSize === 0) return undefined;
    size += 32 + Buffer.byteLength(name) + tensor.dtype.length + 8 * tensor.shape.length + tensorSize;
  }
  return blockSize * Math.ceil(size / blockSize + 1);
};

/** Triton's cache allocates in blocks of this size, and uses one block itself. */
const blockSize = 16;
