import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { serveCommand } from "../client/built-example.ts";
import { startBrowser } from "../environment/chromium.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { watchedPage, type WatchedPage } from "./inspector-page.ts";
import { seriousFindings } from "./serious-findings.ts";

const slow = `import time
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        time.sleep(0.02)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", r.inputs()[0].as_numpy())]) for r in requests]
`;
const config = `backend: "python"

max_batch_size: 8
input { name: "X" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "Y" data_type: TYPE_STRING dims: [ 1 ] }
dynamic_batching {
  max_queue_delay_microseconds: 100
}
`;
const file = "models/slow/1/model.py";

const two = `${config}output { name: "Z" data_type: TYPE_STRING dims: [ 1 ] }\n`;
/** @param requested Python code. */
const asking = (requested: string): string => `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Asks another model."""

    def execute(self, requests):
        wanted = ["Z"]
        request = pb_utils.InferenceRequest(model_name="two", requested_output_names=${requested}, inputs=requests[0].inputs())
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", request.exec().output_tensors()[0].as_numpy())])]
`;

let project: ProjectFixture;
let server: Awaited<ReturnType<typeof serveCommand>>;
let browser: Browser;
let page: Page;
let problems: WatchedPage["problems"];

beforeAll(async () => {
  vi.stubEnv("TRITYPE_PYTHON", await pythonWithNumpy());
  project = makeProject({
    "models/slow/config.pbtxt": config,
    [file]: slow,
    "models/plain/config.pbtxt": config,
    "models/plain/1/model.py": slow,
    "models/two/config.pbtxt": two,
    "models/two/1/model.py": slow,
    "models/named/config.pbtxt": config,
    "models/named/1/model.py": asking("wanted"),
    "models/computed/config.pbtxt": config,
    "models/computed/1/model.py": asking("[*wanted, self.name]"),
  });
  server = await serveCommand(project, ["dev", "models", "--http-port", "0", "--device", "cpu"]);
  browser = await startBrowser();
  ({ page, problems } = await watchedPage(browser));
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  project?.remove();
  vi.unstubAllEnvs();
});

test("for the model that takes most of the time, the deciding fields are shown with links to their lines in its file", async () => {
  await page.goto(`${server.url}/inspector/#/live`);
  const advice = page.locator(".plots .notice");
  const inputs = [{ name: "X", datatype: "BYTES", shape: [1, 1], data: ["a"] }];
  const ask = () =>
    fetch(`${server.url}/v2/models/slow/infer`, { method: "POST", body: JSON.stringify({ inputs }) });
  await expect
    .poll(async () => {
      await ask();
      return advice.locator("li").allInnerTexts();
    })
    .toEqual([
      "instance_group: not set (1 × CPU)",
      "max_batch_size: 8 slow/config.pbtxt:3",
      "dynamic_batching.preferred_batch_size: not set ([8])",
      "dynamic_batching.max_queue_delay_microseconds: 100 slow/config.pbtxt:7",
    ]);
  const marked = page.getByLabel("About slow").locator(".marked");
  await advice.getByRole("link", { name: "slow/config.pbtxt:7" }).click();
  await expect.poll(() => marked.innerText()).toContain("max_queue_delay_microseconds: 100");
  await page.goBack();
  await ask();
  await page.getByRole("link", { name: "Its configuration" }).click();
  await expect.poll(() => marked.innerText()).toContain("max_batch_size: 8");
  const box = await marked.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual(900);
  expect(problems).toEqual([]);
}, 60_000);

test("every view says that the edited files of a model cannot be loaded, until they can", async () => {
  await page.goto(`${server.url}/inspector/#/live`);
  const badge = page.locator("header").getByRole("link", { name: "1 model not reloaded" });
  const mark = page.locator(".models li", { hasText: "slow" }).getByRole("img");
  expect(await mark.getAttribute("aria-label")).toBe("ready");
  project.write(file, slow.replace("class", "class class"));
  await badge.waitFor();
  expect(await mark.getAttribute("aria-label")).toBe("not reloaded");
  for (const [colorScheme, width] of [["dark", 420] as const, ["light", 1400] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  }
  await badge.click();
  await page.getByRole("heading", { level: 2, name: "slow", exact: true }).waitFor();
  expect(await page.locator(".notice.warn").innerText()).toMatch(/^Not the current version\n[^]*SyntaxError/);
  project.write(file, slow);
  await badge.waitFor({ state: "detached" });
  expect(await mark.getAttribute("aria-label")).toBe("ready");
  expect(problems).toEqual([]);
}, 60_000);

test("an edge of a call lists the outputs that the code requests, or all outputs if it does not name them", async () => {
  const edges = async (model: string): Promise<readonly string[]> => {
    await page.goto(`${server.url}/inspector/#/models/${model}/graph`);
    await page.getByRole("heading", { level: 2, name: model, exact: true }).waitFor();
    return (await page.locator(".edge-text").allInnerTexts()).filter((text) => text.startsWith("sends"));
  };
  const lines = (...outputs: readonly string[]) => ["sends X", ...outputs].join(" BYTES[batch, 1]\n");
  expect(await edges("named")).toEqual([`${lines("gets Z")} BYTES[batch, 1]`]);
  expect(await edges("computed")).toEqual([`${lines("gets Y", "gets Z")} BYTES[batch, 1]`]);
  expect(await page.locator(".title .description").innerText()).toBe("Asks another model.");
  expect(problems).toEqual([]);
});
