// Takes the pictures of docs/inspector, with the Python of $TRITYPE_PYTHON (numpy, tokenizers) and Chromium:
// node test/inspector/take-pictures.mjs [folder [light|dark]]
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../../", import.meta.url));
const [folder = join(root, "docs/inspector"), scheme] = process.argv.slice(2);
const bin = join(root, "packages/tritype/bin/pipeline.js");
const width = 1240;

/** The programs of the guide to flows, as one project. */
const guide = () => {
  const page = readFileSync(join(root, "docs/flows.md"), "utf8");
  const files = [...page.matchAll(/^```ts (\S+\.ts)\n(.*?)^```/gms)].map(([, name, text]) => [name, text]);
  const entries = JSON.stringify(files.map(([name]) => name));
  return { ...Object.fromEntries(files), "pipeline.config.ts": `export default { entries: ${entries} };\n` };
};

const makeProject = (files) => {
  const project = mkdtempSync(join(tmpdir(), "tritype-pictures-"));
  mkdirSync(join(project, "node_modules"));
  symlinkSync(join(root, "packages/tritype"), join(project, "node_modules/tritype"), "junction");
  writeFileSync(join(project, "package.json"), '{ "type": "module" }\n');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  return project;
};

/** `pipeline dev` of a project. */
const serve = async (project, ...options) => {
  const child = spawn(process.execPath, [bin, "dev", "--http-port", "0", "--device", "cpu", ...options], {
    cwd: project,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let url;
  for await (const line of createInterface(child.stderr)) {
    url = /^\w+ing .* at (http:\/\/[^/\s]+)/.exec(line)?.[1] ?? url;
    if (line.includes("stop with Ctrl-C")) break;
  }
  child.stderr.resume();
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { url, stop };
};

const browser = await chromium.launch({
  executablePath: process.env.TRITYPE_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const encoder = await browser.newPage();

/** Chromium saves PNG only, and encodes WebP on a canvas. */
const save = async (page, name) => {
  const png = (await page.screenshot()).toString("base64");
  const webp = await encoder.evaluate(async (data) => {
    const image = new Image();
    image.src = data;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), {
      width: image.width,
      height: image.height,
    });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.9);
  }, `data:image/png;base64,${png}`);
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(webp.split(",")[1], "base64"));
};

/** A page of the inspector, at a height that shows the subject. */
const open = async (server, path, height, colorScheme) => {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(`${server.url}/inspector/#/${path}`);
  await page.locator(".title").waitFor();
  return page;
};
const send = async (page) => {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".calls").waitFor();
};

/** Sends requests until the page is closed: at first from one client, later from more and more. */
const keepBusy = (page, request) =>
  Promise.all(
    Array.from({ length: 16 }, async (_, client) => {
      await sleep(client * 3000);
      for (let turn = client; !page.isClosed(); turn++) await request(turn);
    }),
  );

/** A pipeline that is edited while a page is open. */
const classifier = `import { defineEnsemble, fp32 } from "tritype";

const pixels = fp32("batch", 4);

export const normalize = defineEnsemble({
  name: "normalize",
  maxBatchSize: 8,
  inputs: { pixels },
  run: ({ pixels }) => ({ normalized: pixels.sub(2).div(4) }),
});

export const classify = defineEnsemble({
  name: "classify",
  maxBatchSize: 8,
  inputs: { pixels },
  run({ pixels }) {
    const { normalized } = normalize({ pixels });
    return { scores: normalized.softmax(-1) };
  },
});
`;
const edit = (text) => writeFileSync(join(edited, "pipeline.ts"), text);

const pictures = {
  compare: async (colors) => {
    const page = await open(editing, "models/classify/try", 1140, colors);
    await page.getByLabel("pixels as JSON").fill("[[1, 2, 3, 4]]");
    await send(page);
    edit(classifier.replace("div(4)", "div(5)"));
    await page.getByText("The models have changed").waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "Send it again and compare" }).click();
    await page.locator(".compared").waitFor();
    await page.locator("main").evaluate((main) => main.scrollTo(0, 0));
    return page;
  },
  changes: async (colors) => {
    const page = await open(editing, "models/classify/graph", 860, colors);
    await page.getByRole("button", { name: "Open normalize here" }).click();
    const more = classifier
      .replace("div(4)", "div(8)")
      .replace(
        "scores: normalized.softmax(-1) }",
        "scores: normalized.softmax(-1), largest: normalized.max(-1) }",
      );
    edit(more);
    await page.getByRole("region", { name: "What changed" }).waitFor({ timeout: 60_000 });
    await page.locator(".port", { hasText: "largest" }).waitFor();
    return page;
  },
  graph: async (colors) => {
    const page = await open(example, "models/embed_query/graph", 780, colors);
    await page.getByRole("button", { name: "Open vector here" }).click();
    await page.locator(".node-name", { hasText: "vector_embedding" }).click();
    await page.locator(".files .marked").waitFor();
    return page;
  },
  calls: async (colors) => {
    const page = await open(flows, "models/find_things/graph", 520, colors);
    await page.locator(".node-name", { hasText: "recognize" }).waitFor();
    return page;
  },
  request: async (colors) => {
    const page = await open(flows, "models/find_things/try", 1120, colors);
    const row = [0, 10, 0, 250, 240, 0, 0, 20, 30, 0];
    await page.getByLabel("image as JSON").fill(JSON.stringify([[row, row]]));
    await send(page);
    await send(page);
    await page.locator(".calls button", { hasText: "recognize 3 of 3" }).click();
    return page;
  },
  live: async (colors) => {
    const page = await open(example, "live", 1120, colors);
    const words = ["a short query", "what people type into the field of a search", "three words more"];
    const request = (turn) =>
      fetch(`${example.url}/v2/models/embed/infer`, {
        method: "POST",
        body: JSON.stringify({
          inputs: [{ name: "text", datatype: "BYTES", shape: [1, 1], data: [words[turn % 3]] }],
        }),
      }).then((answer) => answer.arrayBuffer());
    void keepBusy(page, request).catch(() => undefined);
    await page.getByRole("button", { name: "encoder", exact: true }).click();
    await sleep(60_000);
    return page;
  },
};

const copied = makeProject({});
for (const path of [
  "pipeline.ts",
  "pipeline.config.ts",
  "retrieval.ts",
  "tensorrt.ts",
  "models",
  "assets",
  "drift",
])
  cpSync(join(root, "examples/sentence-embedding", path), join(copied, path), { recursive: true });
const guided = makeProject(guide());
const edited = makeProject({ "pipeline.ts": classifier });
const [example, flows, editing] = [await serve(copied, "--python"), await serve(guided), await serve(edited)];
try {
  for (const [name, take] of Object.entries(pictures)) {
    const page = await take(scheme ?? (name === "request" ? "dark" : "light"));
    await save(page, name);
    await page.close();
  }
} finally {
  await browser.close();
  await Promise.all([example.stop(), flows.stop(), editing.stop()]);
  for (const project of [copied, guided, edited]) rmSync(project, { recursive: true, force: true });
}
