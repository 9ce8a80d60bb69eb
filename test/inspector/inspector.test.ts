import type { Overview } from "@tritype/inspector/view";
import { execFile } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { serveDev } from "../client/built-example.ts";
import { startBrowser } from "../environment/chromium.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { inspectedProject, markup, picture, pipeline } from "./inspected-project.ts";
import { watchedPage, type WatchedPage } from "./inspector-page.ts";
import { seriousFindings } from "./serious-findings.ts";

let project: ProjectFixture;
let server: Awaited<ReturnType<typeof serveDev>>;
/** The server to compare with, which keeps the first version. */
let unchanged: ProjectFixture;
let other: typeof server;
let browser: Browser;
let page: Page;
let problems: WatchedPage["problems"];
let asked: WatchedPage["asked"];

beforeAll(async () => {
  vi.stubEnv("TRITYPE_PYTHON", await pythonWithNumpy());
  project = inspectedProject();
  project.write("bin/code", editor);
  chmodSync(project.path("bin/code"), 0o755);
  unchanged = makeProject({ "pipeline.ts": pipeline });
  other = await serveDev(unchanged, ["--no-inspector", "--no-watch"]);
  server = await serveDev(project, ["--compare-url", other.url, "--editor", project.path("bin/code")]);
  browser = await startBrowser();
  ({ page, problems, asked } = await watchedPage(browser));
  await page.goto(`${server.url}/inspector/`);
}, 600_000);
beforeEach(() => {
  problems.length = 0;
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await other?.stop();
  project?.remove();
  unchanged?.remove();
  vi.unstubAllEnvs();
});

