import { tryDecodeUtf8 } from "@tritype/core";
import { z } from "zod";
import { bodyIssues } from "./body-issues.ts";
import { badRequest, Refusal } from "./refusal.ts";

/** The members that both kinds of requests share. */
interface TextRequest {
  readonly model: string;
  readonly frequency_penalty?: number | null | undefined;
  readonly ignore_eos?: boolean | null | undefined;
  readonly logit_bias?: Readonly<Record<string, number>> | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly min_tokens?: number | null | undefined;
  readonly n?: number | null | undefined;
  readonly presence_penalty?: number | null | undefined;
  readonly seed?: number | null | undefined;
  readonly stop?: string | readonly string[] | null | undefined;
  readonly stream?: boolean | null | undefined;
  readonly stream_options?: { readonly include_usage?: boolean | null | undefined } | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
}

/** The body of `POST /v1/completions`. */
export interface CompletionRequest extends TextRequest {
  readonly prompt: string | readonly (string | number | readonly number[])[];
  readonly best_of?: number | null | undefined;
  readonly echo?: boolean | null | undefined;
  readonly logprobs?: number | null | undefined;
  readonly suffix?: string | null | undefined;
}

/** The body of `POST /v1/chat/completions`. */
export interface ChatRequest extends TextRequest {
  readonly messages: readonly ChatMessage[];
  readonly function_call?: unknown;
  readonly functions?: readonly unknown[] | null | undefined;
  readonly logprobs?: boolean | null | undefined;
  readonly max_completion_tokens?: number | null | undefined;
  readonly response_format?: { readonly type?: string | null | undefined } | null | undefined;
  readonly tool_choice?: string | object | null | undefined;
  readonly tools?: readonly object[] | null | undefined;
  readonly top_logprobs?: number | null | undefined;
}

/** One message of a conversation. */
export interface ChatMessage {
  readonly role: "assistant" | "system" | "tool" | "user";
  readonly content?: string | readonly ContentPart[] | null | undefined;
  /** Tool calls that the assistant made. */
  readonly tool_calls?: readonly ToolCall[] | null | undefined;
}
export interface ContentPart {
  readonly type: string;
  readonly text?: string | undefined;
}
export interface ToolCall {
  readonly function: { readonly name: string; readonly arguments: string };
}

const count = z.int().nonnegative();
const penalty = z.number().min(-2).max(2);

/** As in Triton's frontend, other members are refused. */
const common = {
  model: z.string(),
  frequency_penalty: penalty.nullish(),
  ignore_eos: z.boolean().nullish(),
  logit_bias: z.record(z.string(), z.int()).nullish(),
  max_tokens: count.nullish(),
  min_tokens: count.nullish(),
  n: z.int().min(1).max(128).nullish(),
  presence_penalty: penalty.nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  user: z.string().nullish(),
};

const completion: z.ZodType<CompletionRequest> = z.strictObject({
  ...common,
  prompt: z.union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))]),
  best_of: z.int().min(0).max(20).nullish(),
  echo: z.boolean().nullish(),
  logprobs: z.int().min(0).max(5).nullish(),
  suffix: z.string().nullish(),
});

const named = z.object({ name: z.string(), arguments: z.string() });
const toolCall = z.object({ id: z.string(), type: z.string(), function: named });
const part = z.object({ type: z.string(), text: z.string().optional() });
const message: z.ZodType<ChatMessage> = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: z.union([z.string(), z.array(part)]) }),
  z.object({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(part)]),
    name: z.string().nullish(),
  }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(part)]).nullish(),
    tool_calls: z.array(toolCall).nullish(),
  }),
  z.object({
    role: z.literal("tool"),
    content: z.union([z.string(), z.array(part)]),
    tool_call_id: z.string(),
  }),
]);

