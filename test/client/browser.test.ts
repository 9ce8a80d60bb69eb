import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../environment/chromium.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { buildExample, serveDev } from "./built-example.ts";
import { importEmitted } from "./emitted.ts";
import { servePage } from "./page-server.ts";

let project: ProjectFixture;
let server: Awaited<ReturnType<typeof serveDev>>;
let site: Awaited<ReturnType<typeof servePage>>;
let browser: Browser;
let page: Page;
const problems: string[] = [];
beforeAll(async () => {
  project = await buildExample();
  site = await servePage(project.path("build/client"), () => server.url);
  server = await serveDev(project, ["--no-watch", "--allowed-origin", site.origin]);
  browser = await startBrowser();
  page = await browser.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(site.origin);
}, 600_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  await server?.stop();
  project?.remove();
});

/** Runs the body of an async function in the page, with the build's `embedClient` and `ClientError`. */
const inPage = (body: string, argument: unknown = null): Promise<unknown> =>
  page.evaluate(
    `(async (given) => { const { embedClient, ClientError } = await import("/client/embed.js"); ${body} })(${JSON.stringify(argument)})`,
  );

test("the emitted client runs unchanged in a browser, with the same results as in Node", async () => {
  const texts = ["a text", "ü 👩‍🚀"];
  const got = await inPage(
    `const client = embedClient({ url: "/triton" });
     const { embedding } = await client.infer({ text: given }, { deadlineMs: 60000, id: "page" });
     return { shape: embedding.shape, name: embedding.data.constructor.name, data: [...embedding.data] };`,
    texts,
  );
  const { embedClient } = await importEmitted(project);
  const { embedding } = await embedClient({ url: server.url }).infer({ text: texts });
  expect(got).toEqual({ shape: [2, 128], name: "Float32Array", data: [...embedding.data] });
  expect(problems).toEqual([]);
});

test("a page of an allowed origin calls the server directly, without a proxy", async () => {
  const got = await inPage(
    `const { embedding } = await embedClient({ url: given }).infer({ text: ["a text"] }, { deadlineMs: 60000 });
     return embedding.shape;`,
    server.url,
  );
  expect(got).toEqual([1, 128]);
});

test("errors in a browser have the right kind", async () => {
  // The page's own origin is allowed by the server, but not by a server without CORS.
  const elsewhere = site.origin.replace("127.0.0.1", "localhost");
  const kinds = await inPage(
    `const kindOf = (call) => call.then(() => "none", (error) => error instanceof ClientError ? [error.kind, error.message] : String(error));
     const client = embedClient({ url: given.url });
     const stop = new AbortController();
     const stopped = client.infer({ text: ["a"] }, { signal: stop.signal });
     stop.abort();
     return [
       await kindOf(client.infer({ text: "a" })),
       await kindOf(client.infer({ text: Array(65).fill("x") })),
       await kindOf(stopped),
       await kindOf(embedClient({ url: given.url, version: "9" }).infer({ text: ["a"] })),
       await kindOf(embedClient({ url: given.nobody, retries: 0 }).infer({ text: ["a"] })),
       await kindOf(embedClient({ url: given.elsewhere, retries: 0 }).infer({ text: ["a"] })),
     ];`,
    { url: `${site.origin}/triton/`, nobody: "http://127.0.0.1:9", elsewhere },
  );
  const noAnswer = (url: string) => [
    "unreachable",
    `no answer from ${url}: TypeError: Failed to fetch (there is no server, it has stopped, or it does not allow requests from this page)`,
  ];
  expect(kinds).toEqual([
    ["invalid", 'input `text`: expected BYTES[batch, 1], got "a" at text, where a list is expected'],
    ["refused", expect.stringContaining("batch-size must be <= 64")],
    ["cancelled", "the caller cancelled the request"],
    ["refused", expect.stringContaining("version 9 is not found")],
    noAnswer("http://127.0.0.1:9"),
    noAnswer(elsewhere),
  ]);
});