/** An editor that records its arguments. VS Code's command is called `code`, too. */
const editor = `#!/bin/sh
echo "$@" >> "$(dirname "$0")/opened.txt"
`;
const opened = (): readonly string[] => {
  const file = project.path("bin/opened.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};

const show = async (model: string, view: "graph" | "try"): Promise<void> => {
  await page.goto(`${server.url}/inspector/#/models/${encodeURIComponent(model)}/${view}`);
  await page.getByRole("heading", { level: 2, name: model, exact: true }).waitFor();
};
const send = async (): Promise<void> => {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
};
const texts = (selector: string): Promise<readonly string[]> => page.locator(selector).allInnerTexts();
const button = (name: string) => page.getByRole("button", { name, exact: true });
const node = (name: string) => page.locator(".node-name").filter({ hasText: new RegExp(`^${name}$`) });

test("a built ensemble is shown with its types, and its nested ensemble opens in place", async () => {
  await show("scores", "graph");
  expect(await texts(".node strong")).toEqual(["scale", "scores_scores"]);
  expect(await texts(".edge-text")).toEqual([
    "x FP32[batch, 4]",
    "scaled FP32[batch, 4]",
    "scores FP32[batch, 4]",
  ]);
  await page.getByRole("button", { name: "Open scale here" }).click();
  expect(await texts(".node strong")).toEqual(["scale_scaled", "scores_scores"]);
  await page.locator(".group-title").click();
  expect(await texts(".node strong")).toEqual(["scale", "scores_scores"]);
});

test("the panel of a model shows its source, its configuration and its operators", async () => {
  await show("scores", "graph");
  await node("scores_scores").click();
  const panel = page.getByLabel("About scores_scores");
  await panel.getByText("Operators").waitFor();
  expect(await panel.locator(".marked").innerText()).toContain("return { scores: scaled.softmax(-1) };");
  expect(await panel.locator("figcaption").allInnerTexts()).toEqual([
    "Source pipeline.ts",
    "Configuration scores_scores/config.pbtxt",
    expect.stringMatching(/^Operators scores_scores\/1\/model.onnx, opset \d+$/),
  ]);
  expect(await panel.locator("table").innerText()).toContain("Softmax");
  await page.keyboard.press("Escape");
  expect(await panel.count()).toBe(0);
});

test("the comment above a declaration and the docstring of a model say what they are for", async () => {
  const description = page.locator(".title .description");
  for (const view of ["graph", "try"] as const) {
    await show("scores", view);
    expect(await description.innerText()).toBe(`Numbers → scores, see scale. ${markup}`);
  }
  await show("scores", "graph");
  await node("scale").click();
  expect(await page.getByLabel("About scale").locator(".description").innerText()).toBe(
    "Doubles its numbers.",
  );
  await node("scores_scores").click();
  await page.getByLabel("About scores_scores").waitFor();
  expect(await page.locator(".panel .description").count()).toBe(0);
  await show("letters", "graph");
  expect(await description.count()).toBe(0);
  await node("greeting").click();
  expect(await texts(".panel .description")).toEqual(["Greets the customer."]);
  await show("echo", "graph");
  expect(await description.innerText()).toBe("Sends back what it got.");
  expect(await page.locator("#app img:not([src='icon.svg'])").count()).toBe(0);
});

test("models written by hand are shown too, with the reason if one is refused", async () => {
  await show("logs", "graph");
  expect(await texts(".node strong")).toEqual(["same", "log"]);
  expect(await texts(".edge-text")).toEqual(["IN → X FP32[-1]", "Y → X FP32[-1]", "Y → OUT FP32[-1]"]);
  await show("broken", "graph");
  expect(await page.locator(".notice.bad").innerText()).toContain(
    "configuration expects datatype TYPE_INT64 for input 'X', model provides TYPE_FP32",
  );
  await node("broken").click();
  expect(await page.locator(".findings code").first().innerText()).toBe("onnx-model/wrong-data-type");
});

test("calls from Python written by hand are in the graph and inside a request", async () => {
  await show("asks", "graph");
  await node("echo").waitFor();
  expect(await texts(".node strong")).toEqual(["asks", "echo"]);
  await show("asks", "try");
  await page.locator(".field textarea").fill("hello");
  await send();
  expect(await texts(".answer > .tensor .text")).toEqual(["hello"]);
  expect((await texts(".call-name")).map((text) => text.split(/\s/)[0])).toEqual(["asks", "echo"]);
  expect((await texts(".call-name")).join()).toContain("first request");
});

test("200 steps are laid out within seconds", async () => {
  const from = performance.now();
  await show("long", "graph");
  await page.locator(".node").nth(199).waitFor();
  expect(performance.now() - from).toBeLessThan(20_000);
  await page.getByLabel("Find a step").fill("150:");
  await page.keyboard.press("Enter");
  await expect
    .poll(() =>
      page
        .locator(".node")
        .nth(150)
        .evaluate((one) => one.getBoundingClientRect().top),
    )
    .toBeLessThan(900);
  expect(await page.locator(".node").nth(150).getAttribute("class")).toContain("chosen");
  expect(await page.locator(".node").nth(150).locator(".facts").innerText()).toContain("step 151 ·");
  await page.getByLabel("Find a step").fill("step 12");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator(".chosen .facts").innerText()).toContain("step 12 ·");
});

/** The boxes of the elements on the screen, and the smallest height of a letter in pixels. */
const onScreen = (
  selector: string,
): Promise<readonly [boxes: readonly (readonly number[])[], letter: number]> =>
  page.evaluate(`(() => {
    const all = [...document.querySelectorAll(${JSON.stringify(selector)})];
    const boxes = all.map((one) => one.getBoundingClientRect());
    const zoom = boxes[0].width / all[0].offsetWidth;
    const names = all.map((one) => one.querySelector("strong") ?? one);
    return [
      boxes.map(({ x, y, width, height }) => [x, y, width, height]),
      Math.min(...names.map((one) => parseFloat(getComputedStyle(one).fontSize) * zoom)),
    ];
  })()`);

test("the whole graph of 200 steps is in columns that fill the frame, with names that can be read", async () => {
  await show("same", "graph");
  await show("long", "graph");
  const from = performance.now();
  await button("Whole graph").click();
  await page.locator(".brief .node").nth(199).waitFor();
  expect(performance.now() - from).toBeLessThan(5_000);
  const [[frame = []]] = await onScreen(".frame");
  const [boxes, letter] = await onScreen(".brief .node, .brief .port");
  expect(boxes).toHaveLength(202);
  expect(letter).toBeGreaterThan(10);
  expect(boxes.filter((box) => !contains(frame, box))).toEqual([]);
  expect(boxes.flatMap((a, index) => boxes.slice(index + 1).filter((b) => overlap(a, b)))).toEqual([]);
  const names = page.locator(".brief .node strong");
  expect((await names.allInnerTexts()).slice(0, 2)).toEqual(["1 same", "2 same"]);
  expect(
    await names.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length),
  ).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByLabel("Find a step").fill("step 150");
  await page.keyboard.press("Enter");
  await page.getByLabel("About same").waitFor();
  expect(await page.locator(".chosen strong").innerText()).toBe("150 same");
  await page.keyboard.press("Escape");
  await button("Whole graph").click();
  expect(await page.locator(".brief").count()).toBe(0);
  expect((await onScreen(".node"))[1]).toBeGreaterThan(9);
});

const contains = (
  [x = 0, y = 0, width = 0, height = 0]: readonly number[],
  [left = 0, top = 0, across = 0, down = 0]: readonly number[],
): boolean => x <= left && left + across <= x + width && y <= top && top + down <= y + height;

const overlap = (
  [x = 0, y = 0, width = 0, height = 0]: readonly number[],
  [left = 0, top = 0, across = 0, down = 0]: readonly number[],
): boolean => x < left + across && left < x + width && y < top + down && top < y + height;

