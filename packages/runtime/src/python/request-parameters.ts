import { type Parameter, printParameter } from "@tritype/protocol";
import { sequencePlace, unsignedOf } from "../requests/sequence-place.ts";
import type { ModelRequest } from "../backend.ts";

/** A request's parameters as a Python model gets them. */
export interface SplitParameters {
  readonly correlation: string | bigint;
  /** 1: start of a sequence, 2: its end. */
  readonly flags: number;
  /** Microseconds; 0 for none. */
  readonly timeout: bigint;
  /** The other parameters as JSON: the result of `request.parameters()`. */
  readonly json: string;
}

/** Parameters that Triton removes from the request; the model gets them as fields, or not at all. */
const reserved: ReadonlySet<string> = new Set([
  "sequence_id",
  "sequence_start",
  "sequence_end",
  "timeout",
  "priority",
  "triton_enable_empty_final_response",
]);

/** Extracts Triton's own parameters from a request's. Source: extension_sequence.md, extension_schedule_policy.md. */
export const splitParameters = ({
  parameters,
  modelParameters = {},
}: Pick<ModelRequest, "parameters" | "modelParameters">): SplitParameters => {
  const { id, starts, ends } = sequencePlace(parameters);
  const own = [
    ...Object.entries(parameters).filter(([name]) => !reserved.has(name)),
    ...Object.entries(modelParameters),
  ];
  return {
    correlation: id,
    flags: (starts ? 1 : 0) | (ends ? 2 : 0),
    timeout: unsignedOf(parameters["timeout"]),
    json: `{${own.map(([name, value]) => `${JSON.stringify(name)}:${printParameter(cut(value))}`).join(",")}}`,
  };
};

/** Triton hands texts over as C strings, which end at the first NUL. */
const cut = (value: Parameter): Parameter => (typeof value === "string" ? value.replace(/\0.*/s, "") : value);
