import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import OpenAI from "openai";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { pythonTool, withPackages } from "../environment/python-tool.ts";
import { makeProject } from "../fixtures/project.ts";
import { serve, type Served } from "../cli/served-dev.ts";
import { generateStream } from "../triton/stream-call.ts";
import { chatProject } from "./chat-project.ts";

const exec = promisify(execFile);

/** The newest versions when this was written. */
const pypiVersion = "3.57.0";

const messages = [
  { role: "system", content: "be a cab" },
  { role: "user", content: "abc" },
] as const;
/** The template's output for them, without the `<s>` that the tokenizer adds. */
const prompt = "s. be a cab, u. abc, ab.";

/** The package from PyPI; about 20 MB on first use. */
const pypi = (): Promise<string> => pythonTool("openai", pypiVersion);
beforeAll(pypi);

const openProject = async (): Promise<Served> => {
  const project = makeProject(chatProject);
  onTestFinished(project.remove);
  return serve(project, ["--no-watch"], { env: { TRITYPE_PYTHON: await pythonWithNumpy() } });
};

const plain = ({ id, created, ...rest }: { readonly id: string; readonly created: number }): object => {
  expect(id).toMatch(/^cmpl-[0-9a-f-]{36}$/);
  expect(Math.abs(Date.now() / 1000 - created)).toBeLessThan(600);
  return rest;
};

const streamed = async (
  chunks: Promise<AsyncIterable<{ readonly id: string; readonly created: number }>>,
): Promise<readonly object[]> => {
  const all: object[] = [];
  for await (const chunk of await chunks) all.push(plain(chunk));
  return all;
};

const failure = async (call: PromiseLike<unknown>): Promise<object> =>
  call.then(
    () => {
      throw new Error("the call did not fail");
    },
    (error: unknown) => {
      if (!(error instanceof OpenAI.APIError)) throw error;
      return {
        name: error.constructor.name,
        status: error.status,
        param: error.param,
        code: error.code,
        message: (error.error as { readonly message: string }).message,
      };
    },
  );

/** The calls in calls.py, with the package from npm. */
const callsOfNpm = async (baseURL: string) => {
  const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
  const { chat, completions, models } = client;
  const usage = { include_usage: true };
  const asked = { messages: [...messages], seed: 7 };
  return {
    models: (await models.list()).data.map(({ id }) => id),
    model: (await models.retrieve("chat")).id,
    chat: plain(await chat.completions.create({ model: "chat", ...asked })),
    short: plain(await chat.completions.create({ model: "chat", ...asked, max_tokens: 3 })),
    whole: plain(await chat.completions.create({ model: "whole", ...asked })),
    greedy: plain(await completions.create({ model: "chat", prompt: "abc", temperature: 0, echo: true })),
    stopped: plain(
      await completions.create({ model: "chat", prompt: "abc", temperature: 0, stop: ["a", "b"] }),
    ),
    chunks: await streamed(
      chat.completions.create({ model: "chat", ...asked, stream: true, stream_options: usage }),
    ),
    pieces: await streamed(completions.create({ model: "whole", prompt: "abc", seed: 3, stream: true })),
    failures: [
      await failure(models.retrieve("other")),
      await failure(completions.create({ model: "other", prompt: "a" })),
      await failure(chat.completions.create({ model: "plain", messages: [...messages] })),
      await failure(chat.completions.create({ model: "chat", messages: [] })),
      await failure(completions.create({ model: "plain", prompt: "a", seed: 1, temperature: 0.5 })),
      await failure(completions.create({ model: "needy", prompt: "a" })),
      await failure(completions.create({ model: "chat", prompt: "a".repeat(24) })),
      await failure(chat.completions.create({ model: "chat", ...asked, max_completion_tokens: 25 })),
    ],
  };
};

const callsOfPypi = async (baseURL: string): Promise<unknown> => {
  const [python, packages] = await Promise.all([pythonWithNumpy(), pypi()]);
  const script = fileURLToPath(new URL("calls.py", import.meta.url));
  const { stdout } = await exec(python, [script, baseURL], { env: withPackages(packages) });
  return JSON.parse(stdout);
};

type Chunk = { readonly choices: readonly { readonly delta: { readonly content: string } }[] };
const textOf = (chunks: readonly object[]): string =>
  (chunks as readonly Chunk[]).map(({ choices }) => choices[0]?.delta.content ?? "").join("");

