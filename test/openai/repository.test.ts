import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { startPipeline } from "../cli/run-pipeline.ts";
import { serve, type Served } from "../cli/served-dev.ts";
import { openOtlpSink } from "../triton/traces/otlp-sink.ts";
import { spanTrees } from "../triton/traces/span-trees.ts";
import { mockRepository } from "./mock-repository.ts";

const folder = (): ProjectFixture => {
  const made = makeProject(mockRepository);
  onTestFinished(made.remove);
  return made;
};

const open = async (args: readonly string[]): Promise<Served & { readonly client: OpenAI }> => {
  const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  const served = await serve(folder(), ["repository", "--no-watch", ...args], { env });
  return { ...served, client: new OpenAI({ baseURL: `${served.url}/v1`, apiKey: "none", maxRetries: 0 }) };
};

const post = async (
  url: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const reply = await fetch(`${url}${path}`, { method: "POST", body: text, headers });
  return { status: reply.status, text: await reply.text(), headers: reply.headers };
};

test("a model without a build gets the same requests as from Triton's frontend", async () => {
  const { client, url } = await open(["--tokenizer", "tokenizer", "--allowed-origin", "http://page.test"]);
  const said = await client.completions.create({
    model: "llm",
    prompt: "hello",
    seed: 2 ** 53 - 1,
    stop: ["x", "y"],
    top_p: 0.5,
  });
  expect(JSON.parse(said.choices[0]?.text ?? "")).toEqual({
    max_tokens: 16,
    return_num_input_tokens: true,
    seed: 2 ** 53 - 1,
    stop_words: ["x", "y"],
    stream: false,
    temperature: 1,
    text_input: "hello",
    top_p: 0.5,
  });
  expect(said.usage).toEqual({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });

  const chat = await client.chat.completions.create({
    model: "llm",
    messages: [
      { role: "system", content: "be kind" },
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
    ],
    max_completion_tokens: 5,
  });
  expect(JSON.parse(chat.choices[0]?.message.content ?? "")).toMatchObject({
    max_tokens: 5,
    temperature: expect.closeTo(0.7, 5),
    text_input: "<system>be kind<user>one\ntwo",
  });

  // A client that disconnects mid-stream cancels its request.
  const words = await client.completions.create({ model: "llm", prompt: "for ever", stream: true });
  for await (const { choices } of words) {
    expect(choices[0]?.text).toBe("word ");
    break;
  }
  // The same request without a stream. On a busy machine, the client may disconnect before its request has reached the model.
  await expect
    .poll(async () => {
      const left = new AbortController();
      const waiting = client.completions.create(
        { model: "llm", prompt: "for ever" },
        { signal: left.signal },
      );
      setTimeout(() => left.abort(), 300);
      await expect(waiting).rejects.toThrow(OpenAI.APIUserAbortError);
      const answer = await client.completions.create({ model: "llm", prompt: "how many left?" });
      return Number(answer.choices[0]?.text);
    })
    .toBeGreaterThanOrEqual(2);

  // A failure before the first text is the whole answer; a later one is the last event.
  const broken = await client.completions.create({ model: "llm", prompt: "fail", stream: true });
  const read: string[] = [];
  const reading = (async () => {
    for await (const { choices } of broken) read.push(choices[0]?.text ?? "");
  })();
  await expect(reading).rejects.toThrow("out of words");
  expect(read).toEqual(["so "]);

  for (const [path, body, status, message] of refused) {
    const answer = await post(url, path, body);
    expect([answer.status, messageOf(answer.text)]).toEqual([status, message]);
  }
  const large = await post(url, "/v1/completions", "x".repeat(17 * 2 ** 20));
  expect([large.status, messageOf(large.text)]).toEqual([413, expect.stringContaining("16777216 bytes")]);

  // The rules for web pages are the same as for the other paths.
  const asked = { model: "llm", prompt: "hello", stream: true };
  const foreign = await post(url, "/v1/completions", asked, { Origin: "http://other.test" });
  expect(foreign.status).toBe(403);
  const allowed = await post(url, "/v1/completions", asked, { Origin: "http://page.test" });
  expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([
    200,
    "http://page.test",
  ]);
  expect(allowed.text.endsWith("data: [DONE]\n\n")).toBe(true);
});

const messageOf = (body: string): string =>
  (JSON.parse(body) as { readonly error: { readonly message: string } }).error.message;

const completions = "/v1/completions";
const chats = "/v1/chat/completions";
const one = { model: "llm", prompt: "a" };
const talk = { model: "llm", messages: [{ role: "user", content: "a" }] };
const single = "but only single choice";

