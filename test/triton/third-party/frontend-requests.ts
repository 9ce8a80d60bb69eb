/** A request to OpenAI's API. */
export interface FrontendRequest {
  readonly path: string;
  /** None for GET requests. */
  readonly body?: object | string;
}

const model = "tensorrt_llm_bls";
const messages = [
  { role: "system", content: "You are brief." },
  { role: "user", content: "What is machine learning?" },
];
const completion = (more: object = {}): FrontendRequest => ({
  path: "/v1/completions",
  body: { model, prompt: "What is machine learning?", ...more },
});
const chat = (more: object = {}): FrontendRequest => ({
  path: "/v1/chat/completions",
  body: { model, messages, ...more },
});
const stream = { stream: true };
const tool = { type: "function", function: { name: "weather", parameters: { type: "object" } } };

const allKinds = "one issue for the message, not one for each kind of message";
const noTools = "the message says what is supported";
const wording = "the wording of the message";
const strict = "Triton's frontend reads such text as a number or a Boolean";

/** The reasons for different answers. */
export const frontendDifferences: Readonly<Record<string, string>> = {
  "a path that does not exist": "the message lists the paths",
  "a chat with parts of text":
    "Triton's frontend gives the template the list of parts, which most templates print as Python's list",
  "a failing model, streamed": "Triton's frontend has already sent its status, and drops the connection",
  tools: noTools,
  "tools with tool_choice auto": noTools,
  "a named tool": "the request is refused; Triton's frontend sends inputs that the model may not have",
  "a required tool without tools": noTools,
  "response_format json_object": "Triton's frontend ignores it, so the text is not JSON",
  "an empty message": allKinds,
  "an unknown role": allKinds,
  "a message without content": allKinds,
  "a temperature that is text": wording,
  "a temperature as a string of digits": strict,
  "ignore_eos as a number": wording,
  "stream as a string": strict,
  "a body that is not JSON": "Triton's frontend adds the position of the fault",
};

/** Both servers answer these requests; the answers are compared whole, except for ids and times. */
export const frontendRequests: Readonly<Record<string, FrontendRequest>> = {
  "the models": { path: "/v1/models" },
  "a model": { path: `/v1/models/${model}` },
  "an unknown model": { path: "/v1/models/other" },
  "a path that does not exist": { path: "/v1/other" },
  "a completion": completion(),
  "a completion with all settings": completion({
    max_tokens: 9,
    temperature: 1.5,
    top_p: 0.5,
    seed: 7,
    stop: ["is", "a"],
    frequency_penalty: 1,
    presence_penalty: -1,
    n: 1,
    best_of: 1,
    user: "me",
    logprobs: 0,
  }),
  "a completion with null settings": completion({ max_tokens: null, stop: null, seed: null, suffix: null }),
  "a completion with echo": completion({ echo: true }),
  "a completion without tokens": completion({ max_tokens: 0 }),
  "a completion with a large seed": completion({ seed: 2 ** 53 - 1 }),
  "a completion, streamed": completion(stream),
  "a completion with usage, streamed": completion({ ...stream, stream_options: { include_usage: true } }),
  "a completion with echo, streamed": completion({ ...stream, echo: true, max_tokens: 3 }),
  "a chat": chat(),
  "a chat, streamed": chat(stream),
  "a chat with usage, streamed": chat({ ...stream, stream_options: { include_usage: true }, max_tokens: 4 }),
  "a chat with a stop string": chat({ stop: "is", max_completion_tokens: 50, seed: 3 }),
  "a chat with both limits": chat({ max_tokens: 20, max_completion_tokens: 2 }),
  "a chat with parts of text": chat({
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
    ],
  }),
  "a chat with the assistant's tool call": chat({
    messages: [
      ...messages,
      {
        role: "assistant",
        content: "wait",
        tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "42" },
    ],
  }),
  "a failing model": completion({ prompt: "fail" }),
  "a failing model, streamed": completion({ prompt: "fail", ...stream }),
  "a completion by an unknown model": completion({ model: "other" }),
  "a chat with an unknown model": chat({ model: "other" }),
  "an empty prompt": completion({ prompt: "" }),
  "no prompts": completion({ prompt: [] }),
  "several prompts": completion({ prompt: ["one", "two"] }),
  "token ids as the prompt": completion({ prompt: [1, 2] }),
  "a suffix": completion({ suffix: "end" }),
  "two completions": completion({ n: 2 }),
  "the best of two": completion({ best_of: 2 }),
  "two answers": chat({ n: 2 }),
  "logit bias": completion({ logit_bias: { 5: 1 } }),
  "logit bias in a chat": chat({ logit_bias: { 5: 1 } }),
  logprobs: completion({ logprobs: 2 }),
  "logprobs in a chat": chat({ logprobs: true }),
  "top_logprobs only": chat({ top_logprobs: 2 }),
  "stream_options without a stream": completion({ stream_options: { include_usage: true } }),
  tools: chat({ tools: [tool] }),
  "tools with tool_choice auto": chat({ tools: [tool], tool_choice: "auto" }),
  "tools with tool_choice none": chat({ tools: [tool], tool_choice: "none" }),
  "a named tool": chat({
    tools: [tool],
    tool_choice: { type: "function", function: { name: "weather" } },
  }),
  "a required tool without tools": chat({ tool_choice: "required" }),
  "an image in a message": chat({
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "http://a.test/b.png" } }] }],
  }),
  "response_format json_object": chat({ response_format: { type: "json_object" } }),
  "no messages": chat({ messages: [] }),
  "an empty message": chat({ messages: [{}] }),
  "an unknown role": chat({ messages: [{ role: "judge", content: "a" }] }),
  "a message without content": chat({ messages: [{ role: "user" }] }),
  "an empty body": { path: "/v1/completions", body: {} },
  "no model": { path: "/v1/completions", body: { prompt: "a" } },
  "no prompt": { path: "/v1/completions", body: { model } },
  "an unknown member": completion({ top_k: 3 }),
  "a temperature above 2": completion({ temperature: 2.1 }),
  "a negative temperature": chat({ temperature: -0.1 }),
  "a temperature that is text": completion({ temperature: "hot" }),
  "a temperature as a string of digits": completion({ temperature: "0.5" }),
  "top_p above 1": completion({ top_p: 1.1 }),
  "negative max_tokens": completion({ max_tokens: -1 }),
  "max_tokens with a fraction": completion({ max_tokens: 1.5 }),
  "a penalty above 2": chat({ presence_penalty: 2.1 }),
  "logprobs above 5": completion({ logprobs: 7 }),
  "top_logprobs above 20": chat({ logprobs: true, top_logprobs: 25 }),
  "n above 128": completion({ n: 129 }),
  "ignore_eos as a number": completion({ ignore_eos: 123 }),
  "stream as a string": completion({ stream: "yes" }),
  "a body that is not JSON": { path: "/v1/completions", body: "{" },
  "a body that is a list": { path: "/v1/completions", body: [] },
};
