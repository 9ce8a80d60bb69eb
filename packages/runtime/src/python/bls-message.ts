import type { NamedTensors } from "@tritype/core";
import type { InferRequest, Parameter } from "../runtime.ts";
import { Body, type Frame } from "./frame.ts";
import { Packer, Unpacker } from "./packed.ts";
import { packTensors, unpackTensors } from "./wire-tensor.ts";

/** Bits of the first byte of a BLS frame. */
const [decoupled, background] = [1, 2];

export interface BlsKind {
  /** Whether the model iterates over responses. */
  readonly streams: boolean;
  /** Whether the call is asynchronous, so that its execution does not wait for it. */
  readonly inBackground: boolean;
  /** The number of the trace that the model passes on; 0 for none. */
  readonly trace: number;
}

export const blsKindOf = ({ meta: bytes }: Frame): BlsKind => {
  const meta = new Unpacker(bytes);
  const bits = meta.u8();
  return { streams: (bits & decoupled) !== 0, inBackground: (bits & background) !== 0, trace: meta.u32() };
};

/** The request of a BLS frame. */
export const unpackBlsRequest = ({ meta: bytes, body }: Frame): InferRequest => {
  const meta = new Unpacker(bytes);
  meta.u8(); // its kind
  meta.u32(); // and its trace
  const model = meta.text();
  const version = meta.exact();
  const id = meta.text();
  const sequence = meta.u8() === 1 ? meta.text() : meta.exact();
  const flags = meta.u32();
  const timeout = meta.exact();
  const parameters = Object.fromEntries(
    Array.from({ length: meta.u32() }, () => [meta.text(), unpackParameter(meta)] as const),
  );
  const outputs = Array.from({ length: meta.u32() }, () => meta.text());
  return {
    model,
    ...(version === -1n ? {} : { version: String(version) }),
    id,
    inputs: unpackTensors(meta, body),
    ...(outputs.length === 0 ? {} : { outputs }),
    parameters: {
      ...parameters,
      ...(sequence === "" || sequence === 0n ? {} : { sequence_id: sequence }),
      ...((flags & 1) === 0 ? {} : { sequence_start: true }),
      ...((flags & 2) === 0 ? {} : { sequence_end: true }),
      ...(timeout === 0n ? {} : { timeout }),
    },
  };
};

const unpackParameter = (meta: Unpacker): Parameter => {
  const kind = meta.u8();
  if (kind === 2) return meta.text();
  return kind === 1 ? meta.exact() : meta.u8() === 1;
};

/** Meta and body of a BLS_RESULT frame. */
export const packBlsResult = (
  result: { readonly outputs: NamedTensors } | { readonly error: string },
): { readonly meta: Buffer; readonly body: Body } => {
  const body = new Body();
  if ("error" in result) return { meta: new Packer().u8(1).text(result.error).finish(), body };
  const meta = new Packer().u8(0);
  packTensors(meta, body, result.outputs);
  return { meta: meta.finish(), body };
};
