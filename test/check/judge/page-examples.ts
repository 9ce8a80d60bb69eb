import { readFileSync } from "node:fs";
import { entries } from "@tritype/check";
import { readCheckPage } from "../../docs/check-page.ts";
import { type CaseFiles, modelNames } from "./case-files.ts";
import { checkerRefusals } from "./checker-verdict.ts";
import { neverAnswers } from "./never-answers.ts";
import { unexercised } from "./unexercised.ts";

/** The failing example of a page that the judge's server refuses. */
export interface PageExample {
  readonly code: string;
  readonly files: CaseFiles;
  readonly strict: boolean;
}

/** The failing examples of all rules that a server can judge, except those that kill it: a new rule is judged by its page. */
export const pageExamples = (): readonly PageExample[] =>
  entries
    .filter(({ severity, judged }) => severity === "error" && (judged === "live" || judged === "stub"))
    .flatMap(({ code }) => {
      const text = readFileSync(new URL(`../../../docs/diagnostics/${code}.md`, import.meta.url), "utf8");
      const page = readCheckPage(text);
      const odd = Object.keys(page.files).some((path) => / [→✗]$/.test(path));
      if (
        odd ||
        unexercised.has(code) ||
        page.repositories.length > 1 ||
        /crashes the server/.test(page.shown.text)
      )
        return [];
      const files = page.options.configsOnly === true ? withVersions(page.files) : page.files;
      const strict = [true, false].find((one) => isFound(code, files, one));
      return strict === undefined || neverAnswers(files) ? [] : [{ code, files, strict }];
    });

/** Adds the files that a page does not show because it is about configurations. */
const withVersions = (files: CaseFiles): CaseFiles => ({
  ...files,
  ...Object.fromEntries(modelNames(files).map((name) => [`${name}/1/model.py`, ""])),
});

const isFound = (code: string, files: CaseFiles, strict: boolean): boolean =>
  [...checkerRefusals(files, strict).values()].flat().some((found) => found.code === code);
