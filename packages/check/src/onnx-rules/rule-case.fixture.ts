import { defaultRelease, releases, type TritonRelease } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import type { CaseGraph } from "./onnx-model.fixture.ts";

/** A configuration that breaks a rule, or a near miss. */
export interface RuleCase {
  readonly code: string;
  readonly config: string;
  /** In `1/model.onnx`. */
  readonly graph?: CaseGraph;
  /** Other files. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** Where paths lead when links are followed; without it the host does not know. */
  readonly links?: Readonly<Record<string, string>>;
  readonly options?: Partial<CheckOptions>;
  /** Exact; a near miss has none. */
  readonly message?: string;
  /** Where the first label points. */
  readonly at?: string;
}

export const onnx = 'backend: "onnxruntime"';
export const io = (dims: string, rest = ""): string =>
  `input { name: "A" data_type: TYPE_FP32 dims: ${dims} ${rest} } output { name: "B" data_type: TYPE_FP32 dims: [ 4 ] }`;
/** Fits `plain`. */
export const usual: string = `${onnx} max_batch_size: 8 ${io("[ 4 ]")}`;
export const plain = { inputs: { A: "FP32[N, 4]" }, outputs: { B: "FP32[N, 4]" } };
export const nothing: Uint8Array = new Uint8Array();
export const [oldest = defaultRelease]: readonly TritonRelease[] = releases;
export const newest: TritonRelease = releases.at(-1) ?? defaultRelease;