test("a table shows more values on request", async () => {
  await show("same", "try");
  await page.getByLabel("X as JSON").fill(JSON.stringify(Array.from({ length: 300 }, (_, i) => i + 2)));
  await send();
  const cells = page.locator(".answer > .tensor .values td:not(:empty)");
  expect(await cells.count()).toBe(32);
  await page.locator(".answer > .tensor").getByRole("button", { name: "Show more values" }).click();
  expect(await cells.count()).toBe(256);
  await page.locator(".answer > .tensor").getByRole("button", { name: "Show more values" }).click();
  expect(await cells.last().innerText()).toBe("301");
  expect(
    await page.locator(".answer > .tensor").getByRole("button", { name: "Show more values" }).count(),
  ).toBe(0);
});

test("names that look like markup are shown as text", async () => {
  await show("hostile", "graph");
  expect(await texts(".port")).toContain(markup);
  await show("hostile", "try");
  expect(await page.locator(".field legend").innerText()).toContain(markup);
  await show("echo", "try");
  await page.locator(".field textarea").fill(markup);
  await send();
  expect(await texts(".answer .text")).toEqual([markup]);
  expect(await page.locator("#app img:not([src='icon.svg'])").count()).toBe(0);
  expect(await page.title()).toBe("echo · Inspector");
});

test("a sample of the build fills the form, and the answer is shown as bars of scores", async () => {
  await show("scores", "try");
  await button("rising").click();
  await send();
  expect(await texts(".answer .bars .figure")).toEqual(["0.0021", "0.0158", "0.1171", "0.8650"]);
  expect(await page.locator(".answer .bars .figure").last().getAttribute("title")).toMatch(/^0\.86\d{6,}$/);
  const calls = await texts(".call-name");
  // After a warmup sample, this is not the first request to any of the models.
  const slowest = "\nslowest";
  expect(calls.map((text) => text.replace(slowest, ""))).toEqual([
    "scores",
    "scale",
    "scale_scaled",
    "scores_scores",
  ]);
  expect(calls.filter((text) => text.endsWith(slowest))).toEqual([expect.stringMatching(/^scale_|^scores_/)]);
  await send();
  expect((await texts(".call-name")).join()).not.toContain("first request");
  await button("Send it 20 times").click();
  await page.getByText(/^The median of 20 requests is [\d.]+ .+\. \w+ usually takes longest: /).waitFor();
  expect(await texts(".calls .usual")).toEqual(
    Array(4).fill(expect.stringMatching(/^median [\d.]+ (?:µs|ms)$/)),
  );
  expect(await texts(".calls .badge")).toEqual(["slowest"]);
});

test("a JSON input starts with an example of its type, and a text of another type is not sent", async () => {
  await show("orders", "try");
  const order = page.getByRole("textbox", { name: "order", exact: true });
  const example = { customer: "", items: [{ name: "", count: 0, size: "large" }] };
  expect(JSON.parse(await order.inputValue())).toEqual(example);
  expect(await texts(".schema")).toEqual([
    '{\n  customer: string;\n  items: {\n    name: string;\n    count: number;\n    size?: "large" | "small";\n  }[];\n}',
  ]);
  const items = [
    { name: "pears", count: 3 },
    { name: "figs", count: 4 },
  ];
  await order.fill(JSON.stringify({ customer: "Ada", items: [...items, { name: 7, count: 1 }] }));
  expect(await texts(".problem")).toEqual(["items[2].name must be a string"]);
  expect(await texts(".request .notice")).toEqual([]);
  expect(await button("Send").isDisabled()).toBe(true);
  expect(await seriousFindings(page)).toEqual([]);
  await order.fill(JSON.stringify({ customer: "Ada", items }));
  await button("Add a row").click();
  await send();
  expect(await texts(".answer > .tensor .text")).toEqual(["3 pears, 4 figs", "3 pears, 4 figs"]);
});

test("the types of JSON inputs are known for functions on Node, for flows and for members of an ensemble", async () => {
  const { models } = (await (await fetch(`${server.url}/inspector/api/overview`)).json()) as Overview;
  const schemas = ["orders", "total", "letters", "greeting", "checkout"].map(
    (name) => models.find((one) => one.name === name)?.inputs[0]?.json,
  );
  const [first, ...others] = schemas;
  expect(first).toMatchObject({ type: "object", required: ["customer", "items"] });
  expect(others).toEqual([first, first, first, first]);
});

test("the request as curl and as TypeScript gives the same answer", async () => {
  await show("scores", "try");
  await button("rising").click();
  await page.getByText("The same request as a program").click();
  const curl = await page.locator(".snippets pre").innerText();
  const answer = await promisify(execFile)("sh", ["-c", `${curl} -s`]);
  const { outputs } = JSON.parse(answer.stdout) as { outputs: { data: number[] }[] };
  await button("TypeScript").click();
  project.write(
    "snippet.mjs",
    `${await page.locator(".snippets pre").innerText()}\nconsole.log([...scores.data]);`,
  );
  const program = await promisify(execFile)(process.execPath, ["snippet.mjs"], { cwd: project.root });
  const printed = JSON.parse(program.stdout) as number[];
  expect(printed[3]).toBeCloseTo(0.865, 3);
  expect(outputs[0]?.data.map((x) => x.toFixed(6))).toEqual(printed.map((x) => x.toFixed(6)));
});

