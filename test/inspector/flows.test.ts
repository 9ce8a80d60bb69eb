import type { Live } from "@tritype/inspector/view";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { serveDev } from "../client/built-example.ts";
import { startBrowser } from "../environment/chromium.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { guideProject } from "../function/flow-guide.ts";
import { watchedPage, type WatchedPage } from "./inspector-page.ts";
import { seriousFindings } from "./serious-findings.ts";

/** A model whose process ends itself if it gets "crash". */
const fragile = `import os
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        texts = [pb_utils.get_input_tensor_by_name(request, "X").as_numpy() for request in requests]
        if any(text.ravel()[0] == b"crash" for text in texts):
            os._exit(3)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", text)]) for text in texts]
`;
const fragileConfig = `backend: "python"
max_batch_size: 8
input { name: "X" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "Y" data_type: TYPE_STRING dims: [ 1 ] }
instance_group { count: 2 kind: KIND_CPU }
`;

const relay = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            asked = pb_utils.InferenceRequest(
                model_name="fragile", requested_output_names=["Y"], inputs=request.inputs()
            )
            responses.append(pb_utils.InferenceResponse(asked.exec().output_tensors()))
        return responses
`;
const steps = 200;
/** An ensemble whose steps all call a model. */
const chain = `platform: "ensemble"
max_batch_size: 8
input { name: "t0" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "t${steps}" data_type: TYPE_STRING dims: [ 1 ] }
ensemble_scheduling { step [
${Array.from(
  { length: steps },
  (_, i) =>
    `{ model_name: "relay" model_version: -1 input_map { key: "X" value: "t${i}" } output_map { key: "Y" value: "t${i + 1}" } }`,
).join(",\n")}
] }
`;

let project: ProjectFixture;
let server: Awaited<ReturnType<typeof serveDev>>;
let browser: Browser;
let page: Page;
let problems: WatchedPage["problems"];

beforeAll(async () => {
  vi.stubEnv("TRITYPE_PYTHON", await pythonWithNumpy());
  project = makeProject({
    ...guideProject(),
    "build/model_repository/fragile/config.pbtxt": fragileConfig,
    "build/model_repository/fragile/1/model.py": fragile,
    "build/model_repository/relay/config.pbtxt": fragileConfig,
    "build/model_repository/relay/1/model.py": relay,
    "build/model_repository/chain/config.pbtxt": chain,
    "build/model_repository/chain/1/.keep": "",
  });
  server = await serveDev(project, ["--no-watch"]);
  browser = await startBrowser();
  ({ page, problems } = await watchedPage(browser));
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  project?.remove();
  vi.unstubAllEnvs();
});

const show = async (model: string, view: "graph" | "try"): Promise<void> => {
  await page.goto(`${server.url}/inspector/#/models/${model}/${view}`);
  await page.getByRole("heading", { level: 2, name: model, exact: true }).waitFor();
};
const texts = (selector: string): Promise<readonly string[]> => page.locator(selector).allInnerTexts();
const infer = async (model: string, input: object): Promise<number> =>
  (
    await fetch(`${server.url}/v2/models/${model}/infer`, {
      method: "POST",
      body: JSON.stringify({ inputs: [input] }),
    })
  ).status;
const text = (...rows: readonly string[]): object => ({
  name: "X",
  datatype: "BYTES",
  shape: [rows.length, 1],
  data: rows,
});

test("an edge of a call has the types of what goes to the model and of what comes back", async () => {
  await show("find_things", "graph");
  expect(await texts(".node strong")).toEqual(["find_things", "detect_boxes", "recognize"]);
  expect((await texts(".edge-text")).map((label) => label.split("\n"))).toEqual(
    expect.arrayContaining([
      ["sends image UINT8[batch, height, width]", "gets edges INT32[batch, n]"],
      ["sends crop UINT8[batch, height, width]", "gets label BYTES[batch, 1]", "gets mean FP32[batch, 1]"],
    ]),
  );
});

test("200 steps that all call a model are below each other, and their labels cover nothing", async () => {
  await show("chain", "graph");
  await page
    .locator(".node")
    .nth(2 * steps - 1)
    .waitFor();
  const [size, boxes] = await page.evaluate<
    readonly [size: readonly number[], boxes: readonly (readonly number[])[]]
  >(`(() => {
    const box = ({ offsetLeft, offsetTop, offsetWidth, offsetHeight }) => [offsetLeft, offsetTop, offsetWidth, offsetHeight];
    const { offsetWidth, offsetHeight } = document.querySelector(".drawing");
    const all = (selector) => [...document.querySelectorAll(selector)].map(box);
    // A label is moved to its middle by a transform.
    const labels = all(".edge-text").map(([x, y, width, height]) => [x - width / 2, y - height / 2, width, height]);
    return [[offsetWidth, offsetHeight], [...labels, ...all(".node")]];
  })()`);
  expect(size[0], "width").toBeLessThan(1000);
  expect(boxes).toHaveLength(2 * steps + steps + 1 + steps);
  const covers = boxes.flatMap((a, index) => boxes.slice(index + 1).filter((b) => overlap(a, b)));
  expect(covers).toEqual([]);
});

const overlap = (
  [x = 0, y = 0, width = 0, height = 0]: readonly number[],
  [left = 0, top = 0, across = 0, down = 0]: readonly number[],
): boolean => x < left + across && left < x + width && y < top + down && top < y + height;

