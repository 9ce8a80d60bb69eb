import type { DType } from "@tritype/core";
import type { ManifestPaddingProof } from "@tritype/manifest";
import type { TreeFile } from "../tree.ts";
import type { EnsembleSample } from "./ensemble-samples.ts";
import type { WarmupEntry, WarmupTensor } from "./warmup-entry.ts";

/** The tensors (one row) that reached a model when a sample ran through the graph. */
export interface CapturedRequest {
  readonly model: string;
  readonly ensemble: string;
  readonly sample: string;
  /** How many rows a batched model got from one request to an ensemble without batching. Default: those of the sample. */
  readonly rows?: number | undefined;
  /** The tensors, in the order of the model's configuration. */
  readonly inputs: Readonly<Record<string, CapturedTensor>>;
}
export interface CapturedTensor {
  readonly dtype: DType;
  /** Shape without the batch. */
  readonly dims: readonly number[];
  /** Little-endian; BYTES elements are a uint32 length and that many bytes. */
  readonly bytes: Uint8Array;
}

/** The result of running a build's samples. */
export interface CapturedWarmup {
  /** SHA-256 of its sources: the files without warmup, and the samples. */
  readonly key: string;
  /** The requests, in the order of samples and calls. */
  readonly requests: readonly CapturedRequest[];
  /** The proofs of the ensembles that batch by length. Default: none. */
  readonly padding?: readonly ManifestPaddingProof[];
}

/** The distinct requests that reached a model. Further requests from the same sample have a number appended to their name. */
export const capturedEntries = (
  model: string,
  requests: readonly CapturedRequest[],
  samples: readonly EnsembleSample[],
): readonly WarmupEntry[] => {
  const entries: WarmupEntry[] = [];
  for (const request of requests.filter((one) => one.model === model)) {
    const sample = samples.find(
      ({ ensemble, name }) => ensemble === request.ensemble && name === request.sample,
    );
    if (sample === undefined) continue;
    const { count, opt } = sample;
    const { rows, inputs: captured } = request;
    const batchSize = rows ?? sample.batchSize;
    const inputs = new Map(Object.entries(captured).map(([name, tensor]) => [name, tensorOf(tensor)]));
    if (entries.some((entry) => entry.batchSize === batchSize && sameInputs(entry.inputs, inputs))) continue;
    const source = {
      ensemble: sample.ensemble,
      sample: sample.name,
      ...(rows === undefined ? {} : { rows }),
    };
    entries.push({ name: freeName(sample.name, entries), batchSize, count, opt, inputs, captured: source });
  }
  return entries;
};

const tensorOf = ({ dtype, dims, bytes }: CapturedTensor): WarmupTensor => ({
  dtype,
  dims,
  // A tensor with a dim of size 0 has no data to write.
  source: dims.includes(0) ? { kind: "zero" } : { kind: "file", file: { kind: "bytes", bytes } },
});

const freeName = (name: string, entries: readonly WarmupEntry[]): string => {
  const taken = new Set(entries.map((entry) => entry.name));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}_${number}`;
  return free;
};

const sameInputs = (a: ReadonlyMap<string, WarmupTensor>, b: ReadonlyMap<string, WarmupTensor>): boolean =>
  a.size === b.size &&
  [...a].every(([name, tensor]) => {
    const other = b.get(name);
    return (
      other !== undefined &&
      tensor.dims.join() === other.dims.join() &&
      sameBytes(fileOf(tensor), fileOf(other))
    );
  });

const fileOf = ({ source }: WarmupTensor): TreeFile | undefined =>
  source.kind === "file" ? source.file : undefined;

const sameBytes = (a: TreeFile | undefined, b: TreeFile | undefined): boolean =>
  a?.kind === "bytes" && b?.kind === "bytes"
    ? a.bytes.length === b.bytes.length && a.bytes.every((byte, i) => byte === b.bytes[i])
    : a === b;
