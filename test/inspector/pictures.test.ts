import { inflateSync } from "node:zlib";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { serveCommand } from "../client/built-example.ts";
import { startBrowser } from "../environment/chromium.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { watchedPage } from "./inspector-page.ts";
import { encodePng } from "../../packages/inspector/src/png.ts";
import { photo, pictureModels, still } from "./picture-models.ts";
import { seriousFindings } from "./serious-findings.ts";

let project: ProjectFixture;
let server: Awaited<ReturnType<typeof serveCommand>>;
let browser: Browser;
let page: Page;
let problems: string[];

beforeAll(async () => {
  vi.stubEnv("TRITYPE_PYTHON", await pythonWithNumpy());
  project = makeProject(
    Object.fromEntries(Object.entries(pictureModels).map(([path, text]) => [`models/${path}`, text])),
  );
  server = await serveCommand(project, ["dev", "models", "--http-port", "0", "--device", "cpu"]);
  browser = await startBrowser();
  ({ page, problems } = await watchedPage(browser));
}, 600_000);
beforeEach(async () => {
  await page.goto("about:blank");
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1400, height: 900 });
  problems.length = 0;
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  project?.remove();
  vi.unstubAllEnvs();
});

const show = async (model: string): Promise<void> => {
  await page.goto(`${server.url}/inspector/#/models/${model}/try`);
  await page.getByRole("heading", { level: 2, name: model, exact: true }).waitFor();
};
const send = async (): Promise<void> => {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
};
const sendPhoto = async (model = "detect"): Promise<void> => {
  await show(model);
  const file = { name: "fruits.png", mimeType: "image/png", buffer: photo };
  await page.getByLabel("A file for IMAGE").setInputFiles(file);
  await send();
};
const [width, height] = [96, 64];
const sendPixels = async (): Promise<void> => {
  await show("vision");
  const rows = [still(width, height), still(width, height, true)].map((values) =>
    Array.from({ length: height }, (_, y) =>
      Array.from({ length: width }, (__, x) => [
        ...values.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
      ]),
    ),
  );
  await page.getByLabel("IMAGE as JSON").fill(JSON.stringify(rows));
  await send();
};

const boxesIn = (name: string): Locator =>
  page.getByRole("region", { name: `Boxes in ${name}`, exact: true });
/** The corners of the drawn boxes as fractions of the picture on the screen. */
const drawn = (region: Locator): Promise<readonly (readonly number[])[]> =>
  region.locator(".boxed").evaluate((picture) => {
    const all = picture.getBoundingClientRect();
    return [...picture.querySelectorAll(".box")].map((one) => {
      const { left, top, right, bottom } = one.getBoundingClientRect();
      return [
        (left - all.left) / all.width,
        (top - all.top) / all.height,
        (right - all.left) / all.width,
        (bottom - all.top) / all.height,
      ].map((part) => Math.round(part * 100) / 100);
    });
  });
const table = (region: Locator): Promise<readonly string[]> => region.locator("tbody tr").allInnerTexts();
/** The red, green and blue of a pixel, read from the PNG that the browser has decoded. */
const pixelOf = async (image: Locator, x: number, y: number): Promise<readonly number[]> => {
  const shown = await image.evaluate((one) => {
    const { naturalWidth, naturalHeight } = one as unknown as Record<string, number>;
    return [naturalWidth, naturalHeight];
  });
  expect(shown).toEqual([width, height]);
  const [, base64 = ""] = ((await image.getAttribute("src")) ?? "").split("base64,");
  const file = Buffer.from(base64, "base64");
  const lines = inflateSync(file.subarray(41, 41 + file.readUInt32BE(33)));
  const at = y * (1 + width * 3) + 1 + x * 3;
  return [...lines.subarray(at, at + 3)];
};