test("every tensor between steps is recorded, and values that are not finite are marked", async () => {
  await show("logs", "try");
  await page.getByLabel("IN as JSON").fill("[1, -1, 0, 4]");
  await send();
  const log = page.locator(".calls button").nth(2);
  expect(await log.innerText()).toContain("not finite");
  await log.click();
  const tensors = await texts(".inside .tensor h4");
  expect(tensors.map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
    "X FP32[4] 16 B",
    "Y FP32[4] 16 B 2 not finite",
  ]);
  expect(await texts(".inside .broken")).toEqual(["NaN", "-Infinity"]);
});

const compared = (): Promise<readonly string[]> =>
  page
    .locator(".compared tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "").join(" | ")),
    );

test("two requests are compared tensor by tensor, and the first difference is marked and scrolled to", async () => {
  await show("logs", "try");
  for (const values of ["[1, -1, 0, 4]", "[1, -1, 0, 5, 6]", "[1, -1, 0, 5]"]) {
    await page.getByLabel("IN as JSON").fill(values);
    await send();
  }
  const requests = page.locator(".compare select").first();
  await requests.selectOption({ index: 2 });
  expect(await page.locator(".compare .result").innerText()).toBe(
    "First difference: logs got IN: the largest difference is 1.",
  );
  expect(await compared()).toEqual([
    "logs got | IN | 1first | FP32[4]",
    "same got | X | 1 | FP32[4]",
    "same gave | Y | 1 | FP32[4]",
    "log got | X | 1 | FP32[4]",
    "log gave | Y | 0.223144 | FP32[4]",
    "logs gave | OUT | 0.223144 | FP32[4]",
  ]);
  const names = page.locator(".compared td button");
  const heights = await names.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  expect(Math.max(...heights), "names of tensors on one line").toBeLessThan(30);
  const top = await page.locator(".compared .first").evaluate((row) => row.getBoundingClientRect().top);
  expect(top).toBeGreaterThan(0);
  expect(top).toBeLessThan(900);
  await page.locator(".compared button", { hasText: "OUT" }).focus();
  await page.keyboard.press("Enter");
  expect(await texts(".pair > div > h4")).toEqual(["This request", "The other"]);
  expect(await texts(".pair .broken")).toEqual(["NaN", "-Infinity", "NaN", "-Infinity"]);
  await requests.selectOption({ index: 1 });
  expect((await compared())[0]).toBe("logs got | IN | shape [4], not [5]first | FP32[4] / FP32[5]");
});

test("requests that another version of the page stored in another form are ignored", async () => {
  await show("echo", "try");
  await page.locator(".field textarea").fill("a known form");
  await send();
  await page.evaluate(`
    const key = "tritype inspector: requests";
    const others = [null, 1, { model: "echo" }, { model: "echo", sent: 1, fields: {}, events: [null] }];
    localStorage.setItem(key, JSON.stringify([...others, ...JSON.parse(localStorage.getItem(key))]));
  `);
  await page.reload();
  await page.getByRole("button", { name: /a known form/ }).waitFor();
  expect(problems).toEqual([]);
});

test("earlier requests survive a reload", async () => {
  await show("echo", "try");
  await page.locator(".field textarea").fill("remember me");
  await send();
  await page.reload();
  await page.getByRole("button", { name: /remember me/ }).click();
  expect(await page.locator(".field textarea").inputValue()).toBe("remember me");
  expect(await texts(".answer .text")).toEqual(["remember me"]);
  expect(await texts(".answer > p.quiet")).toEqual([
    "Its recording is gone: the page keeps the last 10 until it is closed.",
  ]);
  const long = "x".repeat(70_000);
  await page.locator(".field textarea").fill(long);
  await send();
  expect(await page.locator(".history .what").first().innerText()).toBe("too long to keep");
  await page.getByText("The same request as a program").click();
  expect(await page.locator(".snippets pre").innerText()).toContain(
    "The value of X is too long to show here",
  );
});

test("a JSON answer keeps the digits of its numbers, and a form and its answer stay while the graph is shown", async () => {
  await show("echo", "try");
  const text = '{"id":9007199254740993}';
  await page.locator(".field textarea").fill(text);
  await send();
  await page.getByRole("link", { name: "Graph", exact: true }).click();
  await node("echo").waitFor();
  await page.getByRole("link", { name: "Try it", exact: true }).click();
  expect(await page.locator(".field textarea").inputValue()).toBe(text);
  expect(await texts(".answer > .tensor .text")).toEqual(['{\n  "id": 9007199254740993\n}']);
});

