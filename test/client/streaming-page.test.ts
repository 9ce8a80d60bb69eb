import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { writeBuild } from "@tritype/project";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import type { Browser, Page } from "playwright-core";
import type { StreamingClient } from "tritype/client";
import type { GrpcOptions } from "tritype/client/grpc";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startBrowser } from "../environment/chromium.ts";
import { listen } from "../fixtures/listen.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { chatFiles, guideText } from "../triton/chat-guide.ts";
import { installJudge, installTime, killTriton } from "../triton/judge.ts";
import { serveDev } from "./built-example.ts";
import { servePage } from "./page-server.ts";

interface ChatInputs {
  readonly prompt: readonly string[];
  readonly seed?: readonly number[];
  readonly max_new_tokens?: readonly number[];
}
interface ChatOutputs {
  readonly text: { readonly shape: readonly number[]; readonly data: readonly string[] };
}
type Chat = StreamingClient<ChatInputs, ChatOutputs>;

let project: ProjectFixture;
let dev: Awaited<ReturnType<typeof serveDev>>;
let triton: TritonServer;
let devSite: Awaited<ReturnType<typeof servePage>>;
let tritonSite: Awaited<ReturnType<typeof servePage>>;
let browser: Browser;
beforeAll(async () => {
  const installation = await installJudge();
  vi.stubEnv("TRITYPE_PYTHON", installation.python);
  project = makeProject({ ...chatFiles(), "pipeline.ts": guideText("pipeline.ts") });
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  const page = guideText("page.html");
  devSite = await servePage(project.path("build/client"), () => dev.url, page);
  tritonSite = await servePage(project.path("build/client"), () => triton.httpUrl, page);
  dev = await serveDev(project, ["--no-watch", "--allowed-origin", devSite.origin]);
  triton = await serveTriton(installation, { repository: project.path("build/model_repository") });
  await triton.waitReady();
  browser = await startBrowser();
}, installTime);
afterAll(async () => {
  vi.unstubAllEnvs();
  await browser?.close();
  devSite?.close();
  tritonSite?.close();
  await dev?.stop();
  await killTriton(triton);
  project?.remove();
});

/** The client of the build, in Node. */
const chatOver = async (url: string): Promise<Chat> => {
  const path = pathToFileURL(project.path("build/client/chat.js")).href;
  const { chatClient } = (await import(/* @vite-ignore */ path)) as {
    readonly chatClient: (options: { readonly url: string }) => Chat;
  };
  return chatClient({ url });
};
const textOf = async (chat: Chat, inputs: ChatInputs): Promise<readonly string[]> => {
  const pieces: string[] = [];
  for await (const { text } of chat.stream(inputs)) pieces.push(...text.data);
  return pieces;
};
const open = async (origin: string): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width: 640, height: 220 } });
  await page.goto(origin);
  // The texts that the page shows, in order.
  await page.evaluate(`(() => {
    const output = document.querySelector("output");
    globalThis.shown = [];
    new MutationObserver(() => shown.push(output.textContent)).observe(output, { childList: true, characterData: true, subtree: true });
  })()`);
  return page;
};

