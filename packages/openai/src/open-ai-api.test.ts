import { foreignError, type NamedTensors, tensorOf, valuesOf } from "@tritype/core";
import type { ManifestChat, ManifestTextModel } from "@tritype/manifest";
import type { InferRequest, ModelMetadata } from "@tritype/protocol";
import { expect, test } from "vitest";
import { createOpenAiApi, type ApiAnswer } from "./open-ai-api.ts";
import type { TextMessage } from "./text-server.ts";

const tensors = (...names: readonly string[]): ModelMetadata["inputs"] =>
  names.map((name) => ({
    name,
    datatype: /text|prompt|parameters|^stop/.test(name) ? "BYTES" : "BOOL",
    shape: [1],
  }));

/** Each model: its inputs, its output and its backend. */
const models: Readonly<Record<string, readonly [readonly string[], string, string]>> = {
  chat: [["prompt"], "text", ""],
  edited: [["other"], "text", ""],
  llm: [
    ["text_input", "stream", "exclude_input_in_output", "sampling_parameters", "return_num_input_tokens"],
    "text_output",
    "vllm",
  ],
};

const format: ManifestChat = {
  template:
    "{{ bos_token }}{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools') }}{% endif %}{{ m.role }}: {{ m.content }}{% if m.tool_calls %} {{ m.tool_calls[0].function.arguments.city }}{% endif %}\n{% endfor %}{% if tools %}{{ tools[0].function.name }}{% endif %}{{ eos_token }}",
  tokens: { bos_token: "<s>", eos_token: "</s>" },
  before: ["<s>"],
  after: ["</s>"],
};
const described: ManifestTextModel = {
  prompt: "prompt",
  text: "text",
  tokens: "ids",
  tokenizer: "tokenize",
  settings: {
    kind: "sample",
    max_new_tokens: 8,
    min_new_tokens: 0,
    eos_token_id: [2],
    temperature: 0.8,
    top_k: 50,
    top_p: 1,
    seed: 0,
  },
  perRequest: { seed: "luck", temperature: "heat", top_p: "share", stop: "ends" },
  chat: format,
};

const answerOf = (
  request: InferRequest,
  text: string,
  ids: readonly number[],
  final: boolean,
): TextMessage => ({
  response: {
    model: request.model,
    version: "1",
    id: "",
    outputs: new Map([
      [models[request.model]?.[1] ?? "", tensorOf("BYTES", [1, 1], [text])],
      ["ids", tensorOf("INT64", [1, ids.length], ids)],
    ]),
  },
  final,
});

/** An API whose models answer with these messages, and which records their requests. */
const openApi = (
  messages: (request: InferRequest) => AsyncIterable<TextMessage>,
  textModel: ManifestTextModel = described,
) => {
  const requests: InferRequest[] = [];
  const failures: unknown[] = [];
  const counted: string[] = [];
  const api = createOpenAiApi({
    server: {
      readyModels: () => Object.keys(models),
      modelMetadata: (name) => {
        const [inputs, output] = models[name] ?? [[], "", ""];
        return { name, versions: ["1"], platform: "", inputs: tensors(...inputs), outputs: tensors(output) };
      },
      modelConfig: (name) => {
        const [inputs, , backend] = models[name] ?? [[], "", ""];
        return { backend, input: inputs.map((input) => ({ name: input, optional: input === "stream" })) };
      },
      tokenCounter: (tokenizer) =>
        ["tokenize", "keep_end"].includes(tokenizer)
          ? {
              limit: tokenizer === "tokenize" ? 40 : undefined,
              count: (text) => (counted.push(text), text.length),
            }
          : undefined,
    },
    descriptions: async () => ({
      built: new Map([
        ["chat", textModel],
        ["edited", textModel],
      ]),
      chat: undefined,
    }),
    now: () => 5000,
    newId: () => "id",
  });
  const post = (path: string, body: unknown): Promise<ApiAnswer> =>
    api.answer({
      method: "POST",
      path,
      readBody: async () => new TextEncoder().encode(JSON.stringify(body)),
      onInternalError: (error) => void failures.push(error),
      askModel: (request) => {
        requests.push(request);
        return messages(request);
      },
    });
  return { api, post, requests, failures, counted };
};

