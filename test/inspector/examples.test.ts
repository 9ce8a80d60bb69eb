import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createInspector, inspectRuntime } from "@tritype/inspector";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { startRuntime } from "@tritype/runtime";
import { serveHttp } from "@tritype/server";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startBrowser } from "../environment/chromium.ts";
import { watchedPage } from "./inspector-page.ts";
import { seriousFindings } from "./serious-findings.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
}, 60_000);
afterAll(() => browser?.close());

/** Builds an example, and serves it with the page. Returns the page's address. */
const serveExample = async (name: string, configName: string | undefined): Promise<string> => {
  const root = fileURLToPath(new URL(`../../examples/${name}/`, import.meta.url));
  const build = mkdtempSync(join(tmpdir(), "tritype-inspected-"));
  onTestFinished(() => rmSync(build, { recursive: true, force: true }));
  const { compilation } = await compileProject(findProject(root));
  if (compilation.build === undefined) throw new Error(JSON.stringify(compilation.diagnostics));
  writeBuild(build, compilation.build.tree);
  const repository = join(build, "model_repository");
  const runtime = await startRuntime({
    repository,
    device: "cpu",
    python: "twin",
    configName,
    notice: () => {},
  });
  onTestFinished(() => runtime.close());
  const inspected = inspectRuntime({
    runtime,
    repository,
    shownRepository: name,
    root,
    tensors: true,
    check: async () => ({ findings: [], calls: new Map(), warnings: [] }),
  });
  const server = await serveHttp(runtime, { port: 0, apis: [createInspector(inspected).api] });
  onTestFinished(() => server.close());
  return `${server.url}/inspector/`;
};

/** `TRITYPE_LOAD=long`: the other examples, too, whose views differ in their models only. */
const others = [
  ["biolinkbert-embedding", undefined],
  ["sentiment-tensorrt", "cpu"],
  ["roberta-sentiment-torchscript", "cpu"],
] as const;

test.each<readonly [example: string, configName: string | undefined]>([
  ["sentence-embedding", undefined],
  ["m2m100-translation", undefined],
  ...(process.env["TRITYPE_LOAD"] === "long" ? others : []),
])(
  "every view of %s works",
  async (example, configName) => {
    const url = await serveExample(example, configName);
    const { page, problems } = await watchedPage(browser, 30_000);
    onTestFinished(() => page.close());
    await page.goto(url);
    const found: string[] = [];
    await page.locator(".models a").first().waitFor();
    const models = await page.locator(".models section:first-of-type .name").allInnerTexts();
    for (const [index, model] of models.entries()) {
      await page.goto(`${url}#/models/${model}/graph`);
      await page.getByRole("heading", { level: 2, name: model, exact: true }).waitFor();
      await page.locator(".node-name").first().click();
      await page.locator(".panel .files figcaption").first().waitFor();
      if (index === 0) found.push(...(await seriousFindings(page)));
      await page.goto(`${url}#/models/${model}/try`);
      await page.getByRole("button", { name: "Send", exact: true }).waitFor();
      await page.locator(".examples button").first().click();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.locator(".calls button").last().click();
      await page.locator(".inside .tensor").first().waitFor();
      expect(await page.getByRole("alert").allInnerTexts()).toEqual([]);
      if (index === 0) found.push(...(await seriousFindings(page)));
    }
    await page.goto(`${url}#/live`);
    await page.locator(".plots").waitFor();
    found.push(...(await seriousFindings(page)));
    expect(models).not.toEqual([]);
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  },
  180_000,
);
