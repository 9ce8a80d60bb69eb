/**
 * A typed client of an ensemble over HTTP, for browsers and Node, without dependencies.
 * @module
 */
export {
  type Answer,
  type CallOptions,
  type Client,
  ClientError,
  type ClientErrorKind,
  type ClientOptions,
  type ContractDifference,
  createClient,
  type Definition,
  type EnsembleOption,
  type HttpOptions,
  type InferOptions,
  type InputsOf,
  type Parameters,
  type RawTensor,
} from "@tritype/typed-client";
