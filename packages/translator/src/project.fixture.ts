import type { Refusal, Translated } from "@tritype/core";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openSources } from "./sources.ts";
import { type TranslateOptions, translateRun } from "./translate-run.ts";
import type { Translation } from "./translation.ts";

/** A `step` for test projects. The annotation of `run`'s parameter gives the input types. */
const stepModule = `
export interface Options<I, O> { readonly name: string; readonly run: (row: I) => O }
export const step = <I, O>(options: Options<I, O>): Options<I, O> => options;
`;

/** Writes a project to a temporary folder. `close` removes it. */
export const openProject = (
  files: Readonly<Record<string, string>>,
): {
  readonly translate: (
    file: string,
    line: number,
    column?: number,
    options?: TranslateOptions,
  ) => Translation;
  readonly close: () => void;
} => {
  const root = mkdtempSync(join(tmpdir(), "translator-"));
  for (const [name, text] of Object.entries({ "step.ts": stepModule, ...files })) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const sources = openSources(root);
  return {
    translate: (file, line, column = 1, options = {}) =>
      translateRun(sources, { file, line, column }, options),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
};

/**
 * Translates the exported functions of a module, each of which takes one record. The `step` calls are appended here.
 */
export const translateAll = (
  text: string,
  others: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, Translation> => {
  const names = [...text.matchAll(/^export (?:function|const) (\w+)/gm)].map(([, name = ""]) => name);
  const lines = text.trimEnd().split("\n").length;
  const calls = names.map((name) => `step({ name: "${name}", run: ${name} });`);
  const project = openProject({
    ...others,
    "steps.ts": `${text.trimEnd()}\n${calls.join("\n")}\nimport { step } from "./step.ts";\n`,
  });
  try {
    return new Map(names.map((name, at) => [name, project.translate("steps.ts", lines + at + 1)]));
  } finally {
    project.close();
  }
};

/** The translation of the last exported function of a module; throws the refusals if there are any. */
export const translated = (text: string, others: Readonly<Record<string, string>> = {}): Translated => {
  const [[, translation] = []] = [...translateAll(text, others)].slice(-1);
  if (translation?.translated === undefined)
    throw new Error(translation?.refusals.map(show).join("\n") ?? "no function");
  return translation.translated;
};

/** Refusals of the last exported function as lines: "3:5 function/clock `Date`: … → …". */
export const refusalsOf = (
  text: string,
  others: Readonly<Record<string, string>> = {},
): readonly string[] => {
  const [[, translation] = []] = [...translateAll(text, others)].slice(-1);
  return translation?.refusals.map(show) ?? [];
};

const show = ({ at, code, what, instead }: Refusal): string =>
  `${at.line}:${at.column} ${code} ${what} → ${instead}`;