test("numbers that form a picture are shown as a picture, with the mapping of their values, and as values", async () => {
  await sendPixels();
  await page.locator(".calls button", { hasText: "prepare" }).click();
  const original = page.locator(".inside").getByRole("region", { name: "IMAGE", exact: true });
  expect(await original.locator("figcaption p").innerText()).toBe(
    "96 × 64 pixels, read as red, green and blue, channels last. 0 is black, 255 is white.",
  );
  const pixels = page.locator(".inside").getByRole("region", { name: "PIXELS", exact: true });
  expect(await pixels.locator("figcaption p").innerText()).toBe(
    "96 × 64 pixels, read as red, green and blue, channels first. The values fit ImageNet's mean and standard deviation, which are undone.",
  );
  const wanted = [
    ...still(width, height)
      .subarray((40 * width + 28) * 3)
      .subarray(0, 3),
  ];
  for (const one of [original, pixels]) expect(await pixelOf(one.locator("img"), 28, 40)).toEqual(wanted);
  await pixels.getByLabel("Row").selectOption("1");
  expect(await pixelOf(pixels.locator("img"), width - 28, 40)).toEqual(wanted);
  await pixels.getByRole("button", { name: "Values", exact: true }).click();
  expect(await pixels.locator("tbody tr").first().innerText()).toMatch(/^0, 0, 0\t-?\d/);
  expect(problems).toEqual([]);
});

test("boxes are drawn on the file that was sent, with their labels and scores, and listed", async () => {
  await sendPhoto();
  const boxes = boxesIn("boxes");
  expect(await boxes.locator(".box").allInnerTexts()).toEqual(["apple 0.98", "orange 0.91", "table 0.34"]);
  expect(await drawn(boxes)).toEqual([
    [0.17, 0.4, 0.43, 0.8],
    [0.58, 0.51, 0.78, 0.81],
    [0, 0.78, 0.25, 1],
  ]);
  expect(await table(boxes)).toEqual([
    "1\tapple\t0.98\t80\t128\t208\t256",
    "2\torange\t0.91\t278\t163\t374\t259",
    "3\ttable\t0.34\t-40\t250\t120\t400",
  ]);
  expect(await boxes.innerText()).toContain("3 boxes. Not shown: 1 without an area.");
  await boxes.getByLabel("Score from").fill("0.5");
  expect(await boxes.locator(".box").allInnerTexts()).toEqual(["apple 0.98", "orange 0.91"]);
  await boxes.getByRole("button", { name: "Mark box 2" }).click();
  expect(await boxes.locator(".box.chosen").innerText()).toBe("orange 0.91");
  await boxes.getByLabel("Order").selectOption("xywh");
  expect((await drawn(boxes))[0]).toEqual([0.17, 0.4, 0.6, 1]);
  expect(problems).toEqual([]);
});

test("boxes in JSON are drawn as well; if their coordinates are named, no choice of order is offered", async () => {
  await sendPhoto();
  const boxes = boxesIn("found");
  expect(await table(boxes)).toEqual([
    "1\tapple\t0.98\t80\t128\t208\t256",
    "2\torange\t0.91\t278\t163\t374\t259",
  ]);
  expect(await boxes.getByLabel("Order").count()).toBe(0);
});

test("boxes, scores and classes in one output are drawn with the names of the label file", async () => {
  await sendPhoto("spot");
  const boxes = boxesIn("detections");
  expect(await boxes.locator(".box").allInnerTexts()).toEqual(["apple 0.98", "orange 0.91"]);
  expect(await table(boxes)).toEqual([
    "1\tapple\t0.98\t80\t128\t208\t256",
    "2\torange\t0.91\t278\t163\t374\t259",
  ]);
  expect(problems).toEqual([]);
});

