import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { GenerateTwinOptions } from "@tritype/manifest";
import { definedAt } from "../check/check-declaration.ts";
import type { ExportConfig } from "./export-config.ts";
import { diagnoseGenerate } from "./generate-diagnostics.ts";
import type { GenerateStepOptions } from "./generate-options.ts";

/** Holds what decides the next token, of the step and of the files beside the export, against what the loop has. */
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
          `take \`${setting}\` out of ${path}; the tokens then differ from transformers'`,
        ] as const,
    ),
    ...misread.map(
      ([setting, value]) =>
        [setting, value, `mend it in ${path}: transformers has another type there`] as const,
    ),
    ...(exported.encoder === undefined && generation.forced_bos_token_id !== undefined
      ? ([
          [
            "forced_bos_token_id",
            generation.forced_bos_token_id,
            `take it out of ${path}: a decoder goes on from its input`,
          ],
        ] as const)
      : []),
    ...(words.some(({ length }) => length !== 1)
      ? ([["bad_words_ids", words, "say `suppressTokens`: single tokens that never come"]] as const)
      : []),
    ...(temperature > 0
      ? []
      : ([["temperature", temperature, "say `search`: nothing drawn is greedy"]] as const)),
    ...(topP > 0 && topP <= 1
      ? []
      : ([["top_p", topP, "say `search` with a `topP` above 0 and at most 1"]] as const)),
    ...(penalty > 0
      ? []
      : ([["repetition_penalty", penalty, "say `repetitionPenalty`: 1 does nothing"]] as const)),
    ...(counted > 0 ? ([["min_length", counted, "it counts the prompt: say `minNewTokens`"]] as const) : []),
    ...(both ? ([["do_sample", true, "say `search`: beams that are drawn are not there"]] as const) : []),
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
  const refuse = (option: string, reason: string, got: unknown): Diagnostic =>
    diagnoseGenerate("generate/invalid-option", {
      with: { step: step.name, option, reason, got: JSON.stringify(got) },
      labels: definedAt(step, "this step"),
    });
  const drawn = perRequest.filter((name) => ["seed", "temperature", "top_k", "top_p"].includes(name));
  const beam = search?.kind === "beam" ? search : undefined;
  const candidates = Math.max(2, 1 + settings.eos_token_id.length) * settings.num_beams;
  return [
    ...(settings.kind === "sample" || drawn.length === 0
      ? []
      : [
          refuse(
            "perRequest",
            `holds ${drawn.join(", ")}, which only a \`search\` of kind "sample" has`,
            perRequest,
          ),
        ]),
    ...(exported.encoder === undefined &&
    (forcedBosTokenId !== undefined || perRequest.includes("forced_bos_token_id"))
      ? [
          refuse(
            forcedBosTokenId === undefined ? "perRequest" : "forcedBosTokenId",
            "is for encoder-decoders: what a decoder goes on from is its input",
            forcedBosTokenId ?? perRequest,
          ),
        ]
      : []),
    ...(beam !== undefined && (beam.returnSequences ?? 1) > beam.beams
      ? [refuse("search.returnSequences", "is more than `beams`", beam.returnSequences)]
      : []),
    ...(settings.kind === "beam" && candidates > exported.scored
      ? [
          refuse(
            "search.beams",
            `needs ${candidates} candidates, the model has ${exported.scored} tokens`,
            settings.num_beams,
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
            "lower the one or raise the other",
          ),
        ]
      : []),
  ];
};
