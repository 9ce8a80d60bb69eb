import type { NamedTensors } from "@tritype/core";
import type { ManifestChat } from "@tritype/manifest";
import type { InferRequest } from "@tritype/protocol";
import type { Sampling } from "./sampling.ts";

/** A model that continues a text. */
export interface TextModel {
  readonly name: string;
  /** Turns a conversation into a prompt; undefined if the model only supports completions. */
  readonly chat: ManifestChat | undefined;
  /** The model that tokenizes the prompt; undefined if the model itself does. */
  readonly tokenizer: string | undefined;
  /** @throws Refusal 400 for a setting that it does not accept. */
  ask(question: Question): Asked;
}

export interface Question {
  readonly prompt: string;
  readonly sampling: Sampling;
  /** The members of the request that contain the prompt and the maximum number of tokens, for errors. */
  readonly asked: {
    readonly prompt: "messages" | "prompt";
    readonly max_tokens: "max_completion_tokens" | "max_tokens";
  };
  /** Whether the client reads the answer in pieces. */
  readonly stream: boolean;
  /** Whether the answer begins with the prompt. */
  readonly echo: boolean;
  /** The temperature for a request that sets none. */
  readonly temperature: number;
}

/** A request to the model, and a reader for its responses. */
export interface Asked {
  readonly request: InferRequest;
  /** Text that precedes the model's own. */
  readonly before: string;
  /** Reads the text of each response, in order. */
  read(outputs: NamedTensors): string;
  /** After the last response. */
  end(): Ending;
}

export interface Ending {
  readonly finish: "length" | "stop";
  /** undefined if the model does not say; `prompt` is undefined if only its tokenizer knows. */
  readonly tokens: { readonly prompt: number | undefined; readonly completion: number } | undefined;
}
