import { type ErrorCode, foreignError, mapDefined, type NamedTensors } from "@tritype/core";
import type { ModelRequest, ModelResult } from "../backend.ts";
import { Body, type Frame } from "./frame.ts";
import { hashOrder } from "./hash-order.ts";
import { Packer, Unpacker } from "./packed.ts";
import { splitParameters } from "./request-parameters.ts";
import { packTensors, unpackTensors } from "./wire-tensor.ts";
import { runtimeError } from "../errors.ts";

/** Meta and body of an EXECUTE frame. @param traces The numbers of the requests' traces. */
export const packRequests = (
  requests: readonly ModelRequest[],
  traces: readonly number[],
): { readonly meta: Buffer; readonly body: Body } => {
  const meta = new Packer().u32(requests.length);
  const body = new Body();
  for (const [index, request] of requests.entries()) {
    const { correlation, flags, timeout, json } = splitParameters(request);
    const [trace, context] = [traces[index] ?? 0, request.trace?.context ?? ""];
    if (typeof correlation === "string") meta.u8(1).u64(0);
    else meta.u8(0).u64(correlation);
    meta.u32(flags).u64(timeout).u32(trace).u32(request.outputs.length);
    meta.text(request.id).text(json).text(context);
    if (typeof correlation === "string") meta.text(correlation);
    for (const output of request.outputs) meta.text(output);
    packTensors(meta, body, inModelOrder(request));
  }
  return { meta: meta.finish(), body };
};

const inModelOrder = ({ inputs, sent = [...inputs.keys()] }: ModelRequest): NamedTensors => {
  if (inputs.size < 2) return inputs;
  const controls = [...inputs.keys()].filter((name) => !sent.includes(name));
  return mapDefined(hashOrder(sent, controls), (name) => inputs.get(name));
};

/**
 * The results of a DONE frame, one for each of `count` requests.
 * @throws PipelineError `model/failed` if the frame is not well formed.
 */
export const unpackResults = (frame: Frame, count: number): readonly ModelResult[] => {
  const meta = new Unpacker(frame.meta);
  const kind = meta.u8();
  if (kind === failed) {
    const error = foreignError("model/failed", meta.text());
    return Array.from({ length: count }, () => ({ error, counts: "execution" }));
  }
  if (meta.u32() !== count) throw runtimeError("python/broken-answer", { problem: "lost a request" });
  if (kind === returned)
    return Array.from({ length: count }, () => (meta.u8() === again ? rescheduled : { outputs: new Map() }));
  return Array.from({ length: count }, () => unpackResult(meta, frame.body));
};

/** Kinds of DONE frames; `returned` is used by decoupled models. */
const [failed, returned] = [1, 2];

/** Kinds of results; any other result has outputs. `afterwards` is followed by another result. */
const [failure, again, afterwards] = [1, 2, 3];

const rescheduled: ModelResult = { outputs: new Map(), rescheduled: true };

/** One response or error. @throws as `unpackResults`. */
export const unpackResult = (meta: Unpacker, body: Buffer): ModelResult => {
  const kind = meta.u8();
  if (kind === again) return rescheduled;
  if (kind === afterwards) {
    const final = meta.u8() === 1;
    const text = meta.text();
    const result = unpackResult(meta, body);
    const error = text === "" ? undefined : foreignError("model/failed", text);
    return {
      ...result,
      ...(error !== undefined && "error" in result ? { counts: "execution" } : {}),
      afterwards: { final, error },
    };
  }
  if (kind === failure) {
    const code = codes[meta.u32()] ?? "model/failed";
    return { error: foreignError(code, meta.text()), counts: "answer" };
  }
  return { outputs: unpackTensors(meta, body) };
};

/** By TritonError code. */
const codes: readonly ErrorCode[] = [
  "model/unknown-error", // UNKNOWN
  "model/failed", // INTERNAL
  "model/not-found", // NOT_FOUND
  "request/invalid", // INVALID_ARG
  "model/unavailable", // UNAVAILABLE
  "request/unsupported", // UNSUPPORTED
  "model/already-exists", // ALREADY_EXISTS
  "request/cancelled", // CANCELLED
];
