import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { GenerateTwinOptions } from "@tritype/manifest";
import { definedAt } from "../check/check-declaration.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { readTokenizerFile } from "../tokenizer/tokenizer-file.ts";
import { diagnoseGenerate } from "./generate-diagnostics.ts";
import type { GenerateStepOptions } from "./generate-options.ts";

/** Checks the ids in settings, and those of the tokenizer next to the export, against the ids that the model scores. */
export const checkTokens = (
  step: StepDefinition,
  { from }: GenerateStepOptions,
  { exported, pad, settings }: GenerateTwinOptions,
  host: CompilerHost,
): readonly Diagnostic[] => {
  const at = { labels: definedAt(step, "this step") };
  const named: readonly (readonly [option: string, ids: readonly (number | null | undefined)[]])[] = [
    ["eosTokenId", settings.eos_token_id],
    ["padTokenId", [pad]],
    ["decoderStartTokenId", [exported.start]],
    ["forcedBosTokenId", [settings.forced_bos_token_id]],
    ["forcedEosTokenId", [settings.forced_eos_token_id]],
    ["suppressTokens", settings.suppress_tokens],
  ];
  const last = exported.scored - 1;
  const bad = named.flatMap(([option, ids]) =>
    ids
      .filter((id) => typeof id === "number" && id > last)
      .map((id) =>
        diagnoseGenerate("generate/bad-token", {
          with: { step: step.name, option, id: Number(id), last },
          ...at,
        }),
      ),
  );
  const tokenizer = from === undefined ? undefined : readTokenizerFile(host, from);
  if (tokenizer?.kind !== "tokenizer" || tokenizer.largest.id < exported.vocabulary) return bad;
  return [
    ...bad,
    diagnoseGenerate("generate/misfit", {
      with: {
        step: step.name,
        what: tokenizer.path,
        other: "the model",
        reason: `it has ids up to ${tokenizer.largest.id}, but the model 0 to ${exported.vocabulary - 1}`,
      },
      ...at,
    }),
  ];
};
