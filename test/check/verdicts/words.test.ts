import { entries } from "@tritype/check";
import type { Diagnostic } from "@tritype/core";
import { expect, test } from "vitest";
import { checkerRefusals } from "../judge/checker-verdict.ts";
import { corpusFiles, filesOf, readCorpus } from "../judge/verdict-corpus.ts";
import { checkVerdict } from "./check-verdict.ts";
import { readVerdicts } from "./verdict.ts";

/** Rules without their own message, by reason. */
const wordlessBecause: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "the text or the folder cannot be read: what reads it says where",
    [
      "repository/unreadable",
      "repository/broken-link",
      "repository/duplicate-model",
      "repository/unreadable-file",
      "config/missing",
      "config/unreadable",
      "config/not-text",
      "config/syntax",
      "config/unknown-field",
      "config/field-too-new",
      "config/unknown-enum-value",
      "config/given-twice",
      "config/several-choices",
    ],
  ],
  [
    "the server ends, or waits for good",
    [
      "version/too-large",
      "tensor/labels-folder",
      "batch/output-without-target",
      "config/metric-tag-name",
      "config/no-agents",
      "model-file/missing-python",
      "backend/onnx-parameter-range",
      "backend/onnx-parameter-length",
      "warmup/string-cut-off",
    ],
  ],
  [
    "its words have paths of the server's machine",
    [
      "tensor/missing-labels",
      "onnx-model/missing-file",
      "onnx-model/missing-external-data",
      "onnx-model/external-data-outside",
      "backend/op-library-not-found",
      "warmup/missing-file",
    ],
  ],
  [
    "ONNX Runtime's words, which change with its version",
    [
      "onnx-model/broken-file",
      "onnx-model/opset-too-new",
      "onnx-model/ir-version-too-new",
      "onnx-model/complex-elements",
      "onnx-model/no-float4-cast",
      "onnx-model/ragged-optional",
      "onnx-model/unknown-operator",
    ],
  ],
  [
    "a warmup sample is checked as any request, by the same words",
    [
      "warmup/not-in-graph",
      "warmup/short-file",
      "warmup/string-file",
      "warmup/missing-inputs",
      "warmup/dtype",
      "warmup/shape",
      "warmup/batch-size",
      "warmup/string-correlation-id",
    ],
  ],
  [
    "Python's words, or those of the model's code",
    [
      "python/syntax-error",
      "python/no-model-class",
      "python/parameter-at-load",
      "python/missing-parameter",
      "python/missing-asset",
      "python/too-early",
    ],
  ],
  ["one after another along a circle", ["ensemble/circular"]],
  ["since 24.11, the record is of 24.10", ["config/incomplete-metric"]],
]);
const wordless: readonly string[] = [...wordlessBecause.values()].flat();
/** Rules that have words only for some of their findings; the others have paths of the server's machine. */
const partlyWordless: readonly string[] = ["sequence/initial-state-file"];

/** Whether one of the findings contains the words of a reason. */
const isSaid = (reason: string, found: readonly Diagnostic[]): boolean =>
  found.some(({ code, words }) =>
    words === undefined
      ? wordless.includes(code) || partlyWordless.includes(code)
      : plain(reason).includes(plain(words)),
  );

/** A log escapes line breaks, and has the whole path of a file. */
const plain = (text: string): string =>
  text.replaceAll("\\n", "\n").replaceAll(/\s+/g, " ").replaceAll("<repository>/", "");

/** Numbers above 2^53 lose precision when a configuration is read. */
const isInexact = (reason: string): boolean => /\d{17}/.test(reason);

const told = (found: readonly Diagnostic[]): string =>
  found.map(({ code, words }) => `${code}: ${words}`).join("; ");

test("rules use the messages of the server with stub backends", () => {
  const differing = corpusFiles()
    .flatMap(readCorpus)
    .flatMap((one) => {
      const refusals = checkerRefusals(filesOf(one), one.strict, one.release);
      return Object.entries(one.reason).flatMap(([model, reason]) => {
        if (reason.startsWith("the server died")) return [];
        const found = refusals.get(model) ?? [];
        return isSaid(reason, found) ? [] : [`${one.about}: ${reason}\n  ${told(found)}`];
      });
    });
  expect(differing).toEqual([]);
});

test("rules use the messages of the server with the C++ ONNX Runtime backend", () => {
  const differing = readVerdicts().flatMap((verdict) => {
    if (verdict.ready || verdict.reason.startsWith("<server crashed") || isInexact(verdict.reason)) return [];
    const found = checkVerdict(verdict).diagnostics.filter(({ severity }) => severity === "error");
    return isSaid(verdict.reason, found) ? [] : [`${verdict.id}: ${verdict.reason}\n  ${told(found)}`];
  });
  expect(differing).toEqual([]);
});

test("every Triton rule uses its message", () => {
  const without = entries.flatMap(({ code, severity, judged, words }) =>
    severity === "error" && judged !== "ours" && judged !== "source" && words === undefined ? [code] : [],
  );
  expect(without.toSorted()).toEqual(wordless.toSorted());
});
