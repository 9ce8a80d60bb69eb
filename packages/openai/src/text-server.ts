import type { PipelineError } from "@tritype/core";
import type { InferRequest, InferResponse, ModelMetadata } from "@tritype/protocol";

/** The server that serves the models: the local runtime, or a Triton. */
export interface TextServer {
  /** The models that can answer now. */
  readyModels(): Awaitable<readonly string[]>;
  /** @throws PipelineError `model/not-found` */
  modelMetadata(model: string): Awaitable<ModelMetadata>;
  /** The configuration as JSON with Triton's names. */
  modelConfig(model: string): Awaitable<object>;
  /** The tokens that a tokenizer's model makes from texts; undefined if this is unknown. */
  tokenCounter(tokenizer: string): Awaitable<TokenCounter | undefined>;
}

export interface TokenCounter {
  /** With more tokens, the model refuses the text or cuts off its end; undefined if it cuts off the beginning. */
  readonly limit: number | undefined;
  /** The number of tokens in a text; undefined if it cannot be tokenized. */
  count(text: string): Awaitable<number | undefined>;
}

/**
 * Runs a request of one client when the first message is requested. It is cancelled when the reader stops reading or
 * the client disconnects.
 * @throws PipelineError from the first `next()` if the request is refused.
 */
export type AskModel = (request: InferRequest) => AsyncIterable<TextMessage>;

/** One message in an answer: a response, an error, or just the end marker. */
export interface TextMessage {
  readonly response?: InferResponse;
  readonly error?: PipelineError;
  /** Whether no further message follows. */
  readonly final: boolean;
}

export type Awaitable<T> = T | Promise<T>;
