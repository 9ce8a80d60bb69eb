import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import { serveCommand, serveDev } from "../client/built-example.ts";
import { startBrowser } from "../environment/chromium.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { realTriton } from "../environment/triton.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { inspectedProject } from "./inspected-project.ts";
import { watchedPage, type WatchedPage } from "./inspector-page.ts";
import { seriousFindings } from "./serious-findings.ts";

let project: ProjectFixture;
let triton: TritonServer;
let served: Awaited<ReturnType<typeof serveCommand>>;
/** The same repository after two changes, in the local runtime, whose page compares it with Triton. */
let local: typeof served;
let browser: Browser;
let page: Page;
let problems: WatchedPage["problems"];
let asked: WatchedPage["asked"];

beforeAll(async () => {
  project = inspectedProject();
  expect(await pipeline(project, ["build"])).toMatchObject({ code: 0 });
  triton = await serveWithBrokenModel(project.path("build/model_repository"));
  const addresses = ["--url", triton.httpUrl, "--grpc-url", triton.grpcAddress];
  const metrics = ["--metrics-url", triton.metricsUrl, "--compare-url", triton.httpUrl];
  served = await serveCommand(project, ["inspect", ...addresses, ...metrics, "--port", "0"]);
  vi.stubEnv("TRITYPE_PYTHON", await pythonWithNumpy());
  change("tally", "sequence, 0) + number", "sequence, 0) + 2 * number");
  change("words", 'word + " "', 'word.replace("three", "four") + " "');
  local = await serveDev(project, [
    "build/model_repository",
    "--compare-url",
    triton.httpUrl,
    "--compare-grpc-url",
    triton.grpcAddress,
  ]);
  browser = await startBrowser();
  ({ page, problems, asked } = await watchedPage(browser));
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await served?.stop();
  await local?.stop();
  await triton?.stop();
  project?.remove();
}, 60_000);

/** Release 24.10 occasionally crashes during startup if a Python model does not load; it is then started again. */
const serveWithBrokenModel = async (repository: string): Promise<TritonServer> => {
  const installation = await realTriton();
  const start = (): Promise<TritonServer> => serveTriton(installation, { repository });
  return start().catch((error: unknown) => {
    if (!(error instanceof Error && error.message.includes("SIGABRT"))) throw error;
    return start();
  });
};

const change = (model: string, before: string, after: string): void => {
  const file = `build/model_repository/${model}/1/model.py`;
  const text = readFileSync(project.path(file), "utf8");
  expect(text).toContain(before);
  project.write(file, text.replace(before, after));
};

const show = async (model: string, view: "graph" | "try", { url }: typeof served = served): Promise<void> => {
  await page.goto(`${url}/inspector/#/models/${encodeURIComponent(model)}/${view}`);
  await page.getByRole("heading", { level: 2, name: model, exact: true }).waitFor();
};
const send = async (): Promise<void> => {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
};
const texts = (selector: string): Promise<readonly string[]> => page.locator(selector).allInnerTexts();

test("a Triton's ensembles are shown with the states that it reports", async () => {
  await show("scores", "graph");
  expect(await texts(".node strong")).toEqual(["scale", "scores_scores"]);
  await page.getByRole("button", { name: "Open scale here" }).click();
  expect(await texts(".node strong")).toEqual(["scale_scaled", "scores_scores"]);
  await page
    .locator(".node-name")
    .filter({ hasText: /^scores_scores$/ })
    .click();
  const panel = page.getByLabel("About scores_scores");
  await panel.getByText("Configuration").waitFor();
  expect(await panel.innerText()).toMatch(/State\s+ready\s+Kind\s+onnxruntime/);
  expect(await texts(".panel figcaption")).toEqual(["Configuration as the server reports it"]);
  await show("broken", "graph");
  expect(await page.locator(".notice.bad").innerText()).toContain(
    "configuration expects datatype TYPE_INT64 for input 'X', model provides TYPE_FP32",
  );
});

test("the page shows what the server is and what its API lacks", async () => {
  await show("scores", "graph");
  expect(await page.locator(".where").innerText()).toBe(triton.httpUrl);
  expect(await texts(".server p")).toEqual([
    "triton 2.51.0",
    "",
    "A server's API does not provide source lines or model files, so this page does not show them.",
  ]);
  await page.locator(".server summary").click();
  expect(await page.locator(".server details p").innerText()).toContain("model_repository");
});