test.each(["tally", "wards"])("the form of %s continues a sequence until it has ended", async (model) => {
  await show(model, "try");
  await page.getByLabel("ends").uncheck();
  const value = async (number: number): Promise<readonly [readonly string[], boolean]> => {
    await page.locator(".field input").first().fill(String(number));
    await send();
    return [await texts(".answer > .tensor .value"), await page.getByLabel("starts").isChecked()];
  };
  expect(await value(1)).toEqual([["1"], false]);
  expect(await value(10)).toEqual([["11"], false]);
  await page.getByText("The same request as a program").click();
  expect(await page.locator(".snippets pre").innerText()).toContain(
    `"sequence_id":${model === "wards" ? '"1"' : "1"},`,
  );
  await page.getByLabel("ends").check();
  expect(await value(100)).toEqual([["111"], true]);
});

test("the tensors of a line far above the end of the waterfall are scrolled into view", async () => {
  await show("long", "try");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await send();
  await page.locator(".calls button").nth(1).click();
  const inside = page.locator(".inside h4").first();
  await expect.poll(async () => (await inside.boundingBox())?.y ?? Infinity).toBeLessThan(600);
  expect((await inside.boundingBox())?.y).toBeGreaterThanOrEqual(0);
  await page.emulateMedia({ reducedMotion: null });
});

test("a stream of numbers shows its last response, and can be stopped", async () => {
  await show("counting", "try");
  const number = page.locator(".field input").first();
  await number.fill("3");
  await send();
  expect(await page.locator(".answer > .tensor h4").innerText()).toContain("the last of 3 responses");
  expect(await texts(".answer > .tensor .value")).toEqual(["3"]);
  await number.fill("10000");
  await button("Send").click();
  await page.locator(".answer h3", { hasText: "responses" }).waitFor();
  await button("Stop").click();
  expect(await page.locator(".answer .notice").innerText()).toMatch(
    /^Stopped by you after [\d.]+ (ms|s)\. Stopped requests have no recording\.$/,
  );
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await page.locator(".history .took").first().innerText()).toBe("stopped");
});

test("two requests that failed are compared with their errors", async () => {
  await show("words", "try");
  for (let i = 0; i < 2; i++) {
    await page.locator(".field textarea").fill("unknown");
    await send();
  }
  await page.locator(".compare select").first().selectOption({ index: 1 });
  expect(await page.locator(".compare .result").innerText()).toBe(
    "Both requests failed with the same error. The only tensor is equal within the tolerance.",
  );
  await page.locator(".field textarea").fill("one");
  await send();
  expect(await page.locator(".answer > .tensor h4").innerText()).toContain("1 piece");
  expect(await page.locator(".answer > .tensor h4").innerText()).not.toContain("pieces");
});

test("a stream is shown as it arrives", async () => {
  await show("words", "try");
  await page.locator(".field textarea").fill("one two three");
  await send();
  expect(await texts(".answer .text")).toEqual(["one two three "]);
  expect(await page.locator(".answer h3").first().innerText()).toContain("3 responses");
});

test("the responses of a stream are ticks in the waterfall, with their times", async () => {
  await show("spoken", "try");
  await page.locator(".field textarea").fill("one two three");
  await send();
  const words = page.locator(".calls button").filter({ hasText: "words" });
  const ticks = await words
    .locator(".arrival")
    .evaluateAll((all) =>
      all.map((tick) => [tick.getAttribute("title") ?? "", tick.getBoundingClientRect().left] as const),
    );
  expect(ticks.map(([title]) => title)).toEqual(
    [1, 2, 3].map((number) => expect.stringMatching(`^response ${number} after [\\d.]+ (ms|s|µs)$`)),
  );
  expect(ticks.map(([, left]) => left)).toEqual(ticks.map(([, left]) => left).toSorted((a, b) => a - b));
  expect(await page.locator(".calls button").filter({ hasText: "echo" }).locator(".arrival").count()).toBe(0);
  expect(await words.locator(".part.compute").count()).toBe(1);
  await words.click();
  expect((await texts(".inside h4")).filter((text) => text.includes("gave"))).toEqual(
    ticks.map(([title]) => `words gave (${title.replace(" after", ") after")}`),
  );
});

test("an error in a stream has its place among the responses", async () => {
  await show("words", "try");
  await page.locator(".field textarea").fill("one two unknown three");
  await send();
  expect(await page.locator(".answer .notice.bad").first().innerText()).toMatch(
    /^The error came after response 2 \([\d.]+ (ms|s|µs)\):\s+no such word$/,
  );
  expect(await texts(".calls .badge")).toEqual(["failed after response 2"]);
  expect(await page.locator(".arrival.error").getAttribute("title")).toMatch(
    /^error after response 2 \([\d.]+ (ms|s|µs)\)$/,
  );
  await page.locator(".calls button").click();
  const inside = await page.locator(".inside").innerText();
  expect(inside).toMatch(/response 2.*Error after response 2 .*response 3/s);
});

