import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { readTemplate } from "../../packages/openai/src/jinja/render-template.ts";
import { pythonTool, withPackages } from "../environment/python-tool.ts";
import { expressions, modelTemplates, refused, variables } from "./chat-templates.ts";

const script = fileURLToPath(new URL("render_templates.py", import.meta.url));
const templates = [...modelTemplates, ...expressions, ...refused];

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

/** The text, or null for a refusal. */
const rendered = (template: string): string | null => {
  try {
    return readTemplate(template)(structuredClone(variables));
  } catch {
    return null;
  }
};

test.each(modelTemplates)("a model's template: %s", (template) => {
  expect(wanted.get(template)).toEqual(expect.any(String));
  expect(rendered(template)).toBe(wanted.get(template));
});

test.each(expressions)("%s", (template) => {
  expect(rendered(template)).toBe(wanted.get(template));
});

test.each(refused)("refused: %s", (template) => {
  expect(wanted.get(template)).toEqual(expect.any(String));
  expect(() => readTemplate(template)(structuredClone(variables))).toThrow();
});