test("requests go to the server, from the page and from a program, and are only recorded step by step", async () => {
  await show("scores", "try");
  await page.getByLabel("x as JSON").fill("[[1, 2, 3, 4]]");
  await send();
  expect(await texts(".answer .bars .figure")).toEqual(["0.0021", "0.0158", "0.1171", "0.8650"]);
  expect(await page.locator(".calls").count()).toBe(0);
  await page.getByLabel("look inside: send each step separately").check();
  await send();
  expect(await page.locator(".call-name").count()).toBe(4);
  await page.getByRole("button", { name: `Send it to ${triton.httpUrl} and compare` }).click();
  await page.locator(".compared").waitFor();
  expect(await page.locator(".compare .result").innerText()).toBe(
    "All 8 tensors are equal within the tolerance.",
  );
  expect(await texts(".pair > div > h4")).toEqual([]);
  await page.getByText("The same request as a program").click();
  const curl = await page.locator(".snippets pre").innerText();
  expect(curl).toContain(`${triton.httpUrl}/v2/models/scores/infer`);
  const { stdout } = await promisify(execFile)("sh", ["-c", `${curl} -s`]);
  expect((JSON.parse(stdout) as { outputs: { data: number[] }[] }).outputs[0]?.data[3]).toBeCloseTo(0.865, 3);
  await show("scores", "try");
  await page.getByLabel("x as JSON").fill("[[1, 2, 3]]");
  await send();
  expect(await page.getByRole("alert").innerText()).toContain("unexpected shape for input 'x'");
});

test("NaN and infinities reach the server, from the page and from a program", async () => {
  await show("same", "try");
  await page.getByLabel("X as JSON").fill("[nan, -Infinity, 0.5]");
  await send();
  expect(await texts(".answer .values tbody td")).toEqual(["NaN", "-Infinity", "0.5"]);
  await page.getByText("The same request as a program").click();
  const curl = await page.locator(".snippets pre").innerText();
  const { stdout } = await promisify(execFile)("sh", ["-c", `${curl} -s`]);
  expect(stdout).toContain('"data":[NaN,-Infinity,0.5]');
});

test("an error in a stream has its place among the server's responses", async () => {
  await show("words", "try");
  await page.locator(".field textarea").fill("one two unknown");
  await send();
  expect(await page.getByRole("alert").innerText()).toMatch(
    /^The error came after response 2 \([\d.]+ (ms|s|µs)\):\s+.*no such word/,
  );
});

test("a streaming model is called over gRPC", async () => {
  await show("words", "try");
  await page.locator(".field textarea").fill("one two three");
  await send();
  expect(await texts(".answer .text")).toEqual(["one two three "]);
  expect(await page.locator(".answer h3").first().innerText()).toContain("3 responses");
  await page.getByLabel("look inside: send each step separately").check();
  await send();
  expect(await texts(".call-name")).toEqual(["words"]);
  await page.getByRole("button", { name: "and compare" }).last().click();
  expect(await page.locator(".compare").getByRole("alert").innerText()).toMatch(
    /^`words` streams its answers, which servers only do over gRPC\npass .* --compare-grpc-url localhost:8001$/,
  );
});

const compare = async (): Promise<string> => {
  await page.getByRole("button", { name: `Send it to ${triton.httpUrl} and compare` }).click();
  await page.locator(".compared, .compare .bad").first().waitFor();
  expect(await texts(".compare .notice.bad")).toEqual([]);
  return page.locator(".compare .result").innerText();
};

test("a stream inside an ensemble is compared with Triton's, response by response", async () => {
  await show("spoken", "try", local);
  await page.locator(".field textarea").fill("one two");
  await send();
  expect(await compare()).toBe("All 10 tensors are equal within the tolerance.");
  await page.locator(".field textarea").fill("one two three");
  await send();
  expect(await texts(".answer .text")).toEqual(["one two four "]);
  expect(await compare()).toBe(
    'First difference: words gave Y in response 3: element 0 is "four ", not "three ". Its inputs are equal.',
  );
  expect(await texts(".pair .text")).toEqual(["four ", "three "]);
});

const sendInSequence = async (number: number, place: { readonly starts: boolean }): Promise<void> => {
  await page.locator("fieldset", { hasText: "Sequence" }).getByLabel("id").fill("7");
  await page.getByLabel("starts").setChecked(place.starts);
  await page.getByLabel("ends").setChecked(false);
  await page.locator(".field input").first().fill(String(number));
  await send();
};