async function* twoPieces(request: InferRequest): AsyncGenerator<TextMessage> {
  yield answerOf(request, "one ", [5, 6], false);
  yield answerOf(request, "two", [7, 2], true);
}

/** A model whose first message is this error. */
const failing = (error: Error) => (): AsyncIterable<TextMessage> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
});

const plain = (inputs: NamedTensors): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...inputs].map(([name, tensor]) => [name, [tensor.shape, valuesOf(tensor)]]));
const bodyOf = (answer: ApiAnswer) => {
  if (!("body" in answer)) throw new Error("a stream");
  return JSON.parse(answer.body);
};
const eventsOf = async (answer: ApiAnswer): Promise<readonly string[]> => {
  if (!("pieces" in answer)) throw new Error(answer.body);
  const events: string[] = [];
  for await (const piece of answer.pieces) events.push(piece);
  return events;
};

test("lists the models that continue a text: described ensembles that are served, and models with Triton's usual tensors", async () => {
  const { api } = openApi(twoPieces);
  expect(await api.models()).toEqual([
    { name: "chat", chats: true },
    { name: "llm", chats: false },
  ]);
});

test("a described ensemble gets its prompt and the settings that differ from its own", async () => {
  const { post, requests } = openApi(twoPieces);
  const asked = {
    model: "chat",
    prompt: "a",
    temperature: 0.8,
    seed: 4,
    stop: "x",
    echo: true,
    max_tokens: 8,
  };
  const answer = bodyOf(await post("/v1/completions", asked));
  expect(plain(requests[0]?.inputs ?? new Map())).toEqual({
    prompt: [[1, 1], ["a"]],
    luck: [[1, 1], [4n]],
    ends: [[1, 1], ["x"]],
  });
  expect(requests[0]?.outputs).toEqual(["text", "ids"]);
  expect(answer).toEqual({
    id: "cmpl-id",
    choices: [{ finish_reason: "stop", index: 0, logprobs: null, text: "aone two" }],
    created: 5,
    model: "chat",
    system_fingerprint: null,
    object: "text_completion",
    usage: { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 },
  });
  expect(requests.map(({ model }) => model)).toEqual(["chat"]);
});

test.each([
  [
    { temperature: 0 },
    "model 'chat' does not take 'temperature': its generate step has no 'top_k' in `perRequest`",
  ],
  [{ max_tokens: 3 }, "model 'chat' does not take 'max_tokens': its generate step has no 'max_new_tokens'"],
  [
    { presence_penalty: 0.5 },
    "model 'chat' does not take 'presence_penalty': generate steps have no such setting",
  ],
  [{ top_p: 0 }, "top_p is 0, but must be above 0"],
  [{ stop: "" }, "stop contains an empty string, and every text begins with one"],
  [{ ignore_eos: true }, "model 'chat' does not take 'ignore_eos'"],
])("%j is refused, and the error names it", async (setting, message) => {
  const { post, requests } = openApi(twoPieces);
  const answer = await post("/v1/completions", { model: "chat", prompt: "a", ...setting });
  expect([answer.status, bodyOf(answer).error]).toEqual([
    400,
    {
      message: expect.stringContaining(message),
      type: "invalid_request_error",
      param: Object.keys(setting)[0],
      code: null,
    },
  ]);
  expect(requests).toEqual([]);
});

test.each([
  ["/v1/completions", { prompt: "a" }, "max_tokens", 0],
  ["/v1/chat/completions", { messages: [{ role: "user", content: "a" }] }, "max_tokens", 9],
  ["/v1/chat/completions", { messages: [{ role: "user", content: "a" }] }, "max_completion_tokens", 9],
] as const)("%s %j: %s is not %i", async (path, asked, member, value) => {
  const limited = { ...described, perRequest: { max_new_tokens: "most" } };
  const { post, requests } = openApi(twoPieces, limited);
  const answer = await post(path, { model: "chat", ...asked, [member]: value });
  expect([answer.status, bodyOf(answer).error]).toMatchObject([
    400,
    {
      message: `${member} is ${value}, but model 'chat' generates from 1 to 8 tokens: \`maxNewTokens\` of its generate step is 8`,
      param: member,
    },
  ]);
  expect(requests).toEqual([]);
});

