import type { ManifestChat } from "@tritype/manifest";
import type { ChatMessage, ChatRequest, ContentPart } from "./read-request.ts";
import { badRequest } from "./refusal.ts";

/**
 * The prompt for a conversation: the output of the chat template from the model's tokenizer, without the special tokens
 * that the tokenizer itself adds around every text.
 * @throws Refusal 400 for a message that is not text, and for messages that the template rejects.
 */
export const chatPrompt = async (
  model: string,
  format: ManifestChat | undefined,
  request: ChatRequest,
): Promise<string> => {
  if (format === undefined)
    throw badRequest(
      `model '${model}' has no chat template: its tokenizer's folder has neither 'chat_template' in tokenizer_config.json nor chat_template.jinja; /v1/completions accepts a plain prompt`,
      "model",
    );
  const messages = request.messages.map(conversationMessage);
  const { readTemplate } = await import("./jinja/render-template.ts");
  try {
    const text = templateOf(
      format.template,
      readTemplate,
    )({
      messages,
      tools: request.tools ?? null,
      documents: null,
      add_generation_prompt: true,
      ...format.tokens,
    });
    return withoutAdded(text, format);
  } catch (error) {
    throw badRequest(
      `the chat template of model '${model}' does not accept these messages: ${(error as Error).message}`,
      "messages",
    );
  }
};

type Render = (variables: Readonly<Record<string, unknown>>) => string;
const parsed = new Map<string, Render>();
/** Templates of a build's models; there are only a few. */
const keptTemplates = 16;

const templateOf = (text: string, read: (template: string) => Render): Render => {
  const found = parsed.get(text);
  if (found !== undefined) return found;
  if (parsed.size >= keptTemplates) parsed.clear();
  const made = read(text);
  parsed.set(text, made);
  return made;
};

const withoutAdded = (text: string, { before, after }: ManifestChat): string => {
  let rest = text;
  const [start, end] = [before.join(""), after.join("")];
  if (rest.startsWith(start)) rest = rest.slice(start.length);
  if (rest.endsWith(end)) rest = rest.slice(0, rest.length - end.length);
  return rest;
};

/** A message as templates expect it: text as a single string, and the arguments of tool calls as objects. */
const conversationMessage = (message: ChatMessage, index: number): object => {
  const { content } = message;
  const text = typeof content === "object" && content !== null ? joined(content, index) : content;
  if (message.tool_calls == null) return { ...message, content: text };
  const calls = message.tool_calls.map((call) => ({
    ...call,
    function: { ...call.function, arguments: argumentsOf(call.function.arguments, index) },
  }));
  return { ...message, content: text, tool_calls: calls };
};

const joined = (parts: readonly ContentPart[], index: number): string =>
  parts
    .map(({ type, text }) => {
      if (type === "text" && text !== undefined) return text;
      throw badRequest(`only text message is supported, but got ${type}`, `messages.${index}.content`);
    })
    .join("\n");

const argumentsOf = (text: string, index: number): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("the arguments of a tool call are not JSON", `messages.${index}.tool_calls`);
  }
};
