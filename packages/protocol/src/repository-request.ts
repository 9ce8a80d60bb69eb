import { foreignError, PipelineError } from "@tritype/core";
import { isObject, jsonBool, jsonString, malformed, memberOf } from "./json-value.ts";
import { jsonSteps } from "./parse-json.ts";
import { maxText } from "./infer-request.ts";
import { type Steps, stepSize } from "./steps.ts";

/** Content of a load request that overrides the repository's. */
export interface LoadParameters {
  /** The configuration as JSON. */
  readonly config?: string;
  /** The files, by path in the model's folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/**
 * The body of `POST /v2/repository/index`: whether only ready models are requested.
 * @throws PipelineError `request/malformed` with Triton's message.
 */
export function* indexRequestSteps(body: Uint8Array): Steps<boolean> {
  if (body.byteLength === 0) return false;
  const ready = memberOf(yield* jsonSteps(body, { maxText }), "ready");
  if (ready === undefined) return false;
  if (!jsonBool.is(ready)) throw malformed(jsonBool.wrong);
  return ready;
}

/**
 * The body of `POST /v2/repository/models/<model>/load`: `config` and `file:<path>` in base64 as `parameters`.
 * @throws PipelineError `request/malformed` with Triton's message.
 */
export function* loadRequestSteps(body: Uint8Array): Steps<LoadParameters> {
  const files = new Map<string, Uint8Array>();
  let config: string | undefined;
  const parameters = body.byteLength === 0 ? undefined : memberOf(yield* jsonSteps(body, {}), "parameters");
  if (parameters !== undefined && !isObject(parameters))
    throw malformed("attempt to get members for non-object");
  for (const [name, value] of Object.entries(parameters ?? {})) {
    if (!jsonString.is(value)) throw malformed(jsonString.wrong);
    if (name === "config") config = value;
    else if (name.startsWith(filePrefix))
      files.set(name.slice(filePrefix.length), yield* decodeBase64(value));
    else throw malformed("unexpected error on creating Triton parameter");
  }
  return config === undefined ? { files } : { config, files };
}

/**
 * The body of `POST /v2/repository/models/<model>/unload`: whether to unload members that were loaded only for the
 * model. Triton unloads the model regardless of the body.
 */
export function* unloadRequestSteps(body: Uint8Array): Steps<boolean> {
  if (body.byteLength === 0) return false;
  try {
    const json = yield* jsonSteps(body, { maxText });
    return memberOf(memberOf(json, "parameters"), "unload_dependents") === true;
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    return false;
  }
}

/** One value of a `ModelRepositoryParameter`, as `grpcMethod` decodes it. */
export interface GrpcRepositoryParameter {
  readonly parameter_choice: string;
  readonly bool_param: boolean;
  readonly string_param: string;
  readonly bytes_param: Uint8Array;
}
export type GrpcRepositoryParameters = Readonly<Record<string, GrpcRepositoryParameter>>;

/** The parameters of `RepositoryModelLoad`. @throws PipelineError `request/invalid` with Triton's message. */
export const readGrpcLoadParameters = (parameters: GrpcRepositoryParameters): LoadParameters => {
  const files = new Map<string, Uint8Array>();
  let config: string | undefined;
  for (const [name, value] of Object.entries(parameters)) {
    const [kind, path] = name.startsWith(filePrefix)
      ? ["bytes_param", name.slice(filePrefix.length)]
      : ["string_param", undefined];
    if (name !== "config" && path === undefined)
      throw foreignError("request/invalid", `unrecognized load parameter '${name}'.`);
    if (value.parameter_choice !== kind)
      throw foreignError(
        "request/invalid",
        `invalid value type for load parameter '${name}', expected ${kind}.`,
      );
    if (path === undefined) config = value.string_param;
    else files.set(path, value.bytes_param);
  }
  return config === undefined ? { files } : { config, files };
};

/** The parameters of `RepositoryModelUnload`. @throws PipelineError `request/invalid` with Triton's message. */
export const readGrpcUnloadParameters = ({
  unload_dependents: dependents,
}: GrpcRepositoryParameters): boolean => {
  if (dependents === undefined) return false;
  if (dependents.parameter_choice === "bool_param") return dependents.bool_param;
  throw foreignError(
    "request/invalid",
    "invalid value type for 'unload_dependents' parameter, expected bool_param.",
  );
};

const filePrefix = "file:";

/** The bytes of a base64 text; meaningless characters are skipped, as in Triton (libb64). */
export function* decodeBase64(text: string): Steps<Uint8Array> {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < text.length; i++) {
    if (i % stepSize === stepSize - 1) yield;
    const value = values[text.charCodeAt(i)] ?? none;
    if (value === none) continue;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (held >> bits) & 0xff;
  }
  return bytes.subarray(0, length);
}

const none = 255;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Uint8Array(128).fill(none);
for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