test("a prompt that the tokenizer would cut is refused", async () => {
  const { post, requests } = openApi(twoPieces);
  const messages = (content: string) => ({ model: "chat", messages: [{ role: "user", content }] });
  const around = "user: ".length;
  const fits = await post("/v1/chat/completions", messages("a".repeat(40 - around)));
  expect([fits.status, requests.length > 0]).toEqual([200, true]);
  requests.length = 0;
  for (const stream of [false, true]) {
    const answer = await post("/v1/chat/completions", { ...messages("a".repeat(41 - around)), stream });
    expect([answer.status, bodyOf(answer).error]).toEqual([
      400,
      {
        message:
          "the prompt has 41 tokens, but model 'chat' takes at most 40: `maxLength` of its tokenizer step 'tokenize' is 40",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    ]);
  }
  const plain = await post("/v1/completions", { model: "chat", prompt: "a".repeat(41) });
  expect(bodyOf(plain).error).toMatchObject({ param: "prompt", code: "context_length_exceeded" });
  expect(requests).toEqual([]);
});

test("a served model that is not listed is unknown, and the error says why", async () => {
  const { post } = openApi(twoPieces);
  const messageOf = async (model: string): Promise<string> =>
    bodyOf(await post("/v1/completions", { model, prompt: "a" })).error.message;
  expect(await messageOf("other")).toBe("Unknown model: other");
  expect(await messageOf("edited")).toBe(
    "Unknown model: edited. The server has it, but this API only lists models that continue a prompt without other required inputs. Its required inputs: 'other'",
  );
});

test("a conversation becomes the text from the template, without the special tokens that the tokenizer adds", async () => {
  const { post, requests } = openApi(twoPieces);
  const messages = [
    { role: "user", content: "hi", name: "Ann" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: '{"city":"Bern"}' } }],
    },
  ];
  const tools = [{ type: "function", function: { name: "weather" } }];
  const answer = await post("/v1/chat/completions", { model: "chat", messages, tools, tool_choice: "none" });
  expect(answer.status).toBe(200);
  expect(plain(requests[0]?.inputs ?? new Map())["prompt"]).toEqual([
    [1, 1],
    ["user: hiassistant: None Bernweather"],
  ]);
  const refused = await post("/v1/chat/completions", {
    model: "chat",
    messages: [{ role: "tool", content: "x", tool_call_id: "1" }],
  });
  expect([refused.status, bodyOf(refused).detail]).toEqual([
    400,
    "the chat template of model 'chat' does not accept these messages: no tools",
  ]);
});

test("vLLM models get their settings as JSON, and have no batch dim", async () => {
  const { post, requests } = openApi(twoPieces);
  await post("/v1/completions", { model: "llm", prompt: "a", stop: ["x"], echo: true, stream: true });
  const { sampling_parameters: settings, ...inputs } = plain(requests[0]?.inputs ?? new Map());
  expect(inputs).toEqual({
    text_input: [[1], ["a"]],
    stream: [[1], [true]],
    exclude_input_in_output: [[1], [false]],
    return_num_input_tokens: [[1], [true]],
  });
  const [, [text]] = settings as [unknown, [string]];
  expect(JSON.parse(text)).toEqual({
    max_tokens: 16,
    temperature: 1,
    top_p: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
    stop: ["x"],
  });
});

test("a prompt of any length is counted only if the usage is wanted and known", async () => {
  const countsOf = async (textModel: Partial<ManifestTextModel>, body: object = {}): Promise<number> => {
    const { post, counted } = openApi(twoPieces, { ...described, tokenizer: "keep_end", ...textModel });
    const messages = [{ role: "user", content: "a text with more than forty characters, which is cut" }];
    const answer = await post("/v1/chat/completions", { model: "chat", messages, ...body });
    expect(answer.status).toBe(200);
    if ("pieces" in answer) await eventsOf(answer);
    return counted.length;
  };
  expect(await countsOf({})).toBe(1);
  expect(await countsOf({}, { stream: true })).toBe(0);
  expect(await countsOf({}, { stream: true, stream_options: { include_usage: true } })).toBe(1);
  expect(await countsOf({ tokens: undefined })).toBe(0);
});