test("the clients from npm and PyPI get the same text as from generate_stream", async () => {
  const { url, err } = await openProject();
  expect(err()).toContain(`OpenAI API at ${url}/v1: chat, plain, whole\n`);
  expect(err()).toContain("completions only, because there is no chat template: plain\n");
  const npm = await callsOfNpm(`${url}/v1`);
  const pypi = (await callsOfPypi(`${url}/v1`)) as typeof npm;

  const events = await generateStream(url, "chat", { prompt, seed: 7 });
  if (typeof events === "string") throw new Error(events);
  const said = events.map(({ answer }) => answer).join("");
  const tokens = events.flatMap(({ tokens: some }) => some as number | readonly number[]);
  // One `<s>`, and the characters of the prompt except two that are not in the vocabulary.
  const count = 1 + prompt.length - 2;
  const usage = {
    prompt_tokens: count,
    completion_tokens: tokens.length,
    total_tokens: count + tokens.length,
  };
  expect(npm.chat).toEqual({
    choices: [
      {
        finish_reason: "length",
        index: 0,
        logprobs: null,
        message: { role: "assistant", content: said, function_call: null, tool_calls: null },
      },
    ],
    model: "chat",
    object: "chat.completion",
    system_fingerprint: null,
    usage,
  });
  expect(npm.whole).toEqual({ ...npm.chat, model: "whole" });
  expect(textOf(npm.chunks)).toBe(said);
  // On a busy machine, the text may arrive as one piece.
  expect(npm.chunks.length).toBeGreaterThanOrEqual(3);
  expect(npm.chunks.at(-1)).toMatchObject({ choices: [], usage });
  expect(npm.short).toMatchObject({
    choices: [{ finish_reason: "length" }],
    usage: { prompt_tokens: count, completion_tokens: 3, total_tokens: count + 3 },
  });
  const likely = await generateStream(url, "chat", { prompt: "abc", top_k: 1 });
  if (typeof likely === "string") throw new Error(likely);
  const greedy = `abc${likely.map(({ answer }) => answer).join("")}`;
  expect(npm.greedy).toMatchObject({ choices: [{ text: greedy }], object: "text_completion" });
  const [beforeStop] = greedy.slice(3).split(/[ab]/);
  expect(npm.stopped).toMatchObject({ choices: [{ text: beforeStop, finish_reason: "stop" }] });
  // The only token that is allowed completes the stop string.
  const body = JSON.stringify({
    model: "chat",
    prompt: "abc",
    temperature: 0,
    max_tokens: 1,
    stop: greedy.slice(3, 4),
  });
  const once = await fetch(`${url}/v1/completions`, { method: "POST", body });
  expect(await once.json()).toMatchObject({ choices: [{ text: "", finish_reason: "stop" }] });
  expect(npm.failures).toEqual([
    { name: "NotFoundError", status: 404, param: "model", code: null, message: "Unknown model: other" },
    { name: "BadRequestError", status: 400, param: "model", code: null, message: "Unknown model: other" },
    {
      name: "BadRequestError",
      status: 400,
      param: "model",
      code: null,
      message: expect.stringContaining(
        "model 'plain' has no chat template: its tokenizer's folder has neither",
      ),
    },
    {
      name: "UnprocessableEntityError",
      status: 422,
      param: "messages",
      code: null,
      message: expect.stringContaining("messages: "),
    },
    {
      name: "BadRequestError",
      status: 400,
      param: "temperature",
      code: null,
      message: "model 'plain' does not sample tokens: its only temperature is 0",
    },
    {
      name: "BadRequestError",
      status: 400,
      param: "model",
      code: null,
      message:
        "Unknown model: needy. The server has it, but this API only lists models that continue a prompt without other required inputs. Its required inputs: 'prompt', 'seed'",
    },
    {
      name: "BadRequestError",
      status: 400,
      param: "prompt",
      code: "context_length_exceeded",
      message:
        "the prompt has 25 tokens, but model 'chat' takes at most 24: `maxLength` of its tokenizer step 'tokenize' is 24",
    },
    {
      name: "BadRequestError",
      status: 400,
      param: "max_completion_tokens",
      code: null,
      message:
        "max_completion_tokens is 25, but model 'chat' generates from 1 to 24 tokens: `maxNewTokens` of its generate step is 24",
    },
  ]);

  // The number of chunks in a stream depends on timing, and Python adds fields that were not sent.
  const { chunks, pieces, ...rest } = pypi;
  expect(textOf(chunks)).toBe(said);
  expect(pieces).toMatchObject(npm.pieces);
  const { chunks: _, pieces: __, ...same } = npm;
  expect(rest).toMatchObject(same);
});
