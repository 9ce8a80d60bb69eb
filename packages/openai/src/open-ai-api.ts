import { decodedName } from "@tritype/core";
import { answerPieces, type Piece, type PromptTokens } from "./answer-pieces.ts";
import { type Answered, type AnswerForm, chatForm, completionForm } from "./answer-bodies.ts";
import { chatPrompt } from "./chat-prompt.ts";
import { findModel, findModels, whyUnlisted, type TextDescriptions } from "./find-models.ts";
import { checkChat, promptOf, readChatRequest, readCompletionRequest } from "./read-request.ts";
import { failureBody, isInternal, Refusal, statusOf } from "./refusal.ts";
import { samplingOf } from "./sampling.ts";
import type { Question, TextModel } from "./text-model.ts";
import type { AskModel, TextServer } from "./text-server.ts";

export interface OpenAiOptions {
  readonly server: TextServer;
  /** Read again for each request, because builds change. */
  readonly descriptions: () => Promise<TextDescriptions>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** An id that no other answer has. */
  readonly newId: () => string;
}

/** The parts of an HTTP request that this API reads. */
export interface ApiRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** @throws PipelineError `request/too-large` for more than that number of bytes. */
  readBody(longest: number): Promise<Uint8Array>;
  readonly askModel: AskModel;
  /** Called for internal failures that no request caused. */
  readonly onInternalError?: ((error: unknown) => void) | undefined;
}

export type ApiAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
} & ({ readonly body: string } | { readonly pieces: AsyncIterable<string> });

/** OpenAI's API. */
export interface OpenAiApi {
  /** The prefix of its paths. */
  readonly path: string;
  /** Never throws: failures become answers. */
  answer(request: ApiRequest): Promise<ApiAnswer>;
  /** The available models, and whether each can chat. */
  models(): Promise<readonly { readonly name: string; readonly chats: boolean }[]>;
}

/** Parsing JSON of this size takes about 0.1 s, during which no other request is answered. */
const longestBody = 16 * 2 ** 20;

/** This API behaves like Triton's own OpenAI frontend. */
export const createOpenAiApi = (options: OpenAiOptions): OpenAiApi => {
  const started = Math.floor(options.now() / 1000);
  const find = async (): Promise<readonly TextModel[]> =>
    findModels(options.server, await options.descriptions());
  const findReady = async (name: string, status: number): Promise<TextModel> => {
    const isReady = (await options.server.readyModels()).includes(name);
    const found = isReady ? await findModel(options.server, await options.descriptions(), name) : undefined;
    if (found !== undefined) return found;
    const why = isReady ? await whyUnlisted(options.server, name) : "";
    throw new Refusal(status, `Unknown model: ${name}${why}`, { param: "model" });
  };
  const listed = ({ name }: TextModel): object => ({
    id: name,
    created: started,
    object: "model",
    owned_by: "Triton Inference Server",
  });
  const ask = async (request: ApiRequest, form: AnswerForm, read: ReadAsked): Promise<ApiAnswer> => {
    const { model: name, includeUsage, questionOf } = read(await request.readBody(longestBody));
    const model = await findReady(name, 400);
    const question = await questionOf(model);
    const asked = model.ask(question);
    const promptTokens = await requireFit(options.server, model, question);
    const answered = {
      id: `cmpl-${options.newId()}`,
      created: Math.floor(options.now() / 1000),
      model: name,
    };
    const pieces = answerPieces(request.askModel, asked, !question.stream || includeUsage, promptTokens);
    return question.stream
      ? streamed(pieces, form, answered, includeUsage, request.onInternalError)
      : whole(pieces, form, answered);
  };
  const routes: readonly Route[] = [
    {
      method: "GET",
      path: /^\/v1\/models$/,
      answer: async () => jsonAnswer(200, { object: "list", data: (await find()).map(listed) }),
    },
    {
      method: "GET",
      path: /^\/v1\/models\/(.+)$/,
      answer: async (_, name = "") => {
        const id = decodedName(name);
        return jsonAnswer(200, listed(await findReady(id, 404)));
      },
    },
    {
      method: "POST",
      path: /^\/v1\/chat\/completions$/,
      answer: (request) => ask(request, chatForm, readChat),
    },
    {
      method: "POST",
      path: /^\/v1\/completions$/,
      answer: (request) => ask(request, completionForm, readCompletion),
    },
  ];
  return {
    path: "/v1/",
    models: async () => (await find()).map(({ name, chat }) => ({ name, chats: chat !== undefined })),
    answer: async (request) => {
      try {
        return await routeOf(routes, request);
      } catch (error) {
        if (isInternal(error)) request.onInternalError?.(error);
        return jsonAnswer(statusOf(error), failureBody(error));
      }
    },
  };
};

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly answer: (request: ApiRequest, name?: string) => Promise<ApiAnswer>;
}