/** Requests that are refused: their path and body, and the status and message. */
const refused: readonly (readonly [string, unknown, number, unknown])[] = [
  [completions, "{", 422, expect.stringContaining("the body is not JSON: ")],
  [completions, {}, 422, "model: Field required"],
  [completions, { ...one, temperature: 2.1 }, 422, "temperature: Input should be less than or equal to 2"],
  [completions, { ...one, top_k: 3 }, 422, "top_k: Extra inputs are not permitted"],
  [completions, { ...one, prompt: "" }, 400, "prompt must be non-empty"],
  [completions, { ...one, prompt: ["a", "b"] }, 400, "only single string input is supported"],
  [completions, { ...one, suffix: "b" }, 400, "suffix is not currently supported"],
  [completions, { ...one, n: 2 }, 400, `Received n=2, ${single} (n=1) is currently supported`],
  [
    completions,
    { ...one, best_of: 2 },
    400,
    `Received best_of=2, ${single} (best_of=1) is currently supported`,
  ],
  [completions, { ...one, logit_bias: {} }, 400, "logit bias is not supported"],
  [completions, { ...one, logprobs: 2 }, 400, "logprobs are currently available only for the vLLM backend"],
  [
    completions,
    { ...one, stream_options: {} },
    400,
    "`stream_options` can only be used when `stream` is True",
  ],
  [
    completions,
    { ...one, frequency_penalty: 1 },
    400,
    "model 'llm' does not take 'frequency_penalty': it has no input 'frequency_penalty'",
  ],
  [
    chats,
    { ...talk, tools: [{ type: "function", function: { name: "f" } }] },
    400,
    'tools is not supported: tool calls are not parsed from the model\'s text; with tool_choice "none", the chat template gets the tools',
  ],
  [
    chats,
    { ...talk, response_format: { type: "json_object" } },
    400,
    "response_format 'json_object' is not supported: the model's text is not constrained",
  ],
  [
    chats,
    { ...talk, messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }] },
    400,
    "only text message is supported, but got image_url",
  ],
  [
    "/v1/embeddings",
    { model: "llm", input: "a" },
    404,
    "there is no /v1/embeddings here: this server has /v1/models, /v1/completions and /v1/chat/completions",
  ],
  ["/v1/models", {}, 405, "Method Not Allowed"],
];

test("a model's trace is below the caller's span, as for generate", async () => {
  const sink = await openOtlpSink();
  onTestFinished(sink.close);
  const settings = ["mode=opentelemetry", "level=TIMESTAMPS", "rate=1", `opentelemetry,url=${sink.url}`];
  const { client, url } = await open(
    [...settings, "opentelemetry,bsp_schedule_delay=50"].flatMap((setting) => ["--trace-config", setting]),
  );
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const treesOf = async (ask: () => Promise<unknown>): Promise<readonly string[]> => {
    sink.exports.length = 0;
    await ask();
    await expect.poll(() => sink.spans().map(({ name }) => name)).toContain("InferRequest");
    return spanTrees(sink.spans());
  };
  const headers = { traceparent };
  const stream = { model: "llm", prompt: "a", stream: true } as const;
  const [generated, whole, streamed] = [
    await treesOf(() => post(url, "/v2/models/llm/generate", { text_input: "a" }, headers)),
    await treesOf(() => client.completions.create({ model: "llm", prompt: "a" }, { headers })),
    await treesOf(async () => {
      for await (const chunk of await client.completions.create(stream, { headers })) void chunk;
    }),
  ];
  expect(whole).toEqual(generated);
  expect(whole.join()).toMatch(/^InferRequest kind 2 below b7ad6b7169203331 .*\n  llm .*\n    compute/);
  const pieces = / HTTP_SEND_START HTTP_SEND_END/g;
  expect(streamed.join().replaceAll(pieces, "")).toBe(whole.join().replaceAll(pieces, ""));
  expect(streamed.join().match(pieces)?.length).toBeGreaterThan(1);
  const refused = await treesOf(async () => {
    await post(url, completions, { ...one, frequency_penalty: 1 });
    await client.completions.create({ model: "llm", prompt: "a" });
  });
  expect(refused.join()).toContain("below nothing");
  expect(refused).toHaveLength(1);
});

test("--tokenizer needs a chat template", async () => {
  const { ended } = startPipeline(folder(), ["dev", "repository", "--tokenizer", "empty"]);
  const { code, err } = await ended;
  expect([code, err]).toEqual([2, expect.stringContaining("--tokenizer empty has no chat template")]);
});
