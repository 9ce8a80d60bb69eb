import { counted, didYouMean } from "@tritype/core";
import { usage } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { type PageGroup, readPage, readPageGroups, readSummary } from "./diagnostic-pages.ts";
import { type ErrorPage, readErrorPages } from "./error-pages.ts";
import { renderPage, wrap } from "./render-page.ts";

/** Everything that `pipeline explain` knows about codes. */
export interface CodeIndex {
  readonly groups: readonly PageGroup[];
  /** Diagnostics and errors. */
  readonly codes: ReadonlySet<string>;
  readonly errors: ReadonlyMap<string, ErrorPage>;
}

/** All codes, in groups: diagnostics by subject, errors in a separate group. */
export const readCodeIndex = (): CodeIndex => {
  const pages = readPageGroups();
  const groups = new Map(pages.map((group) => [group.name, group]));
  const errors = new Map<string, ErrorPage>();
  for (const page of readErrorPages()) {
    const name = page.reason.split("/")[0] ?? "";
    const known = groups.get(name) ?? { name, title: titleOf(name), codes: [] };
    if (known.codes.includes(page.reason)) continue;
    errors.set(page.reason, page);
    groups.set(name, { ...known, codes: [...known.codes, page.reason] });
  }
  const all = [...groups.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { groups: all, errors, codes: new Set(all.flatMap(({ codes }) => codes)) };
};

/** A group with the meaning of each code. */
const withSummaries = ({ name, title, codes }: PageGroup, index: CodeIndex) => ({
  name,
  title,
  entries: codes.map((code) => ({ code, summary: summaryOf(code, index) })),
});

const summaryOf = (word: string, { errors }: CodeIndex): string => {
  const page = errors.get(word);
  if (page === undefined) return readSummary(word);
  const { reason, code, message, means } = page;
  return reason === code ? means : (message?.split("\n", 1)[0] ?? means);
};

/** Whether a word is meant to be a code or group, spelled correctly or not, rather than a log line. */
export const looksLikeCode = (word: string): boolean => /^[a-z][a-z0-9-]*(?:\/[a-z0-9-]*)?$/i.test(word);

/** Prints the page of a code, or the codes of a group. @throws PipelineError `usage/invalid` if it does not exist. */
export const explainCode = (word: string, index: CodeIndex, terminal: Terminal, json: boolean): void => {
  const group = index.groups.find(({ name }) => name === word.replace(/\/$/, ""));
  if (index.codes.has(word)) terminal.out(json ? codeJson(word, index) : codeText(word, index, terminal));
  else if (group !== undefined)
    terminal.out(json ? print(withSummaries(group, index)) : groupText(group, index, terminal));
  else throw unknownCode(word, index);
};

/** Prints the groups. */
export const listGroups = (index: CodeIndex, terminal: Terminal, json: boolean): void => {
  const { groups, codes } = index;
  if (json) return terminal.out(print({ groups: groups.map((group) => withSummaries(group, index)) }));
  const longest = Math.max(...groups.map(({ name }) => name.length));
  terminal.out(
    [
      `${codes.size} codes in ${groups.length} groups:`,
      "",
      ...groups.map(({ name, title, codes: own }) => {
        const count = counted(own.length, "code");
        return `  ${terminal.outColors.bold(name.padEnd(longest))}  ${count.padEnd(9)} ${title}`;
      }),
      "",
      "pipeline explain <group>            lists a group's codes",
      "pipeline explain <code>             shows a code's page",
      'pipeline explain "<line of a log>"  explains a message from Triton or from a client',
    ].join("\n"),
  );
};

const groupText = ({ title, codes }: PageGroup, index: CodeIndex, { outColors }: Terminal): string =>
  [
    outColors.bold(title),
    ...codes.flatMap((code) => ["", `  ${outColors.cyan(code)}`, ...wrap(summaryOf(code, index), "    ")]),
  ].join("\n");

const codeText = (code: string, index: CodeIndex, { outColors }: Terminal): string =>
  renderPage(pageOf(code, index), outColors);

const pageOf = (code: string, { errors }: CodeIndex): string => errors.get(code)?.page ?? readPage(code);

const codeJson = (code: string, index: CodeIndex): string =>
  print({ code, summary: summaryOf(code, index), page: pageOf(code, index) });

const print = (value: unknown): string => JSON.stringify(value, undefined, 2);

const unknownCode = (word: string, { groups, codes }: CodeIndex): Error => {
  const [name = "", rest] = word.split("/");
  const group = groups.find((one) => one.name === name);
  if (rest === undefined || group === undefined) {
    const near =
      didYouMean(word, [...codes]) ??
      didYouMean(
        name,
        groups.map((one) => one.name),
      );
    return usage(
      `there is no ${rest === undefined ? "group or code" : "code"} \`${word}\``,
      near === undefined
        ? "`pipeline explain` lists all groups; put the line of a log in quotes"
        : `did you mean \`pipeline explain ${near}\`?`,
    );
  }
  const near =
    didYouMean(word, group.codes) ??
    didYouMean(
      rest,
      [...codes].map((code) => code.split("/")[1] ?? ""),
    );
  const meant =
    near === undefined || near.includes("/") ? near : [...codes].find((code) => code.endsWith(`/${near}`));
  return usage(
    `there is no code \`${word}\``,
    meant === undefined
      ? `\`pipeline explain ${name}\` lists the codes in the group`
      : `did you mean \`pipeline explain ${meant}\`?`,
  );
};

const titleOf = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)} errors`;