const tool = z.object({
  type: z.string(),
  function: z.object({
    name: z.string(),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});
const chat: z.ZodType<ChatRequest> = z.strictObject({
  ...common,
  messages: z.array(message).min(1),
  function_call: z.unknown().optional(),
  functions: z.array(z.unknown()).nullish(),
  logprobs: z.boolean().nullish(),
  max_completion_tokens: count.nullish(),
  response_format: z.object({ type: z.string().nullish() }).nullish(),
  tool_choice: z.union([z.string(), z.object({ type: z.string() })]).nullish(),
  tools: z.array(tool).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
});

/** @throws Refusal 422 for a body with any other structure, as Triton's frontend does. */
export const readCompletionRequest = (body: Uint8Array): CompletionRequest => read(completion, body);
/** @throws Refusal 422 for a body with any other structure, as Triton's frontend does. */
export const readChatRequest = (body: Uint8Array): ChatRequest => read(chat, body);

const read = <T>(schema: z.ZodType<T>, bytes: Uint8Array): T => {
  const body = parse(bytes);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = bodyIssues(body, parsed.error.issues);
  const [first] = issues;
  const at = first?.path.join(".") ?? "";
  throw new Refusal(422, at === "" ? `${first?.message}` : `${at}: ${first?.message}`, {
    issues,
    param: at === "" ? undefined : at,
  });
};

const parse = (body: Uint8Array): unknown => {
  const text = tryDecodeUtf8(body);
  if (text === undefined) throw notJson("the body is not valid UTF-8");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(`the body is not JSON: ${(error as Error).message}`);
  }
};

const notJson = (message: string): Refusal =>
  new Refusal(422, message, { issues: [{ type: "json_invalid", path: [], message: "JSON decode error" }] });

/** Requests that Triton's frontend refuses with status 400, with its messages, and features that this server lacks. */
const refuseUnsupported = (request: TextRequest): void => {
  if ((request.n ?? 1) > 1)
    throw badRequest(`Received n=${request.n}, but only single choice (n=1) is currently supported`, "n");
  if (request.stream_options != null && request.stream !== true)
    throw badRequest("`stream_options` can only be used when `stream` is True", "stream_options");
};

/** The prompt of a request. @throws Refusal with status 400 for a request that only OpenAI's own server supports. */
export const promptOf = (request: CompletionRequest): string => {
  refuseUnsupported(request);
  const { prompt, suffix, best_of: best, logprobs } = request;
  if (suffix != null) throw badRequest("suffix is not currently supported", "suffix");
  if (prompt.length === 0) throw badRequest("prompt must be non-empty", "prompt");
  if (typeof prompt !== "string") throw badRequest("only single string input is supported", "prompt");
  if ((best ?? 1) > 1)
    throw badRequest(
      `Received best_of=${best}, but only single choice (best_of=1) is currently supported`,
      "best_of",
    );
  if (request.logit_bias != null) throw badRequest("logit bias is not supported", "logit_bias");
  if ((logprobs ?? 0) > 0) throw badRequest(noLogprobs, "logprobs");
  return prompt;
};

/** @throws Refusal with status 400 for a request that only OpenAI's own server supports. */
export const checkChat = (request: ChatRequest): void => {
  refuseUnsupported(request);
  const { tools, tool_choice: choice, response_format: format } = request;
  if (request.logit_bias != null) throw badRequest("logit bias is not currently supported", "logit_bias");
  if (request.logprobs === true) throw badRequest(noLogprobs, "logprobs");
  if (request.top_logprobs != null) throw badRequest(noLogprobs, "top_logprobs");
  if (choice != null && choice !== "none") throw badRequest(noTools("tool_choice"), "tool_choice");
  if (tools != null && tools.length > 0 && choice !== "none") throw badRequest(noTools("tools"), "tools");
  for (const old of ["functions", "function_call"] as const)
    if (request[old] != null) throw badRequest(noTools(old), old);
  if (format != null && (format.type ?? "text") !== "text")
    throw badRequest(
      `response_format '${format.type}' is not supported: the model's text is not constrained`,
      "response_format",
    );
};

const noLogprobs = "logprobs are currently available only for the vLLM backend";
const noTools = (member: string): string =>
  `${member} is not supported: tool calls are not parsed from the model's text; with tool_choice "none", the chat template gets the tools`;
