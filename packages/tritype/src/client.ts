/**
 * A typed HTTP client for an ensemble, for browsers and Node, without dependencies.
 * @module
 */
export {
  type Answer,
  type Answers,
  type AnyClient,
  type CallOptions,
  type Client,
  ClientError,
  type ClientFor,
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
  type Sequence,
  type SequenceId,
  type SequenceInferOptions,
  type StreamingClient,
  type StreamingSequence,
  type StreamOptions,
} from "@tritype/typed-client";
