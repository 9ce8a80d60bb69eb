import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { GenerateTwinOptions } from "@tritype/manifest";
import { definedAt } from "../check/check-declaration.ts";
import type { ExportConfig } from "./export-config.ts";
import { diagnoseGenerate, invalidOption } from "./generate-diagnostics.ts";
import type { GenerateStepOptions } from "./generate-options.ts";

/**
 * Checks the settings for choosing the next token, from the step and from the files next to the export, against those that the loop
 * supports.
 */
export const checkSettings = (
  step: StepDefinition,
  options: GenerateStepOptions,
  config: ExportConfig,
  twin: GenerateTwinOptions,
): readonly Diagnostic[] => [
  ...checkUnsupported(step, options, config, twin),
  ...checkSearch(step, options, twin),
  ...checkLength(step, twin),
];

const checkUnsupported = (
  step: StepDefinition,
  options: GenerateStepOptions,
  { generation, path, unsupported, misread }: ExportConfig,
  { exported, settings }: GenerateTwinOptions,
): readonly Diagnostic[] => {
  const words = options.suppressTokens === undefined ? (generation.bad_words_ids ?? []) : [];
  const both =
    options.search === undefined && generation.do_sample === true && (generation.num_beams ?? 1) > 1;
  const { temperature, top_p: topP, repetition_penalty: penalty } = settings;
  const least = options.minNewTokens ?? generation.min_new_tokens;
  const counted = exported.encoder === undefined && least === undefined ? (generation.min_length ?? 0) : 0;
  const found: readonly (readonly [string, unknown, string])[] = [
    ...unsupported.map(
      ([setting, value]) =>
        [
          setting,
          value,
          `remove \`${setting}\` from ${path}; the tokens will then differ from transformers'`,
        ] as const,
    ),
    ...misread.map(
      ([setting, value]) =>
        [setting, value, `correct it in ${path}: transformers expects a different type`] as const,
    ),
    ...(exported.encoder === undefined && generation.forced_bos_token_id !== undefined
      ? ([
          [
            "forced_bos_token_id",
            generation.forced_bos_token_id,
            `remove it from ${path}: a decoder continues its input`,
          ],
        ] as const)
      : []),
    ...(words.some(({ length }) => length !== 1)
      ? ([["bad_words_ids", words, "use `suppressTokens`, for single tokens that must never occur"]] as const)
      : []),
    ...(temperature > 0
      ? []
      : ([["temperature", temperature, "set `search`: this setting requests sampling"]] as const)),
    ...(topP > 0 && topP <= 1
      ? []
      : ([["top_p", topP, "set `search` with a `topP` above 0 and at most 1"]] as const)),
    ...(penalty > 0
      ? []
      : ([["repetition_penalty", penalty, "set `repetitionPenalty`; 1 has no effect"]] as const)),
    ...(counted > 0
      ? ([["min_length", counted, "it includes the prompt: set `minNewTokens`"]] as const)
      : []),
    ...(both ? ([["do_sample", true, "set `search`: beam sampling is not supported"]] as const) : []),
  ];
  return found.map(([setting, value, advice]) =>
    diagnoseGenerate("generate/unsupported-setting", {
      with: { step: step.name, path, setting, value: JSON.stringify(value), advice },
      labels: definedAt(step, "this step"),
    }),
  );
};

const checkSearch = (
  step: StepDefinition,
  { search, perRequest, forcedBosTokenId }: GenerateStepOptions,
  { exported, settings }: GenerateTwinOptions,
): readonly Diagnostic[] => {
  const drawn = perRequest.filter((name) => ["seed", "temperature", "top_k", "top_p"].includes(name));
  const beam = search?.kind === "beam" ? search : undefined;
  const candidates = Math.max(2, 1 + settings.eos_token_id.length) * settings.num_beams;
  return [
    ...(new Set(perRequest).size === perRequest.length
      ? []
      : [invalidOption(step, ["perRequest"], "must not repeat a name")]),
    ...(settings.kind === "sample" || drawn.length === 0
      ? []
      : [
          invalidOption(
            step,
            ["perRequest"],
            `has ${drawn.join(", ")}, which only a \`search\` of kind "sample" has`,
          ),
        ]),
    ...(exported.encoder === undefined &&
    (forcedBosTokenId !== undefined || perRequest.includes("forced_bos_token_id"))
      ? [
          invalidOption(
            step,
            [forcedBosTokenId === undefined ? "perRequest" : "forcedBosTokenId"],
            "is only for encoder-decoders: a decoder continues its input",
          ),
        ]
      : []),
    ...(beam !== undefined && (beam.returnSequences ?? 1) > beam.beams
      ? [invalidOption(step, ["search", "returnSequences"], "is more than `beams`")]
      : []),
    ...(settings.kind === "beam" && candidates > exported.scored
      ? [
          invalidOption(
            step,
            ["search", "beams"],
            `needs ${candidates} candidates, but the model only has ${exported.scored} tokens`,
          ),
        ]
      : []),
  ];
};

const checkLength = (
  step: StepDefinition,
  { exported, settings }: GenerateTwinOptions,
): readonly Diagnostic[] => {
  const { positions } = exported;
  const { max_new_tokens: most, min_new_tokens: least } = settings;
  const tell = (reason: string, advice: string): Diagnostic =>
    diagnoseGenerate("generate/length", {
      with: { step: step.name, reason, advice },
      labels: definedAt(step, "this step"),
    });
  return [
    ...(positions !== null && most > positions
      ? [
          tell(
            `${most} new tokens are more than the model's ${positions} positions`,
            `set \`maxNewTokens\` to at most ${positions}`,
          ),
        ]
      : []),
    ...(least > most
      ? [
          tell(
            `\`minNewTokens\`, ${least}, is more than \`maxNewTokens\`, ${most}`,
            "lower the former or raise the latter",
          ),
        ]
      : []),
  ];
};