describe.each([
  ["pipeline dev", () => devSite.origin, () => dev.url],
  ["Triton behind a proxy", () => tritonSite.origin, () => triton.httpUrl],
])("the page of the guide with %s", (name, origin, url) => {
  test("the page shows tokens as they are generated", async () => {
    const chat = await chatOver(url());
    const told = await Promise.all(
      ["abc", "a story", "a", "tell me a story", "a cat", "me"].map(async (prompt) => ({
        prompt,
        text: (await textOf(chat, { prompt: [prompt] })).join(""),
      })),
    );
    // A tiny model's answers are often short, so the longest one is used.
    const [{ prompt, text: expected } = { prompt: "", text: "" }] = told.toSorted(
      (one, other) => other.text.length - one.text.length,
    );
    expect(expected.length).toBeGreaterThan(10);
    const page = await open(origin());
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.fill("input", prompt);
    await page.click("button");
    await expect.poll(() => page.textContent("output")).toBe(expected);
    const shown = (await page.evaluate<readonly string[]>("shown")).filter(Boolean);
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.every((text) => expected.startsWith(text))).toBe(true);
    expect(problems).toEqual([]);
    const folder = process.env["TRITYPE_SCREENSHOTS"];
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: `${folder}/${name.replaceAll(" ", "-")}.png` });
    }
    await page.close();
  });

  test("the page shows an error, and can leave a stream early", async () => {
    const page = await open(origin());
    const run = (body: string): Promise<unknown> =>
      page.evaluate(`(async () => {
        const { chatClient, ClientError } = await import("/client/chat.js");
        const client = chatClient({ url: "/triton" });
        ${body}
      })()`);
    expect(
      await run(`try { for await (const _ of client.stream({ prompt: ["a", "b"] })); }
        catch (error) { return [error instanceof ClientError, error.kind, error.status, error.message]; }`),
    ).toEqual([true, "refused", 400, expect.stringContaining("batch-size must be <= 1")]);
    expect(
      await run(
        `return client.stream({ prompt: ["a"], max_new_tokens: [-1] }).next().catch((error) => error.message)`,
      ),
    ).toContain("max_new_tokens must be from 1 to 24");
    expect(
      await run(
        `for await (const { text } of client.stream({ prompt: ["a"], seed: [7] })) return [text.shape, text.data.length];`,
      ),
    ).toEqual([[1, 1], 1]);
    expect(
      await run(`return client.infer({ prompt: ["a"] }).catch((error) => [error.kind, error.message])`),
    ).toEqual(["invalid", "chat streams: use `for await (const answer of client.stream(inputs))`"]);
    await page.close();
  });
});

test("a page of an allowed origin streams from pipeline dev directly", async () => {
  const page = await open(devSite.origin);
  const got = await page.evaluate(`(async () => {
    const { chatClient } = await import("/client/chat.js");
    const pieces = [];
    for await (const { text } of chatClient({ url: "${dev.url}" }).stream({ prompt: ["a"], seed: [7] })) pieces.push(...text.data);
    return pieces.join("");
  })()`);
  expect(got).toBe((await textOf(await chatOver(dev.url), { prompt: ["a"], seed: [7] })).join(""));
  await page.close();
});

test("a page whose server disconnects mid-stream gets one error after the text so far", async () => {
  const dying = createServer((request, response) => {
    request.resume();
    if (request.url?.endsWith("/config") === true) {
      response.end(
        JSON.stringify({
          name: "chat",
          model_transaction_policy: { decoupled: true },
          input: [{ name: "prompt", data_type: "TYPE_STRING", dims: [1] }],
          output: [{ name: "text", data_type: "TYPE_STRING", dims: [1] }],
          max_batch_size: 1,
        }),
      );
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write('data: {"text":"Once "}\n\n', () => setTimeout(() => response.socket?.destroy(), 200));
  });
  const port = await listen(dying);
  const site = await servePage(project.path("build/client"), () => `http://127.0.0.1:${port}`);
  const page = await browser.newPage();
  await page.goto(site.origin);
  expect(
    await page.evaluate(`(async () => {
      const { createHttpClient } = await import("/client/core/kserve.js");
      const client = createHttpClient({ url: "/triton", ensemble: "chat" });
      const got = [];
      try { for await (const { text } of client.stream({ prompt: ["a"] })) got.push(...text.data); }
      catch (error) { got.push(error.kind); }
      return got;
    })()`),
  ).toEqual(["Once ", "lost"]);
  await page.close();
  site.close();
  dying.close();
});

test("over gRPC, the build's client receives the same stream", async () => {
  const path = pathToFileURL(project.path("build/client/core/grpc.js")).href;
  const contracts = pathToFileURL(project.path("build/client/chat.js")).href;
  const { createGrpcClient } = (await import(/* @vite-ignore */ path)) as {
    readonly createGrpcClient: (options: GrpcOptions & { readonly ensemble: unknown }) => Chat;
  };
  const { chatContract } = (await import(/* @vite-ignore */ contracts)) as { readonly chatContract: unknown };
  const chat = createGrpcClient({ address: triton.grpcAddress, ensemble: chatContract });
  const pieces = await textOf(chat, { prompt: ["a"], seed: [7] });
  expect(pieces.join("")).toBe(
    (await textOf(await chatOver(triton.httpUrl), { prompt: ["a"], seed: [7] })).join(""),
  );
  chat.close();
});