test("scores and class numbers have the names of their label file", async () => {
  await sendPhoto("spot");
  const output = (name: string): Locator =>
    page.locator(".answer").getByRole("region", { name, exact: true });
  expect(await output("scores").locator("li").allInnerTexts()).toEqual([
    "<b>pear</b>\n0.1000",
    "apple\n0.7000",
    "orange\n0.2000",
  ]);
  expect(await output("label").locator(".value").innerText()).toBe("1 apple");
  expect(await output("logits").innerText()).toContain("Highest: kind 199 (4), kind 198 (3.97487), kind 197");
  expect(await output("logits").locator("th").nth(1).innerText()).toBe("1\nkind 1");
  expect(await seriousFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test("boxes as fractions are drawn on the rows of a numeric picture; values that cannot be drawn are counted", async () => {
  await sendPixels();
  const boxes = boxesIn("detection_boxes");
  expect(await boxes.getByLabel("Order").inputValue()).toBe("yxyx");
  expect(await drawn(boxes)).toEqual([
    [0.16, 0.4, 0.44, 0.8],
    [0.58, 0.51, 0.78, 0.81],
  ]);
  expect(await boxes.innerText()).toContain(
    "2 boxes. Not shown: 1 without finite coordinates, 1 outside the picture.",
  );
  await boxes.getByLabel("Row").selectOption("1");
  expect(await drawn(boxes)).toEqual([
    [0.56, 0.4, 0.84, 0.8],
    [0.22, 0.51, 0.42, 0.81],
  ]);
  expect(await boxes.innerText()).toContain("2 boxes. Not shown: 2 without an area.");
  await boxes.getByLabel("Order").selectOption("xyxy");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await boxes.locator(".box").first().waitFor();
  expect(await boxes.getByLabel("Order").inputValue()).toBe("xyxy");
});

test("an earlier request lists its boxes without the picture, which the browser does not keep", async () => {
  await sendPhoto();
  await page.reload();
  await page.locator(".history li button").first().click();
  const boxes = boxesIn("boxes");
  expect(await boxes.innerText()).toContain("The page does not keep the pictures of earlier requests.");
  expect((await table(boxes))[0]).toBe("1\tapple\t0.98\t80\t128\t208\t256");
});

test("a picture is the value of a numeric input, scaled to its size and range", async () => {
  await show("channels");
  const field = page.getByRole("group", { name: /^IMAGE/ });
  const choose = (name: string, buffer: Buffer): Promise<void> =>
    page.getByLabel("A picture for IMAGE").setInputFiles({ name, mimeType: "image/png", buffer });
  const means = async (): Promise<readonly number[]> => {
    await send();
    const mean = page.locator(".answer").getByRole("region", { name: "mean", exact: true });
    return (await mean.locator(".figure, td").allInnerTexts()).map(Number);
  };
  const meansOf = (values: Uint8Array): readonly number[] =>
    [0, 1, 2].map((channel) => {
      const own = values.filter((_, at) => at % 3 === channel);
      return own.reduce((sum, value) => sum + value / 255, 0) / own.length;
    });
  const small = still(48, 32);
  const [red = 0, green = 0, blue = 0] = meansOf(small);
  await choose("a.png", Buffer.from("not a picture"));
  await field.getByText("The browser cannot read a.png as a picture.").waitFor();
  await choose("small.png", encodePng({ width: 48, height: 32, channels: 3, values: small }));
  await field.getByText("48 × 32", { exact: true }).waitFor();
  expect(await means()).toEqual([red, green, blue].map((mean) => expect.closeTo(mean, 3)));
  await field.getByLabel("Values").selectOption("ImageNet's mean and standard deviation");
  expect(await means()).toEqual([
    expect.closeTo((red - 0.485) / 0.229, 3),
    expect.closeTo((green - 0.456) / 0.224, 3),
    expect.closeTo((blue - 0.406) / 0.225, 3),
  ]);
  await choose("large.png", photo);
  await field.getByText("480 × 320, scaled to 48 × 32").waitFor();
  expect(await field.getByRole("img", { name: "large.png" }).count()).toBe(1);
  expect(await means()).toEqual(meansOf(still(480, 320)).map((mean) => expect.closeTo(mean, 2)));
  await page.getByText("The same request as a program").click();
  await page.getByRole("button", { name: "Python", exact: true }).click();
  expect(await page.getByLabel("The request in Python").innerText()).toContain('Image.open("large.png")');
  for (const [colorScheme, size] of [["light", 1400] as const, ["dark", 420] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: size, height: 900 });
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(size);
  }
  await field.getByRole("button", { name: "As JSON" }).click();
  expect(await page.getByLabel("IMAGE as JSON").inputValue()).toMatch(/^\[\[\[\[0, 0/);
  await page.reload();
  await expect
    .poll(() => page.locator(".history .what").allInnerTexts())
    .toEqual(["large.png", "small.png", "small.png"]);
  expect(problems).toEqual([]);
});

test("axe finds nothing serious in pictures and boxes, in a wide light window and in a narrow dark one", async () => {
  const found: string[] = [];
  for (const [colorScheme, size] of [["light", 1400] as const, ["dark", 420] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: size, height: 900 });
    await sendPhoto();
    await boxesIn("boxes").getByRole("button", { name: "Mark box 1" }).click();
    found.push(...(await seriousFindings(page)));
    await sendPixels();
    await page.locator(".calls button", { hasText: "prepare" }).click();
    await page.locator(".inside .pixels").first().waitFor();
    found.push(...(await seriousFindings(page)));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(size);
  }
  expect(found).toEqual([]);
});
