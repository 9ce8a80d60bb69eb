import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Diagnostic } from "@tritype/core";
import { deployFindings, findProject, projectSettings, readConfig } from "@tritype/project";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeProject, type ProjectFixture, renderAll } from "../fixtures/project.ts";
import { deployCodes } from "./diagnostic-codes.ts";
import { replaceFence } from "./markdown-fences.ts";
import { readPipelinePage } from "./pipeline-page.ts";

const folder = fileURLToPath(new URL("../../docs/diagnostics/", import.meta.url));

let project: ProjectFixture;
beforeAll(() => {
  project = makeProject({});
});
afterAll(() => project.remove());

const findingsOf = async (config: string): Promise<readonly Diagnostic[]> => {
  project.write("pipeline.config.ts", config);
  const found = findProject(project.root);
  return deployFindings(projectSettings(found, await readConfig(found.root, found.configFile)));
};

test.each(deployCodes)(
  "%s: the first configuration has the error, the second has no findings",
  async (code) => {
    const file = `${folder}${code}.md`;
    const page = readFileSync(file, "utf8");
    expect(page.split("\n", 1)[0]).toBe(`# ${code}`);
    const { wrong, shown, fixed } = readPipelinePage(page);
    const findings = await findingsOf(wrong);
    expect(findings.map((finding) => finding.code)).toEqual([code]);
    expect(findings.flatMap(({ labels }) => labels)).toHaveLength(1);
    const text = renderAll(findings, { "pipeline.config.ts": wrong });
    if (process.env["UPDATE"] === "1") writeFileSync(file, replaceFence(page, shown, text));
    else expect(shown.text).toBe(text);
    expect(await findingsOf(fixed)).toEqual([]);
  },
);
