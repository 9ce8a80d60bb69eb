import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { readTemplate } from "../../packages/openai/src/jinja/render-template.ts";
import { pythonTool, withPackages } from "../environment/python-tool.ts";
import { expressions, modelTemplates, refused, refusedByBoth, variables } from "./chat-templates.ts";

const script = fileURLToPath(new URL("render_templates.py", import.meta.url));
const rendered = [...modelTemplates, ...expressions];
const templates = [...rendered, ...[...refused, ...refusedByBoth].map(([template]) => template)];

let wanted: ReadonlyMap<string, string | null>;
beforeAll(async () => {
  const packages = await pythonTool("jinja2", "3.1.6");
  const { stdout, stderr } = spawnSync("python3", [script], {
    input: JSON.stringify({ templates, variables }),
    encoding: "utf8",
    env: withPackages(packages),
  });
  expect(stderr).toBe("");
  const texts = JSON.parse(stdout) as readonly (string | null)[];
  wanted = new Map(templates.map((template, i) => [template, texts[i] ?? null]));
});

const render = (template: string): string => readTemplate(template)(structuredClone(variables));

test.each(rendered)("rendered as Python does: %s", (template) => {
  expect(wanted.get(template)).toEqual(expect.any(String));
  expect(render(template)).toBe(wanted.get(template));
});

test.each(refused)("refused, although Python renders it: %s", (template, message) => {
  expect(wanted.get(template)).toEqual(expect.any(String));
  expect(() => render(template)).toThrow(expect.objectContaining({ message }));
});

test.each(refusedByBoth)("refused, as by Python: %s", (template, message) => {
  expect(wanted.get(template)).toBeNull();
  expect(() => render(template)).toThrow(expect.objectContaining({ message }));
});
