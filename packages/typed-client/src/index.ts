/**
 * A typed client of an ensemble over HTTP, for browsers and Node, without dependencies.
 * @module
 */
import type { InferOutputs } from "@tritype/dsl";
import type { Client } from "./client.ts";
import { createHttpClient, type HttpOptions } from "./create-http-client.ts";
import type { Definition, EnsembleOption, InputsOf } from "./definition.ts";

export type { Answer, CallOptions, Client, ClientOptions, InferOptions } from "./client.ts";
export { ClientError, type ClientErrorKind, type ContractDifference } from "./client-error.ts";
export type { RawTensor } from "./contract.ts";
export type { HttpOptions } from "./create-http-client.ts";
export type { Definition, EnsembleOption, InputsOf } from "./definition.ts";
export type { Parameters } from "./transport.ts";

/**
 * A client of one ensemble over HTTP, typed by its definition: `createClient<typeof embed>({ url, ensemble: "embed" })`. Tensors
 * travel as binary data.
 * @throws ClientError `invalid` for an invalid URL.
 */
export const createClient = <E extends Definition = Definition>(
  options: HttpOptions & EnsembleOption<E>,
): Client<InputsOf<E>, InferOutputs<E>> => createHttpClient(options);
