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
  const key = plain(required(json, "key"), jsonString);
  const offset = memberOf(json, "offset");
  return {
    key,
    offset: offset === undefined ? 0 : Number(plain(offset, jsonUnsigned)),
    byteSize: Number(plain(required(json, "byte_size"), jsonUnsigned)),
  };
}

/** The body of `POST /v2/cudasharedmemory/region/<name>/register`. @throws PipelineError with Triton's message. */
export function* checkCudaRegionRequest(body: Uint8Array): Steps<void> {
  const json = yield* jsonSteps(body, { keepDoubles: true, maxText });
  const text = plain(existing(required(json, "raw_handle"), "b64"), jsonString);
  for (const name of ["byte_size", "device_id"]) plain(existing(json, name), jsonUnsigned);
  if ((yield* decodeBase64(text)).byteLength !== 64)
    throw invalid("'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t");
}

const required = (json: JsonValue, name: string): JsonValue => {
  const value = memberOf(json, name);
  if (value === undefined) throw invalid(`Shared memory register request has no '${name}' field`);
  return value;
};

const existing = (json: JsonValue, name: string): JsonValue => {
  const value = memberOf(json, name);
  if (value === undefined) throw malformed(`attempt to access non-existing object member '${name}'`);
  return value;
};

/** Triton's messages do not mention the member here. */
const plain = <T extends JsonValue>(value: JsonValue, kind: JsonKind<T>): T => {
  if (!kind.is(value)) throw malformed(kind.wrong);
  return value;
};
