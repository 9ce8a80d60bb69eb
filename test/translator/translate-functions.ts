import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { openSources, type Translation, translateRun } from "@tritype/translator";
import { transformSync } from "esbuild";

/** A function as a user would write it, which takes one record of inputs. */
export interface WrittenFunction {
  readonly name: string;
  /** TypeScript starting at `export const NAME = ` or `export function NAME`. */
  readonly text: string;
  /** The function as a method `run(…) { … }` on one line, if the step should have it in this form. */
  readonly method?: string | undefined;
}

/** A written function and its translation. */
export interface TranslatedFunction {
  readonly name: string;
  readonly text: string;
  readonly translation: Translation;
  /** The written function without its types. */
  readonly original: (row: unknown) => unknown;
  /** The JavaScript that corresponds to the Python. */
  readonly javascript: ((row: unknown) => unknown) | undefined;
}

const stepModule = `
export interface Options<I, O> { readonly name: string; readonly run: (row: I) => O }
export const step = <I, O>(options: Options<I, O>): Options<I, O> => options;
`;

/** Functions of a TypeScript module, and the code before them. */
export interface WrittenModule {
  readonly functions: readonly WrittenFunction[];
  /** Constants, types and helpers. */
  readonly preamble?: string | undefined;
}

/** Translates the functions of some modules in one project, each as the `run` of a step. */
export const translateModules = (
  modules: readonly WrittenModule[],
  others: Readonly<Record<string, string>> = {},
): readonly (readonly TranslatedFunction[])[] => {
  const root = mkdtempSync(join(tmpdir(), "translator-"));
  try {
    const files = modules.map(({ functions, preamble = "" }, at) => {
      const before = `import { step } from "./step.ts";\n${preamble}\n${functions.map(({ text }) => `${text}\n`).join("\n")}`;
      const calls = functions
        .map(({ name, method }) => `step({ name: "${name}", ${method ?? `run: ${name}`} });\n`)
        .join("");
      return { file: `module${at}.ts`, text: before + calls, firstCall: before.split("\n").length };
    });
    const all = {
      "step.ts": stepModule,
      ...others,
      ...Object.fromEntries(files.map(({ file, text }) => [file, text])),
    };
    for (const [name, text] of Object.entries(all)) writeFileSync(join(root, name), text);
    const sources = openSources(root, { files: files.map(({ file }) => file) });
    return modules.map(({ functions, preamble = "" }, at) => {
      const { file, firstCall } = files[at] as (typeof files)[number];
      const originals = evaluate(`${preamble}\n${functions.map(({ text }) => text).join("\n")}`);
      return functions.map(({ name, text }, index) => {
        const translation = translateRun(sources, { file, line: firstCall + index, column: 1 });
        const javascript = translation.translated && runOf(translation.translated.javascript);
        return {
          name,
          text,
          translation,
          original: originals[name] as (row: unknown) => unknown,
          javascript,
        };
      });
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

/** The function that a translation's JavaScript exports as `run`. Its last line is the export. */
const runOf = (text: string): TranslatedFunction["javascript"] => {
  const body = text.replace(/^export \{ (\w+)(?: as run)? \};\n$/m, "return $1;\n");
  const load = runInThisContext(`(function () { "use strict";\n${body}})`) as () => (row: unknown) => unknown;
  return load();
};

/** Runs a TypeScript module in this process, and returns its exports. */
export const evaluate = (text: string): Record<string, (row: unknown) => unknown> => {
  const { code } = transformSync(text, { loader: "ts", format: "cjs", target: "es2023" });
  const module = { exports: {} as Record<string, (row: unknown) => unknown> };
  const load = runInThisContext(`(function (module, exports) {${code}\n})`) as (...names: unknown[]) => void;
  load(module, module.exports);
  return module.exports;
};
