import { loadRefusal, makeContext, pollRefusal } from "@tritype/check/refusals";
import type { Diagnostic } from "@tritype/core";
import { defaultRelease, type ModelConfig, parseModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import { laptopExceptions } from "../../../packages/runtime/src/repository/laptop-exceptions.ts";
import { checkVerdict } from "../verdicts/check-verdict.ts";
import { holdsOnLaptop, isRefusal } from "./laptop.ts";
import { readVerdicts, type Verdict } from "../verdicts/verdict.ts";
import { verdictRepository } from "../verdicts/verdict-repository.ts";

/** The reason why the local runtime refuses a recorded model before a backend opens its file. */
const refusalOf = (verdict: Verdict, written: ModelConfig): string | undefined => {
  const host = verdictRepository(verdict);
  const context = makeContext(
    {
      name: "m",
      file: "m",
      text: "",
      written,
      list: (folder) => host.list(folder === "" ? "m" : `m/${folder}`),
      read: (file, limit) => host.read(`m/${file}`, limit),
    },
    { release: defaultRelease, strict: !verdict.autoComplete },
  );
  return (pollRefusal(context, laptopExceptions) ?? loadRefusal(context, laptopExceptions))?.reason;
};

const plain = (text: string): string => text.replaceAll(/\s+/g, " ");

/** Reasons that require reading the text, running the model, or checking folders. */
const saidElsewhere = /^(?:warmup|version)\/|^config\/(?!folder-name)/;

/** The checker's refusals. */
const refused = (verdict: Verdict): readonly Diagnostic[] =>
  checkVerdict(verdict).diagnostics.filter(isRefusal);

/** Whether the local runtime must refuse the model before a backend opens its file. */
const isDecided = (found: Diagnostic): boolean => holdsOnLaptop(found) && !saidElsewhere.test(found.code);

test("the local runtime refuses none of the models that the C++ backend's server loads, and gives the same reason for the others", () => {
  const counts = { loads: 0, refused: 0, same: 0 };
  const differing: string[] = [];
  for (const verdict of readVerdicts()) {
    // The local runtime completes configurations.
    if (verdict.config === null && !verdict.autoComplete) continue;
    const parsed = parseModelConfig(verdict.config ?? "");
    if (!("config" in parsed)) continue;
    const refusal = refusalOf(verdict, parsed.config);
    if (verdict.ready) {
      counts.loads++;
      if (refusal !== undefined) differing.push(`${verdict.id}: loads in Triton; here ${refusal}`);
      continue;
    }
    const found = refused(verdict);
    if (!found.some(isDecided) && refusal === undefined) continue;
    counts.refused++;
    if (refusal !== undefined && plain(verdict.reason).includes(plain(refusal))) counts.same++;
    if (!found.some(({ words, message }) => (words ?? message) === refusal))
      differing.push(`${verdict.id}: ${verdict.reason}\n  here: ${refusal}`);
  }
  expect(differing).toEqual([]);
  // The first of several reasons differs if ONNX Runtime refuses the file before the configuration is judged.
  expect(counts).toEqual({ loads: 1884, refused: 1705, same: 1650 });
});