const routeOf = (routes: readonly Route[], request: ApiRequest): Promise<ApiAnswer> => {
  for (const { method, path, answer } of routes) {
    const match = path.exec(request.path);
    if (match === null) continue;
    if (method !== request.method) throw new Refusal(405, "Method Not Allowed");
    return answer(request, match[1]);
  }
  throw new Refusal(
    404,
    `there is no ${request.path} here: this server has /v1/models, /v1/completions and /v1/chat/completions`,
  );
};

const jsonAnswer = (status: number, body: object): ApiAnswer => ({
  status,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

/** Reads a body; the rest of the request is interpreted once the model is known. */
type ReadAsked = (body: Uint8Array) => {
  readonly model: string;
  readonly includeUsage: boolean;
  questionOf(model: TextModel): Question | Promise<Question>;
};

/** Requests without a temperature get the same one as in Triton's frontend. */
const readCompletion: ReadAsked = (body) => {
  const request = readCompletionRequest(body);
  return {
    model: request.model,
    includeUsage: request.stream_options?.include_usage === true,
    questionOf: () => ({
      prompt: promptOf(request),
      sampling: samplingOf(request),
      asked: { prompt: "prompt", max_tokens: "max_tokens" },
      stream: request.stream === true,
      echo: request.echo === true,
      temperature: 1,
    }),
  };
};

const readChat: ReadAsked = (body) => {
  const request = readChatRequest(body);
  return {
    model: request.model,
    includeUsage: request.stream_options?.include_usage === true,
    questionOf: async ({ name, chat }) => {
      checkChat(request);
      return {
        prompt: await chatPrompt(name, chat, request),
        sampling: samplingOf(request),
        asked: {
          prompt: "messages",
          max_tokens: request.max_completion_tokens == null ? "max_tokens" : "max_completion_tokens",
        },
        stream: request.stream === true,
        echo: false,
        temperature: 0.7,
      };
    },
  };
};

/**
 * Returns the number of tokens in the prompt, if it is known. A prompt that always fits is only counted on request,
 * because its model tokenizes it again.
 * @throws Refusal for a prompt that the tokenizer would cut or refuse: in a conversation that was cut, the last question
 * is missing.
 */
const requireFit = async (
  server: TextServer,
  { name, tokenizer }: TextModel,
  { prompt, asked }: Question,
): Promise<PromptTokens> => {
  const counter = tokenizer === undefined ? undefined : await server.tokenCounter(tokenizer);
  const limit = counter?.limit;
  if (limit === undefined) return () => counter?.count(prompt);
  const tokens = await counter?.count(prompt);
  if (tokens === undefined || tokens <= limit) return () => tokens;
  throw new Refusal(
    400,
    `the prompt has ${tokens} tokens, but model '${name}' takes at most ${limit}: \`maxLength\` of its tokenizer step '${tokenizer}' is ${limit}`,
    { param: asked.prompt, code: "context_length_exceeded" },
  );
};

const whole = async (
  pieces: AsyncIterable<Piece>,
  form: AnswerForm,
  answered: Answered,
): Promise<ApiAnswer> => {
  const texts: string[] = [];
  let last: Piece["end"];
  for await (const { text, end } of pieces) {
    texts.push(text);
    last = end;
  }
  return jsonAnswer(200, form.whole(answered, texts.join(""), last?.finish ?? "stop", last?.usage ?? null));
};

/**
 * The first piece determines the status; a later failure becomes an event, and the stream ends without its end marker.
 */
const streamed = async (
  pieces: AsyncGenerator<Piece, undefined>,
  form: AnswerForm,
  answered: Answered,
  includeUsage: boolean,
  onInternalError: ApiRequest["onInternalError"],
): Promise<ApiAnswer> => {
  const first = await pieces.next();
  async function* events(): AsyncGenerator<string> {
    try {
      for (const open of form.opening) yield event(open(answered));
      for (let { value } = first; value !== undefined; { value } = await pieces.next()) {
        yield event(form.chunk(answered, value));
        const usage = value.end?.usage;
        if (includeUsage && usage != null) yield event(form.usage(answered, usage));
      }
      yield "data: [DONE]\n\n";
    } catch (error) {
      if (isInternal(error)) onInternalError?.(error);
      yield event(failureBody(error));
    } finally {
      await pieces.return(undefined);
    }
  }
  return {
    status: 200,
    headers: { "Content-Type": "text/event-stream; charset=utf-8" },
    pieces: events(),
  };
};

const event = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
