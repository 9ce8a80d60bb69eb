import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "../environment/chromium.ts";
import { listen } from "../fixtures/listen.ts";
import { doubleModel } from "../fixtures/models.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { serveDev } from "./built-example.ts";

const repository = {
  "repository/double/config.pbtxt": `backend: "onnxruntime"
max_batch_size: 8
input [{ name: "x", data_type: TYPE_FP32, dims: [4] }]
output [{ name: "y", data_type: TYPE_FP32, dims: [4] }]
`,
  "repository/double/1/model.onnx": doubleModel(),
};

let browser: Browser;
let project: ProjectFixture;
let pages: Server;
let allowed: string;
beforeAll(async () => {
  project = makeProject(repository);
  pages = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>a page</title>");
  });
  allowed = `http://127.0.0.1:${await listen(pages)}`;
  browser = await startBrowser(
    // A name that resolves to this machine, as in DNS rebinding.
    "--host-resolver-rules=MAP evil.example 127.0.0.1",
    // Newer browsers ask the user before a page may reach this machine; the server does not rely on that.
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
  );
}, 120_000);
afterAll(async () => {
  await browser?.close();
  pages?.close();
  pages?.closeAllConnections();
  project?.remove();
});

/** `pipeline dev` of the repository. */
const dev = async (...options: readonly string[]) => {
  const { url, err, stop } = await serveDev(project, ["repository", ...options]);
  const at = (pattern: RegExp): string => {
    const address = pattern.exec(err())?.[1];
    if (address === undefined) throw new Error(err());
    return address;
  };
  return { url, grpc: at(/gRPC at ([\d.:]+)/), metrics: at(/metrics at (\S+)/), stop };
};

/** Runs the model's code when it is loaded. */
const model = Buffer.from(`open("ran", "w").write("x")\nclass TritonPythonModel:\n    pass\n`).toString(
  "base64",
);
const config = JSON.stringify({ backend: "python", input: [], output: [] });
const posts = {
  "/v2/repository/models/pwn/load": JSON.stringify({ parameters: { config, "file:1/model.py": model } }),
  "/v2/repository/models/double/load": "{}",
  "/v2/repository/models/double/unload": "{}",
  "/v2/repository/index": "{}",
  "/v2/systemsharedmemory/region/a/register": '{"key":"/a","offset":0,"byte_size":8}',
  "/v2/systemsharedmemory/unregister": "{}",
  "/v2/logging": '{"log_verbose_level":9}',
  "/v2/models/double/infer": '{"inputs":[{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]}]}',
};

/** Runs in the page: sends each request in every way that a page can, and returns the answers that it could read. */
const attack = `async ({ url, posts }) => {
  const read = [];
  for (const [path, body] of Object.entries(posts)) {
    for (const init of [
      { mode: "no-cors", headers: { "Content-Type": "text/plain" } },
      { mode: "no-cors", referrerPolicy: "no-referrer" },
      { mode: "cors", headers: { "Content-Type": "text/plain" } },
      { mode: "cors", headers: { "Content-Type": "application/json" } },
    ])
      await fetch(url + path, { method: "POST", body, ...init }).then((answer) => answer.ok && read.push(path), () => {});
    navigator.sendBeacon(url + path, body);
  }
  for (const path of ["/v2", "/v2/models/double/config"])
    await fetch(url + path).then((answer) => answer.ok && read.push(path), () => {});
  const frame = document.createElement("iframe");
  frame.name = "frame";
  document.body.append(frame);
  const form = document.createElement("form");
  Object.assign(form, { action: url + "/v2/repository/models/double/unload", method: "POST", target: "frame", enctype: "text/plain" });
  document.body.append(form);
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  form.submit();
  await loaded;
  return read;
}`;

describe.each([
  ["watching", []],
  ["none", ["--model-control-mode", "none"]],
  ["poll", ["--model-control-mode", "poll"]],
  ["explicit", ["--model-control-mode", "explicit", "--load-model", "double"]],
])("a page cannot control models: %s", (mode, options) => {
  let server: Awaited<ReturnType<typeof dev>>;
  beforeAll(async () => {
    server = await dev(...options, "--allowed-origin", allowed);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
  });

  /** A page at `origin`, and the statuses of the answers that it gets from the server. */
  const pageAt = async (origin: string) => {
    const page = await browser.newPage();
    const statuses = new Set<number>();
    page.on("response", (response) => {
      if (/\/v2|\/metrics/.test(response.url())) statuses.add(response.status());
    });
    await page.route(`${origin}/`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><body></body>" }),
    );
    await page.goto(`${origin}/`);
    return { page, statuses };
  };
  const run = (body: string, given: unknown): string => `(${body})(${JSON.stringify(given)})`;

  it.each([
    ["a page of another origin", () => "http://evil.example", () => server.url],
    ["a page of another port", () => allowed.replace("127.0.0.1", "localhost"), () => server.url],
    ["a page whose name leads here by now", () => server.url.replace("127.0.0.1", "evil.example"), () => ""],
  ])("%s is refused, whatever it sends", async (_, origin, url) => {
    const { page, statuses } = await pageAt(origin());
    expect(await page.evaluate(run(attack, { url: url(), posts }))).toEqual([]);
    expect([...statuses]).toEqual([403]);
    await page.close();
    expect((await fetch(`${server.url}/v2/models/double/ready`)).status).toBe(200);
    expect(await (await fetch(`${server.url}/v2/repository/index`, { method: "POST" })).json()).toHaveLength(
      1,
    );
    expect(existsSync(project.path("ran")) || existsSync("ran")).toBe(false);
  });

  if (mode !== "explicit") return;

  it("a page from another origin cannot read metrics or use gRPC", async () => {
    const { page } = await pageAt("http://evil.example");
    const read = `async (urls) => Promise.all(urls.map((url) => fetch(url, { mode: "cors" }).then(() => "read", () => "failed")))`;
    const urls = [server.metrics, `http://${server.grpc}/inference.GRPCInferenceService/ServerLive`];
    expect(await page.evaluate(run(read, urls))).toEqual(["failed", "failed"]);
    await page.close();
    expect((await fetch(server.metrics)).status).toBe(200);
  });

  it("a page of an allowed origin sends requests and reads answers", async () => {
    const { page } = await pageAt(allowed);
    const ask = `async ({ url, body }) => {
      const answer = await fetch(url + "/v2/models/double/infer", { method: "POST", body, headers: { "Content-Type": "application/json" } });
      return [answer.status, (await answer.json()).outputs[0].data];
    }`;
    const body = posts["/v2/models/double/infer"];
    expect(await page.evaluate(run(ask, { url: server.url, body }))).toEqual([200, [2, 4, 6, 8]]);
    await page.close();
  });
});