test("a sequence is compared with Triton's, from its first request", async () => {
  await show("tallied", "try", local);
  await sendInSequence(1, { starts: true });
  expect(await compare()).toBe("All 4 tensors are equal within the tolerance.");
  await sendInSequence(10, { starts: false });
  await sendInSequence(100, { starts: false });
  expect(await texts(".answer > .tensor .value")).toEqual(["221"]);
  expect(await texts(".compare > p")).toContain(
    "To send it again, the page first sends the 2 earlier requests of its sequence, under another id.",
  );
  expect(await compare()).toBe(
    "First difference: tally gave Y: the largest difference is 110. Its inputs are equal.",
  );
  await page.getByRole("button", { name: "Send it again and compare" }).click();
  await expect
    .poll(() => page.locator(".compare .result").innerText())
    .toBe("All 4 tensors are equal within the tolerance.");
  await sendInSequence(1000, { starts: false });
  expect(await texts(".answer > .tensor .value"), "the copies did not disturb the sequence").toEqual([
    "2221",
  ]);
  await page.locator(".history button", { hasText: "100" }).nth(1).click();
  expect(await compare()).toBe(
    "First difference: tally gave Y: the largest difference is 110. Its inputs are equal.",
  );
  await page.reload();
  await sendInSequence(5, { starts: false });
  expect(await texts(".compare > p")).toEqual([
    "It cannot be sent again, because this page does not know the earlier requests of its sequence.",
  ]);
  expect(await page.getByRole("button", { name: "and compare" }).count()).toBe(0);
});

test("live figures are the server's statistics and metrics", async () => {
  await page.goto(`${served.url}/inspector/#/live`);
  const row = page.locator("tr", { hasText: "echo" }).locator("td");
  await row.last().waitFor();
  const before = Number(await row.last().innerText());
  const body = JSON.stringify({ inputs: [{ name: "X", datatype: "BYTES", shape: [1], data: ["a"] }] });
  for (let i = 0; i < 3; i++) await fetch(`${triton.httpUrl}/v2/models/echo/infer`, { method: "POST", body });
  await expect.poll(async () => Number(await row.last().innerText())).toBe(before + 3);
  await page.getByRole("button", { name: "echo", exact: true }).click();
  await page.getByLabel("Activity of echo").waitFor();
  expect(await page.locator(".batches-over-time figcaption .figure").innerText()).toBe(
    "last five seconds: 3 of size 1",
  );
  expect(await page.getByLabel("Processes").innerText()).toContain(
    "A server's API does not provide the processes that run its models.",
  );
  const heads = await texts("thead th");
  expect(heads).toContain("Mean latency");
  expect(heads).toContain("Waiting");
  expect(heads).not.toContain("p99");
  expect(await page.locator(".title .quiet").innerText()).toMatch(
    /^processors \d+ %; memory .* of .*; Requests\/s, Mean latency, Queue, Compute and Rows\/batch: requests that succeeded in the last five seconds; Waiting: now; Failed and Succeeded: since the model was loaded$/,
  );
});

test("the pages only send requests to their own server; that of `inspect` only serves the page", async () => {
  expect(problems).toEqual([]);
  expect([...asked]).toEqual([served.url, local.url]);
  const status = async (path: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(served.url + path, init)).status;
  expect(await status("/v2")).toBe(404);
  expect(await status("/inspector/api/overview", { headers: { Origin: "http://evil.example" } })).toBe(403);
  const { headers } = await fetch(`${served.url}/inspector/`);
  expect(headers.get("content-security-policy")).toContain("connect-src 'self'");
});

test("axe finds nothing serious, in wide light windows and in narrow dark ones", async () => {
  const found: string[] = [];
  for (const [colorScheme, width] of [["light", 1400] as const, ["dark", 420] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await show("scores", "graph");
    found.push(...(await seriousFindings(page)));
    await page.goto(`${served.url}/inspector/#/live`);
    await page.locator(".plots").waitFor();
    found.push(...(await seriousFindings(page)));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1400, height: 900 });
  expect(found).toEqual([]);
});

test("a server that stops answering is reported", async () => {
  await show("scores", "graph");
  await triton.stop();
  const pill = page.getByText("server does not answer");
  await pill.waitFor();
  expect(await pill.getAttribute("title")).toContain(`no server answers at ${triton.httpUrl}`);
  await page.goto(`${served.url}/inspector/#/live`);
  expect(await page.getByRole("alert").innerText()).toContain(
    `The server does not answer: no server answers at ${triton.httpUrl}`,
  );
});
