import { readFileSync } from "node:fs";
import { join } from "node:path";
import { entries } from "@tritype/check";
import type { Diagnostic } from "@tritype/core";
import { configMessage, fieldPlaces, inOptionTerms } from "@tritype/triton";
import { expect, test } from "vitest";
import { type CheckPage, findOn, readCheckPage } from "./check-page.ts";
import { alternatives, findInCase, readCases } from "./page-cases.ts";

const folder = join(import.meta.dirname, "../../docs/diagnostics");

/**
 * Rules about texts, files and fields that a pipeline does not have. `test/wrong/fields-too-new.txt` shows the terms of
 * `config/field-too-new`, which pages report in a text.
 */
const notInPipelines: ReadonlySet<string> = new Set([
  "config/field-too-new",
  "config/given-twice",
  "config/several-choices",
  "config/unknown-enum-value",
  "config/unknown-field",
  "ensemble/incomplete-step",
  "ensemble/no-scheduling",
  "ensemble/platform",
  "ensemble/unmapped-input",
  "ensemble/unused-input",
  "ensemble/unused-tensor",
  "backend/python-file-name",
  "model-file/missing-python",
  "model-file/other-name",
  "onnx-model/missing-file",
]);

const spoken = entries.filter(({ code }) => !notInPipelines.has(code));

test.each(spoken.map(({ code }) => code))(
  "%s: its findings in a pipeline use the terms of pipelines",
  (code) => {
    const page = readCheckPage(readFileSync(join(folder, `${code}.md`), "utf8"));
    const spokenPage = { ...page, options: { ...page.options, inTerms: inOptionTerms } };
    const sentences = findingsOf(spokenPage)
      .filter((one) => one.code === code)
      .flatMap(sentencesOf);
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.filter((sentence) => termsIn(sentence).length > 0)).toEqual([]);
  },
);

const findingsOf = (page: CheckPage): readonly Diagnostic[] => [
  ...findOn("wrong", page),
  ...(page.cases === undefined ? [] : readCases(page.cases)).flatMap((one) =>
    alternatives(one).flatMap((each) => findInCase(page, page.cases?.info ?? "", each).found),
  ),
];

const sentencesOf = ({ message, help = "", notes, labels }: Diagnostic): readonly string[] => [
  message,
  help,
  ...notes,
  ...labels.map(({ text }) => text),
];

/** The words of a sentence that are Triton's fields and identifiers, except in Python code. */
const termsIn = (sentence: string): readonly string[] =>
  (sentence.match(/(?<!["'.\w])[A-Za-z]+(?:_[A-Za-z0-9]+)+/g) ?? []).filter(
    (word) => (fieldPlaces(word).length > 0 || identifiers.has(word)) && !inPython.has(word),
  );

/** Names that Python code uses too. */
const inPython: ReadonlySet<string> = new Set(["model_version", "string_value"]);

const identifiers = new Set(
  ["ModelInstanceGroup", "ModelInput", "ModelSequenceBatching.Control"].flatMap((message) =>
    [...(configMessage(message)?.enums.values() ?? [])].flat(),
  ),
);
