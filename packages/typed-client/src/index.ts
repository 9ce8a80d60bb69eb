/**
 * A typed HTTP client for an ensemble, for browsers and Node, without dependencies.
 * @module
 */
import { createHttpClient, type HttpOptions } from "./create-http-client.ts";
import type { ClientFor, Definition, EnsembleOption } from "./definition.ts";

export type { Answers } from "@tritype/core";
export type { Answer, CallOptions, InferOptions, StreamOptions } from "./calls.ts";
export type { AnyClient, Client, ClientOptions, StreamingClient } from "./client.ts";
export { ClientError, type ClientErrorKind, type ContractDifference } from "./client-error.ts";
export type { RawTensor } from "./contract.ts";
export type { HttpOptions } from "./create-http-client.ts";
export type { ClientFor, Definition, EnsembleOption, InputsOf } from "./definition.ts";
export type { Sequence, SequenceId, SequenceInferOptions, StreamingSequence } from "./sequence.ts";
export type { Parameters } from "./transport.ts";

/**
 * An HTTP client for one ensemble, typed by its definition: `createClient<typeof embed>({ url, ensemble: "embed" })`.
 * Tensors are sent as binary data.
 * @throws ClientError `invalid` for an invalid URL.
 */
export const createClient = <E extends Definition = Definition>(
  options: HttpOptions & EnsembleOption<E>,
): ClientFor<E> => createHttpClient(options) as unknown as ClientFor<E>;
