import type { Piece, Usage } from "./answer-pieces.ts";

/** The part that all bodies of one answer have in common. */
export interface Answered {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
}

/** The structure of the bodies for one kind of answer, as Triton's frontend prints them. */
export interface AnswerForm {
  /** The whole answer. */
  whole(answered: Answered, text: string, finish: string, usage: Usage | null): object;
  /** Chunks before the first text. */
  readonly opening: readonly ((answered: Answered) => object)[];
  chunk(answered: Answered, piece: Piece): object;
  usage(answered: Answered, usage: Usage): object;
}

const body = (
  { id, created, model }: Answered,
  object: string,
  choices: readonly object[],
  usage: Usage | null,
) => ({
  id,
  choices,
  created,
  model,
  system_fingerprint: null,
  object,
  usage,
});

const textCompletion = "text_completion";
const textChoice = (text: string, finish: string | null): object => ({
  finish_reason: finish,
  index: 0,
  logprobs: null,
  text,
});

export const completionForm: AnswerForm = {
  whole: (answered, text, finish, usage) => body(answered, textCompletion, [textChoice(text, finish)], usage),
  opening: [],
  chunk: (answered, { text, end }) =>
    body(answered, textCompletion, [textChoice(text, end?.finish ?? null)], null),
  usage: (answered, usage) => body(answered, textCompletion, [], usage),
};

const chatChunk = "chat.completion.chunk";
const deltaChoice = (role: string | null, content: string, finish: string | null): object => ({
  delta: { content, function_call: null, role },
  logprobs: null,
  finish_reason: finish,
  index: 0,
});

/** The first chunk contains only the role. */
export const chatForm: AnswerForm = {
  whole: (answered, content, finish, usage) => {
    const message = { content, tool_calls: null, role: "assistant", function_call: null };
    const choice = { finish_reason: finish, index: 0, message, logprobs: null };
    return body(answered, "chat.completion", [choice], usage);
  },
  opening: [(answered) => body(answered, chatChunk, [deltaChoice("assistant", "", null)], null)],
  chunk: (answered, { text, end }) =>
    body(answered, chatChunk, [deltaChoice(null, text, end?.finish ?? null)], null),
  usage: (answered, usage) => body(answered, chatChunk, [], usage),
};