test("several calls to one model are numbered", async () => {
  await show("find_things", "try");
  const image = [[[0, 10, 0, 250, 240, 0, 90, 0]]];
  await page.getByLabel("image as JSON").fill(JSON.stringify(image));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".call-name").first().waitFor();
  expect((await texts(".call-name")).map((name) => name.split("\n")[0])).toEqual([
    "find_things",
    "detect_boxes",
    "recognize 1 of 3",
    "recognize 2 of 3",
    "recognize 3 of 3",
  ]);
  await page.locator(".calls button").nth(3).click();
  expect(await texts(".inside h4:not(.tensor h4)")).toEqual([
    "recognize 2 of 3 got",
    "recognize 2 of 3 gave",
  ]);
});

const row = (instance: string) => page.locator(".processes tbody tr").filter({ hasText: instance });
const cells = async (instance: string): Promise<readonly string[]> =>
  row(instance).locator("th, td").allInnerTexts();

test("the processes of models are shown with their memory, and with their number of restarts", async () => {
  await page.goto(`${server.url}/inspector/#/live`);
  await row("fragile_0_1").waitFor();
  expect(await cells("fragile_0_0")).toEqual([
    "fragile_0_0",
    "fragile",
    "Python",
    "idle",
    expect.stringMatching(/^\d+$/),
    expect.stringMatching(/^\d+ MB$/),
    expect.stringMatching(/^(?:–|\d+ %)$/),
    "0",
  ]);
  expect((await cells("find_things_0")).slice(1, 4)).toEqual(["find_things", "Node", "idle"]);
  const before = await texts(".processes tr:has(th:text('fragile')) td:nth-child(5)");
  expect(new Set(before).size).toBe(2);
  expect(await infer("fragile", text("crash"))).toBe(500);
  await expect.poll(async () => (await texts(".processes td:last-child")).toSorted().at(-1)).toBe("1");
  expect(await infer("fragile", text("fine"))).toBe(200);
  const after = await texts(".processes tr:has(th:text('fragile')) td:nth-child(5)");
  expect(after.filter((pid) => before.includes(pid))).toHaveLength(1);
  const { processes = [] } = (await (await fetch(`${server.url}/inspector/api/live`)).json()) as Live;
  expect(processes.every(({ pid }) => pid !== undefined && isRunning(pid))).toBe(true);
});

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The number of pixels of the chart that have the accent colour, and the height in pixels over which they spread. */
const colored = (): Promise<readonly [count: number, height: number]> =>
  page.evaluate(`(() => {
    const chart = document.querySelector(".batches-over-time canvas");
    const copy = Object.assign(document.createElement("canvas"), { width: chart.width, height: chart.height });
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(chart, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const lines = [];
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] > 40 && data[i + 1] > data[i] + 40) lines.push(Math.floor(i / 4 / copy.width));
    return [lines.length, new Set(lines).size];
  })()`);

test("the sizes of batches are shown as the batches form", async () => {
  await page.goto(`${server.url}/inspector/#/live`);
  await page.reload();
  await page.getByRole("button", { name: "fragile", exact: true }).click();
  const chart = page.locator(".batches-over-time");
  await chart.getByText("No batch has formed since you opened Live.").waitFor();
  expect(await colored()).toEqual([0, 0]);
  await infer("fragile", text("a", "b", "c"));
  await infer("fragile", text("a", "b", "c"));
  await infer("fragile", text("a", "b", "c", "d", "e"));
  await expect
    .poll(() => chart.locator("figcaption .figure").innerText())
    .toBe("last five seconds: 2 of size 3, 1 of size 5");
  const [, height] = await colored();
  expect(height, "two rows").toBeGreaterThan(60);
  await expect.poll(() => chart.locator("figcaption .figure").innerText(), { timeout: 15_000 }).toBe("");
  expect((await colored())[0], "the chart still has them").toBeGreaterThan(0);
}, 60_000);

test("in a narrow window, the first view of a wide graph shows its first step in readable letters", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await show("refined", "graph");
  await show("find_things", "graph");
  const measured = async (): Promise<readonly [letter: number, ...boxes: (readonly number[])[]]> =>
    page.evaluate(`(() => {
      const sides = (selector) => {
        const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
        return [left, top, right, bottom];
      };
      const [left, , right] = sides(".node");
      const zoom = (right - left) / document.querySelector(".node").offsetWidth;
      const letter = parseFloat(getComputedStyle(document.querySelector(".node strong")).fontSize) * zoom;
      return [letter, sides(".frame"), sides(".node"), sides(".drawing")];
    })()`);
  await expect.poll(async () => (await measured())[0]).toBeGreaterThan(9);
  const [, [left = 0, top = 0, right = 0] = [], step = [], drawing = []] = await measured();
  expect((drawing[2] ?? 0) - (drawing[0] ?? 0), "wider than the frame").toBeGreaterThan(right - left);
  expect(step[0]).toBeGreaterThanOrEqual(left);
  expect(step[2]).toBeLessThanOrEqual(right);
  expect(step[1]).toBeGreaterThanOrEqual(top);
  expect(step[3]).toBeLessThanOrEqual(844);
});

test("axe finds nothing serious, in wide light windows and in narrow dark ones", async () => {
  const found: string[] = [];
  for (const [colorScheme, width] of [["light", 1400] as const, ["dark", 420] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await show("find_things", "graph");
    found.push(...(await seriousFindings(page)));
    await page.goto(`${server.url}/inspector/#/live`);
    await row("fragile_0_1").waitFor();
    found.push(...(await seriousFindings(page)));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  }
  expect(found).toEqual([]);
  expect(problems).toEqual([]);
});
