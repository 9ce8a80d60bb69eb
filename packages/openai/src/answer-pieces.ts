import type { AskModel, Awaitable } from "./text-server.ts";
import type { Asked, Ending } from "./text-model.ts";

/** A part of an answer: its text and, in the last part, how the answer ended. */
export interface Piece {
  readonly text: string;
  readonly end: End | undefined;
}

export interface End {
  readonly finish: Ending["finish"];
  /** null if it was not requested, or the model does not say how many tokens there are. */
  readonly usage: Usage | null;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly total_tokens: number;
  readonly completion_tokens: number;
}

/** Counts the tokens that the tokenizer makes from the prompt; undefined if this is unknown. */
export type PromptTokens = () => Awaitable<number | undefined>;

/**
 * A model's answer in pieces, as they arrive; the last piece contains the end, with the number of tokens in
 * the prompt from the tokenizer unless the model says another one.
 * @throws PipelineError with the model's failure; a request that is refused throws it from the first `next()`.
 */
export async function* answerPieces(
  askModel: AskModel,
  asked: Asked,
  wantsUsage: boolean,
  promptTokens: PromptTokens,
): AsyncGenerator<Piece, undefined> {
  let before = asked.before;
  for await (const { response, error, final } of askModel(asked.request)) {
    if (error !== undefined) throw error;
    const text = before + (response === undefined ? "" : asked.read(response.outputs));
    before = "";
    if (final) {
      const { finish, tokens } = asked.end();
      yield { text, end: { finish, usage: wantsUsage ? await usageOf(tokens, promptTokens) : null } };
    } else if (text !== "") yield { text, end: undefined };
  }
}

const usageOf = async (tokens: Ending["tokens"], promptTokens: PromptTokens): Promise<Usage | null> => {
  const prompt = tokens && (tokens.prompt ?? (await promptTokens()));
  if (tokens === undefined || prompt === undefined) return null;
  const { completion } = tokens;
  return { prompt_tokens: prompt, total_tokens: prompt + completion, completion_tokens: completion };
};