test("an image is sent as a file and shown as an image", async () => {
  await show("echo", "try");
  await page
    .getByLabel("A file for X")
    .setInputFiles({ name: "red.png", mimeType: "image/png", buffer: picture });
  await send();
  const shown = page.locator(".answer .tensor").first().locator("img");
  expect(await shown.getAttribute("src")).toBe(`data:image/png;base64,${picture.toString("base64")}`);
  expect(await shown.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(
    1,
  );
});

test("a recorded run with a 40 MB tensor gives an answer of limited size", async () => {
  const got = await page.evaluate(async () => {
    const count = 10_000_000;
    const header = JSON.stringify({
      inputs: [{ name: "IN", datatype: "FP32", shape: [count], parameters: { binary_data_size: count * 4 } }],
    });
    const head = JSON.stringify({ model: "logs", headerLength: header.length, record: true });
    const body = new Blob([`${head}\n${header}`, new Float32Array(count).fill(1)]);
    const response = await fetch("api/run", { method: "POST", body });
    const text = await response.text();
    return {
      length: text.length,
      kinds: text
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { kind: string }).kind),
      missing: text.includes("the tensors of one recording may have at most 67 MB"),
    };
  });
  expect(got.kinds).toEqual(["response", "end", "recording"]);
  expect(got.length).toBeLessThan(200_000);
  expect(got.missing).toBe(true);
});

test("live figures count every request", async () => {
  await page.goto(`${server.url}/inspector/#/live`);
  const row = page.getByRole("region", { name: "Models", exact: true }).locator("tr", { hasText: "echo" });
  const total = row.locator("td").last();
  await total.waitFor();
  const before = Number(await total.innerText());
  await page.evaluate(() =>
    fetch("/v2/models/echo/infer", {
      method: "POST",
      body: JSON.stringify({ inputs: [{ name: "X", datatype: "BYTES", shape: [1], data: ["a"] }] }),
    }),
  );
  await expect.poll(async () => Number(await total.innerText())).toBe(before + 1);
  expect((await texts("thead th")).slice(3, 7)).toEqual(["Mean", "p50", "p90", "p99"]);
  const p99 = row.locator("td").nth(5);
  await expect.poll(() => p99.innerText()).toMatch(/^[\d.]+ (?:µs|ms)$/);
});

/** A page may keep a few hundred bytes for each of them. */
const manyRequests = process.env["TRITYPE_LOAD"] === "long" ? 10_000 : 2000;

test("after thousands of requests, the open page is still responsive and its memory is bounded", async () => {
  await page.goto(`${server.url}/inspector/#/live`);
  const row = page.locator("tr", { has: page.getByRole("button", { name: "same", exact: true }) });
  const total = row.locator("td").last();
  await total.waitFor();
  const session = await page.context().newCDPSession(page);
  const heap = async (): Promise<number> => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return usedSize;
  };
  const [count, before] = [Number(await total.innerText()), await heap()];
  const body = JSON.stringify({ inputs: [{ name: "X", datatype: "FP32", shape: [1], data: [1] }] });
  // Not with `fetch`, which takes longer than the server.
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const ask = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      request(`${server.url}/v2/models/same/infer`, { method: "POST", agent }, (response) =>
        response.resume().once("end", resolve).once("error", reject),
      )
        .once("error", reject)
        .end(body);
    });
  let left = manyRequests;
  const client = async (): Promise<void> => {
    while (left-- > 0) await ask();
  };
  const clients = Promise.all(Array.from({ length: 8 }, client)).finally(() => agent.destroy());
  for (const name of ["log", "same"]) {
    const from = performance.now();
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByLabel(`Activity of ${name}`).waitFor();
    expect(performance.now() - from).toBeLessThan(5_000);
  }
  await clients;
  await expect.poll(async () => Number(await total.innerText())).toBe(count + manyRequests);
  expect((await heap()) - before).toBeLessThan(500 * manyRequests);
}, 300_000);

test("the page loads nothing from other hosts and follows its content security policy", async () => {
  for (const view of ["#/models/scores/graph", "#/models/logs/try", "#/live"]) {
    await page.goto(`${server.url}/inspector/${view}`);
    await page.reload();
    await page.locator(".title").waitFor();
  }
  expect(problems).toEqual([]);
  expect([...asked]).toEqual([server.url]);
});

/** Elements that the waterfall cuts off: rows that are wider than its card, and names and durations that are wider than their columns. */
const cutOff = (): Promise<readonly string[]> =>
  page
    .locator(".calls, .calls button, .call-name, .calls .figure")
    .evaluateAll((rows) =>
      rows.filter((row) => row.scrollWidth > row.clientWidth).map((row) => row.textContent ?? ""),
    );

test("axe finds nothing serious, in a wide light window and in a narrow dark one", async () => {
  const found: string[] = [];
  for (const [colorScheme, width] of [["light", 1400] as const, ["dark", 390] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await show("broken", "graph");
    await node("broken").click();
    await page.locator(".files").waitFor();
    found.push(...(await seriousFindings(page)));
    await show("logs", "try");
    await page.getByLabel("IN as JSON").fill("[1, -1, 0, 4]");
    await send();
    await send();
    await page.locator(".calls button").nth(2).click();
    expect(await cutOff(), `rows cut off at ${width} px`).toEqual([]);
    await page.locator(".compare select").first().selectOption({ index: 1 });
    await page.locator(".compared").waitFor();
    found.push(...(await seriousFindings(page)));
    await page.goto(`${server.url}/inspector/#/live`);
    await page.locator(".plots").waitFor();
    found.push(...(await seriousFindings(page)));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1400, height: 900 });
  expect(found).toEqual([]);
});