test("a stream contains the role, the texts as they are generated, the usage and the end marker", async () => {
  const { post } = openApi(twoPieces);
  const events = await eventsOf(
    await post("/v1/chat/completions", {
      model: "chat",
      messages: [{ role: "user", content: "a" }],
      stream: true,
      stream_options: { include_usage: true },
    }),
  );
  const parsed = events.slice(0, -1).map((event) => JSON.parse(event.replace(/^data: /, "")));
  expect(
    parsed.map(({ choices: [one] }) => one && [one.delta.role, one.delta.content, one.finish_reason]),
  ).toEqual([["assistant", "", null], [null, "one ", null], [null, "two", "stop"], undefined]);
  expect(parsed.at(-1).usage).toEqual({ prompt_tokens: 7, completion_tokens: 4, total_tokens: 11 });
  expect(events.at(-1)).toBe("data: [DONE]\n\n");
});

test("a failure before the first text is the response; a later one is the last event", async () => {
  const refused = openApi(failing(foreignError("request/invalid", "max_new_tokens is 9")));
  const asked = { model: "chat", prompt: "a", stream: true };
  const answer = await refused.post("/v1/completions", asked);
  expect([answer.status, bodyOf(answer).error.message]).toEqual([400, "max_new_tokens is 9"]);

  const broken = openApi(async function* (request) {
    yield answerOf(request, "one", [5], false);
    yield { error: foreignError("model/failed", "out of memory"), final: true };
  });
  const events = await eventsOf(await broken.post("/v1/completions", asked));
  expect(events.length).toBe(2);
  expect(JSON.parse(events[1]?.slice("data: ".length) ?? "").error).toMatchObject({
    message: "out of memory",
    type: "server_error",
  });
  expect(broken.failures).toEqual([]);

  const odd = openApi(failing(new TypeError("a bug")));
  const fault = await odd.post("/v1/completions", asked);
  expect([fault.status, bodyOf(fault).error.type, odd.failures.length]).toEqual([500, "server_error", 1]);
});

test("a reader that disconnects stops the model", async () => {
  let ended = false;
  const { post } = openApi(async function* (request) {
    try {
      for (;;) yield answerOf(request, "word ", [5], false);
    } finally {
      ended = true;
    }
  });
  const answer = await post("/v1/completions", { model: "chat", prompt: "a", stream: true });
  if (!("pieces" in answer)) throw new Error(answer.body);
  for await (const piece of answer.pieces) {
    expect(piece).toContain('"word "');
    break;
  }
  expect(ended).toBe(true);
});

test.each(["stop", "length"])(
  "the finish reason %j is the ensemble's own, if it returns one",
  async (reason) => {
    const reasons = (request: InferRequest, text: string, final: boolean): TextMessage => {
      const { response } = answerOf(request, text, [5, 6, 7, 8], final);
      if (response === undefined) throw new Error("an answer has a response");
      const why = tensorOf("BYTES", [1, 1], [final ? reason : ""]);
      return { response: { ...response, outputs: new Map([...response.outputs, ["why", why]]) }, final };
    };
    const { post, requests } = openApi(
      async function* (request) {
        yield reasons(request, "one ", false);
        yield reasons(request, "two", true);
      },
      { ...described, finishReason: "why" },
    );
    // As many tokens as the maximum: the last one may have completed a stop string.
    const answer = bodyOf(await post("/v1/completions", { model: "chat", prompt: "a", stop: ["x"] }));
    expect(answer.choices[0].finish_reason).toBe(reason);
    expect(requests[0]?.outputs).toEqual(["text", "ids", "why"]);
  },
);

test("without tokens there is no usage, and the finish reason is unknown", async () => {
  const { tokens: _, ...silent } = described;
  const { post, requests } = openApi(twoPieces, silent);
  const answer = bodyOf(await post("/v1/completions", { model: "chat", prompt: "a" }));
  expect([answer.usage, answer.choices[0].finish_reason, requests.length]).toEqual([null, "stop", 1]);
});
