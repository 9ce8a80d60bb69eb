import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { ModelConfig } from "@tritype/triton";

export interface VerdictTensor {
  readonly name: string;
  /** `TensorProto.DataType` by name. */
  readonly type: string;
  readonly shape: readonly (number | string | null)[] | null;
}

export interface VerdictGraph {
  readonly opset: number;
  readonly ir: number;
  readonly inputs: readonly VerdictTensor[];
  readonly outputs: readonly VerdictTensor[];
  readonly initializersAsInputs?: readonly VerdictTensor[];
}

/** One line of the record; the README.md next to this file describes the fields. */
export interface Verdict {
  readonly id: string;
  readonly cat: string;
  readonly onnx: VerdictGraph;
  readonly config: string | null;
  readonly files?: Readonly<Record<string, string>>;
  readonly autoComplete: boolean;
  readonly ready: boolean;
  readonly reason: string;
  readonly crash?: "always" | "sometimes";
  readonly completed?: ModelConfig;
}

let known: readonly Verdict[] | undefined;

export const readVerdicts = (): readonly Verdict[] =>
  (known ??= gunzipSync(readFileSync(new URL("ort-verdicts.jsonl.gz", import.meta.url)))
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Verdict));