test("the page works with the keyboard", async () => {
  await show("scores", "graph");
  await button("Skip to the content").focus();
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("main");
  await node("scores_scores").focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("About scores_scores").waitFor();
});

test("a failed build is shown in an overlay, with the terminal's code frames, until a build succeeds", async () => {
  await show("scores", "graph");
  project.write("pipeline.ts", pipeline.replace("scaled.softmax(-1)", "scaled.softmax(7)"));
  const dialog = page.getByRole("dialog", { name: "The build failed" });
  await dialog.waitFor({ timeout: 100_000 });
  const text = await dialog.locator("pre").innerText();
  expect(text).toContain("pipeline.ts:18");
  expect(text).toContain("softmax(7)");
  expect(text).not.toContain("\u001b");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /The last build failed/ }).waitFor();
  project.write("pipeline.ts", pipeline.replaceAll("maxBatchSize: 8", "maxBatchSize: 4"));
  await page.locator(".failed").waitFor({ state: "detached", timeout: 100_000 });
  await page.getByRole("region", { name: "What changed" }).waitFor();
  expect(await page.locator(".models li", { hasText: "changed" }).allInnerTexts()).not.toEqual([]);
}, 240_000);

test("a link at a code frame opens the editor there, and nothing else can be opened", async () => {
  project.write("pipeline.ts", pipeline.replace("scaled.softmax(-1)", "scaled.softmax(7)"));
  const dialog = page.getByRole("dialog", { name: "The build failed" });
  await dialog.waitFor({ timeout: 100_000 });
  await dialog.getByRole("button", { name: "pipeline.ts:18:29" }).click();
  await expect.poll(() => opened()).toEqual([`-r -g ${project.path("pipeline.ts")}:18:29`]);
  expect(await seriousFindings(page)).toEqual([]);
  const open = async (place: object, init: RequestInit = {}): Promise<number> =>
    (
      await fetch(`${server.url}/inspector/api/open`, {
        method: "POST",
        body: JSON.stringify(place),
        ...init,
      })
    ).status;
  expect(await open({ file: "package.json", line: 1 })).toBe(404);
  expect(await open({ file: "pipeline.ts" })).toBe(400);
  expect(await open({ file: "pipeline.ts", line: 1 }, { headers: { Origin: "http://evil.example" } })).toBe(
    403,
  );
  expect(opened()).toHaveLength(1);
  project.write("pipeline.ts", pipeline);
  await page.locator(".failed").waitFor({ state: "detached", timeout: 100_000 });
}, 240_000);

