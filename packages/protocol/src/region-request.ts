import type { PipelineError } from "@tritype/core";
import { maxText } from "./infer-request.ts";
import {
  type JsonKind,
  invalid,
  type JsonValue,
  jsonString,
  jsonUnsigned,
  malformed,
  memberOf,
} from "./json-value.ts";
import { jsonSteps } from "./parse-json.ts";
import { decodeBase64 } from "./repository-request.ts";
import type { Steps } from "./steps.ts";

/** A shared memory region to be registered. */
export interface RegionRequest {
  /** The name of the POSIX shared memory object. */
  readonly key: string;
  /** The position at which the region begins in it. */
  readonly offset: number;
  readonly byteSize: number;
}

/**
 * The body of `POST /v2/systemsharedmemory/region/<name>/register`.
 * @throws PipelineError `request/malformed`, `request/invalid` with Triton's message.
 */
export function* readRegionRequest(body: Uint8Array): Steps<RegionRequest> {
  const json = yield* jsonSteps(body, { keepDoubles: true, maxText });
  const key = required(json, "key", jsonString);
  const offset = memberOf(json, "offset");
  return {
    key,
    offset: offset === undefined ? 0 : Number(plain(offset, jsonUnsigned)),
    byteSize: Number(required(json, "byte_size", jsonUnsigned)),
  };
}

/**
 * Checks the body of `POST /v2/cudasharedmemory/region/<name>/register`.
 * @throws PipelineError `request/malformed`, `request/invalid` with Triton's message.
 */
export function* checkCudaRegionRequest(body: Uint8Array): Steps<void> {
  const json = yield* jsonSteps(body, { keepDoubles: true, maxText });
  const handle = memberOf(json, "raw_handle");
  if (handle === undefined) throw missing("raw_handle");
  const text = existing(handle, "b64", jsonString);
  existing(json, "byte_size", jsonUnsigned);
  existing(json, "device_id", jsonUnsigned);
  if ((yield* decodeBase64(text)).byteLength !== 64)
    throw invalid("'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t");
}

const missing = (name: string): PipelineError =>
  invalid(`Shared memory register request has no '${name}' field`);

const existing = <T extends JsonValue>(json: JsonValue, name: string, kind: JsonKind<T>): T => {
  const value = memberOf(json, name);
  if (value === undefined) throw malformed(`attempt to access non-existing object member '${name}'`);
  return plain(value, kind);
};

const required = <T extends JsonValue>(json: JsonValue, name: string, kind: JsonKind<T>): T => {
  const value = memberOf(json, name);
  if (value === undefined) throw missing(name);
  return plain(value, kind);
};

/** Triton's messages do not mention the member here. */
const plain = <T extends JsonValue>(value: JsonValue, kind: JsonKind<T>): T => {
  if (!kind.is(value)) throw malformed(kind.wrong);
  return value;
};
