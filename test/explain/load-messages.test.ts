import { explainMessage } from "@tritype/check";
import { expect, test } from "vitest";
import { checkerRefusals } from "../check/judge/checker-verdict.ts";
import { died } from "../check/judge/server-judge.ts";
import { corpusFiles, filesOf, readCorpus } from "../check/judge/verdict-corpus.ts";
import { checkVerdict } from "../check/verdicts/check-verdict.ts";
import { readVerdicts } from "../check/verdicts/verdict.ts";

const cases = corpusFiles().flatMap(readCorpus);

test("every refusal of the corpus is explained, with a code that the checker reports", () => {
  const wanting = cases.flatMap((one) => {
    const refusals = checkerRefusals(filesOf(one), one.strict, one.release);
    return Object.entries(one.reason).flatMap(([name, reason]) => {
      // Older records only say that the server crashed.
      if (died.startsWith(reason)) return [];
      const found = (refusals.get(name) ?? []).map(({ code }) => code);
      const explained = explainMessage(reason);
      if (explained?.codes.some((code) => found.includes(code))) return [];
      return [
        `${reason}\n  the checker says ${found.join(", ")}, explained as ${explained?.codes.join(", ") ?? "nothing"}`,
      ];
    });
  });
  expect(wanting).toEqual([]);
});

test("every refusal of the recorded ONNX Runtime backend is explained, with a code that the checker reports", () => {
  const wanting = readVerdicts().flatMap((verdict) => {
    if (verdict.reason === "" || verdict.reason.startsWith("<server crashed")) return [];
    const explained = explainMessage(verdict.reason);
    const found = checkVerdict(verdict).diagnostics.map(({ code }) => code);
    if (explained?.codes.some((code) => found.includes(code))) return [];
    return [
      `${verdict.reason}\n  the checker says ${found.join(", ")}, explained as ${explained?.message} ${explained?.codes.join(", ") ?? "nothing"}`,
    ];
  });
  expect([...new Set(wanting)]).toEqual([]);
});
