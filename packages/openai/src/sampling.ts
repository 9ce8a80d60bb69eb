import type { ChatRequest, CompletionRequest } from "./read-request.ts";

/** The settings of a request, with OpenAI's names; undefined if not set. */
export interface Sampling {
  readonly max_tokens: number | undefined;
  readonly min_tokens: number | undefined;
  readonly temperature: number | undefined;
  readonly top_p: number | undefined;
  readonly seed: number | undefined;
  /** Undefined for an empty list too. */
  readonly stop: readonly string[] | undefined;
  readonly frequency_penalty: number | undefined;
  readonly presence_penalty: number | undefined;
  readonly ignore_eos: boolean | undefined;
}

export const samplingOf = (request: CompletionRequest | ChatRequest): Sampling => {
  const { stop } = request;
  const stops = typeof stop === "string" ? [stop] : (stop ?? []);
  const most = "max_completion_tokens" in request ? request.max_completion_tokens : undefined;
  return {
    max_tokens: most ?? request.max_tokens ?? undefined,
    min_tokens: request.min_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    top_p: request.top_p ?? undefined,
    seed: request.seed ?? undefined,
    stop: stops.length === 0 ? undefined : stops,
    frequency_penalty: request.frequency_penalty ?? undefined,
    presence_penalty: request.presence_penalty ?? undefined,
    ignore_eos: request.ignore_eos ?? undefined,
  };
};