test("a changed graph shows what changed, in a list and on its nodes and edges, until it is dismissed", async () => {
  await show("scores", "graph");
  const list = page.getByRole("region", { name: "What changed" });
  project.write(
    "pipeline.ts",
    pipeline
      .replaceAll('fp32("batch", 4)', 'fp32("batch", 3)')
      .replace("[1, 2, 3, 4]", "[1, 2, 3]")
      .replace("scaled.softmax(-1)", "scaled.sum(-1)"),
  );
  await list.waitFor({ timeout: 100_000 });
  const items = async (): Promise<readonly string[]> =>
    (await list.getByRole("listitem").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
  // The models load one after the other.
  await expect
    .poll(items)
    .toEqual(
      expect.arrayContaining([
        "input x FP32[batch, 4] → FP32[batch, 3]",
        "operator Softmax 1",
        "operator ReduceSum 1",
      ]),
    );
  expect(await page.locator(".node.fresh .node-name").allInnerTexts()).not.toEqual([]);
  expect(await page.locator(".edge-text.fresh").allInnerTexts()).toContain("x FP32[batch, 3]");
  expect(await seriousFindings(page)).toEqual([]);
  await button("Dismiss").click();
  expect(await list.count()).toBe(0);
  expect(await page.locator(".fresh").count()).toBe(0);
  project.write("pipeline.ts", pipeline);
  await page.locator(".contract", { hasText: "x FP32[batch, 4]" }).waitFor({ timeout: 100_000 });
  await expect.poll(() => list.innerText(), { timeout: 20_000 }).toContain("operator Softmax 1");
}, 240_000);

test("a closed ensemble is marked if something inside it has changed", async () => {
  await show("scores", "graph");
  // Forgets the changes of earlier tests.
  await page.reload();
  await node("scale").waitFor();
  project.write("pipeline.ts", pipeline.replace("x.mul(2)", "x.div(2)"));
  const list = page.getByRole("region", { name: "What changed" });
  await list.waitFor({ timeout: 100_000 });
  const box = page.locator(".node").first();
  const mark = box.getByText("changed inside", { exact: true });
  await mark.waitFor();
  expect((await mark.boundingBox())?.y, "above the box").toBeLessThan((await box.boundingBox())?.y ?? 0);
  await expect.poll(() => list.innerText()).toMatch(/operator Mul/);
  await page.getByRole("button", { name: "Open scale here" }).click();
  expect((await texts(".node.fresh strong")).concat(await texts(".node.fresh .change"))).toEqual([
    "scale_scaled",
    "changed",
  ]);
  await button("Dismiss").click();
  project.write("pipeline.ts", pipeline);
  const inputs = [{ name: "x", datatype: "FP32", shape: [1, 4], data: [1, 2, 3, 4] }];
  const doubled = async (): Promise<unknown> => {
    const body = JSON.stringify({ inputs });
    const answer = await fetch(`${server.url}/v2/models/scale/infer`, { method: "POST", body });
    return ((await answer.json()) as { outputs?: { data: unknown }[] }).outputs?.[0]?.data;
  };
  await expect.poll(doubled, { timeout: 100_000 }).toEqual([2, 4, 6, 8]);
}, 240_000);

test("one request in two builds: the changed step is the first difference, with equal inputs", async () => {
  await show("scores", "try");
  await button("rising").click();
  await send();
  const before = await texts(".answer .bars .figure");
  project.write("pipeline.ts", pipeline.replace("x.mul(2)", "x.mul(3)"));
  await expect
    .poll(
      async () => {
        await send();
        return texts(".answer .bars .figure");
      },
      { timeout: 100_000, interval: 2000 },
    )
    .not.toEqual(before);
  await page.locator(".compare select").first().selectOption({ index: 1 });
  expect(await page.locator(".compare .result").innerText()).toBe(
    "First difference: scale → scale_scaled gave scaled: the largest difference is 4. Its inputs are equal.",
  );
}, 240_000);

test("the request on the screen is sent again after an edit, and both versions are side by side", async () => {
  await show("scores", "try");
  await button("rising").click();
  await send();
  project.write("pipeline.ts", pipeline.replace("x.mul(2)", "x.mul(5)"));
  await page.getByText("The models have changed since this request was sent.").waitFor({ timeout: 100_000 });
  await button("Send it again and compare").click();
  await page.locator(".compared").waitFor();
  expect(await page.locator(".compare .result").innerText()).toMatch(
    /^First difference: scale → scale_scaled gave scaled: the largest difference is \d+. Its inputs are equal.$/,
  );
  expect(await texts(".pair > div > h4")).toEqual(["This version", "The earlier version"]);
}, 240_000);

test("a request is sent to another server step by step, and the results are compared", async () => {
  await show("scores", "try");
  await button("rising").click();
  await send();
  await page.getByRole("button", { name: `Send it to ${other.url} and compare` }).click();
  await page.locator(".compared").waitFor();
  expect(await page.locator(".compare .result").innerText()).toBe(
    "First difference: scale → scale_scaled gave scaled: the largest difference is 12. Its inputs are equal.",
  );
  expect(await texts(".pair > div > h4")).toEqual(["This server", other.url]);
  expect(await compared()).toHaveLength(8);
  await show("same", "try");
  await send();
  await page.getByRole("button", { name: `Send it to ${other.url} and compare` }).click();
  expect(await page.locator(".compare").getByRole("alert").innerText()).toContain(
    "Request for unknown model: 'same' is not found",
  );
  await other.stop();
  await show("scores", "try");
  await page.getByRole("button", { name: `Send it to ${other.url} and compare` }).click();
  expect(await page.locator(".compare").getByRole("alert").innerText()).toContain("no server answers");
  expect(await texts(".compare .result")).toEqual([]);
});

test("a warning of the build is shown on the ensemble that it is about", async () => {
  await show("scores", "graph");
  project.write(
    "pipeline.ts",
    pipeline.replace("return { scores:", "scale({ x: scaled });\n    return { scores:"),
  );
  await page.locator(".models a", { hasText: "scores" }).locator(".count").waitFor({ timeout: 100_000 });
  expect(await texts(".findings code")).toEqual(["graph/unused-step", "pipeline.ts:18"]);
}, 240_000);

test("the API follows the server's access rules, and can only run requests", async () => {
  const overview = `${server.url}/inspector/api/overview`;
  const status = async (url: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(url, init)).status;
  expect(await status(overview, { headers: { Origin: "http://evil.example" } })).toBe(403);
  expect(await status(overview, { method: "POST" })).toBe(405);
  expect(await status(`${server.url}/inspector/api/run`)).toBe(405);
  expect(await status(`${server.url}/inspector/api/run`, { method: "POST", body: "{}" })).toBe(400);
  expect(await status(`${server.url}/inspector/api/model/..%2F..%2Fetc`)).toBe(404);
  expect(await status(`${server.url}/inspector/..%2Findex.js`)).toBe(404);
  const response = await fetch(`${server.url}/inspector/`);
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
});
