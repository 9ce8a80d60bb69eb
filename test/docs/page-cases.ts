import { checkRepositories } from "@tritype/check";
import type { Diagnostic } from "@tritype/core";
import { type CheckPage, checkOptions, givenFile, type PageOptions } from "./check-page.ts";
import { withFields } from "./config-fields.ts";
import type { Fence } from "./markdown-fences.ts";
import { pageRepository } from "./page-repository.ts";

/** A variation of a page's failing repository, on one line of the fence `cases`. */
export interface PageCase {
  /** `✓` is valid, `✗` gives the page's code, and `~` gives only other codes. */
  readonly mark: "✓" | "✗" | "~";
  /** Fields in place of those with the same names, or `old text → new text`. */
  readonly change: string;
  /**
   * Other differences, as JSON: options, files by path (`null`: missing), the model's `folder`, and the fields to
   * remove (`without`).
   */
  readonly given: string;
}

/** The variations on a page. The lines below a `✗` show the findings; the tests write them. */
export const readCases = ({ text }: Fence): readonly PageCase[] =>
  text
    .split("\n")
    .filter((line) => /^[✓✗~]/.test(line))
    .map((line): PageCase => {
      const [, mark = "", change = "", given = "{}"] = /^(.) ?(.*?)(?: *# (\{.*\}))?$/.exec(line) ?? [];
      return { mark: mark as PageCase["mark"], change, given };
    });

/** Every case on a line: `<a|b>` represents each alternative in turn, and `<>` repeats it. */
export const alternatives = (one: PageCase): readonly PageCase[] => {
  const [list, words] = /<([^<>]+\|[^<>]+)>/.exec(one.change) ?? [];
  if (list === undefined || words === undefined) return [one];
  return words.split("|").map((word) => ({
    ...one,
    change: one.change.replace(list, word),
    given: one.given.replaceAll("<>", word),
  }));
};

/** The findings for a variation. */
export interface CaseFindings {
  readonly found: readonly Diagnostic[];
  /** The line of its fields in the configuration; 0 if there is none. */
  readonly line: number;
}

interface Given extends PageOptions {
  readonly without?: readonly string[];
  readonly folder?: string;
}

/** Checks a variation of a page's failing repository. `path` is the configuration that it changes. */
export const findInCase = (page: CheckPage, path: string, { change, given }: PageCase): CaseFindings => {
  const all = Object.entries(JSON.parse(given) as Readonly<Record<string, unknown>>);
  const isFile = ([key]: readonly [string, unknown]): boolean => /[/.]/.test(key);
  const others = all.filter((entry) => !isFile(entry)).map(([key, value]) => [key, value ?? undefined]);
  const { without = [], folder, ...options } = Object.fromEntries(others) as Given;
  const written = all.filter(isFile).map(([file, value]) => {
    const content = value === null ? undefined : givenFile(value, page.models[file]);
    return [file, content] as const;
  });
  const config = changed(page.files[path], change, without);
  const files = Object.entries({ ...page.files, [path]: config.text, ...Object.fromEntries(written) });
  const model = path.split("/")[0] ?? "";
  const host = pageRepository(
    Object.fromEntries(
      files.flatMap(([file, content]) => {
        const renamed = folder === undefined ? file : file.replace(`${model}/`, `${folder}/`);
        return content === undefined || (file === path && content === "") ? [] : [[renamed, content]];
      }),
    ),
  );
  const configsOnly =
    page.options.configsOnly === true && written.every(([file]) => file.endsWith("config.pbtxt"));
  const { diagnostics } = checkRepositories([{ host, prefix: "" }], {
    ...page.options,
    configsOnly,
    ...checkOptions(options),
  });
  return { found: diagnostics, line: config.line };
};

const changed = (
  content: string | Uint8Array | undefined,
  change: string,
  without: readonly string[],
): { readonly text: string; readonly line: number } => {
  const text = typeof content === "string" ? content : "";
  const [before = "", after] = change.split(" → ");
  if (after === undefined) return withFields(text, change, without);
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`\`${before}\` is ${parts.length - 1} times in the configuration`);
  return { text: parts.join(after), line: 0 };
};

/**
 * The lines of a variation: the variation itself, and its findings with the page's code. Help is shown if it differs
 * from the page's.
 */
export const showCase = (
  code: string,
  { path, help }: { readonly path: string; readonly help: string | undefined },
  { mark, change, given }: PageCase,
  { found, line }: CaseFindings,
): string => {
  const notes = given === "{}" ? "" : `# ${given}`;
  const space = change === "" || notes === "" ? "" : "  ";
  return [
    `${mark} ${change}${space}${notes}`,
    ...found
      .filter((diagnostic) => diagnostic.code === code)
      .flatMap((diagnostic) => [
        `${placeOf(diagnostic, { path, line, change })}${diagnostic.message}`,
        ...(diagnostic.help === undefined || diagnostic.help === help
          ? []
          : [`    = help: ${diagnostic.help}`]),
      ]),
  ].join("\n");
};

/** A mark under the fields of the variation, the marked word if the line is long, or a position elsewhere. */
const placeOf = ({ labels: [label] }: Diagnostic, { path, line, change }: Shown): string => {
  if (label === undefined) return "  ";
  const { file, line: at, column } = label.span;
  if (file !== path || at !== line)
    return file === path ? `  ${at}:${column}: ` : `  ${file}:${at}:${column}: `;
  const [word = ""] = change.slice(column - 1).split(" ");
  return column > 90 ? `  at \`${word}\`, column ${column}: ` : `${" ".repeat(column + 1)}^ `;
};

interface Shown {
  readonly path: string;
  readonly line: number;
  readonly change: string;
}
