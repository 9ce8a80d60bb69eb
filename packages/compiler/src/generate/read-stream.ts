import type { Diagnostic, StepDefinition } from "@tritype/core";
import { cleanUpReplacements, type GenerateTwinOptions, type StreamingOptions } from "@tritype/manifest";
import { writtenAt } from "../check/check-declaration.ts";
import { readDetokenizer } from "../detokenizer/read-detokenizer.ts";
import { rawFields } from "../emit/field-places.ts";
import { decoupledIn } from "../graph/find-streams.ts";
import type { Found, StepContext } from "../step-kind.ts";
import type { TokenizerFile } from "../tokenizer/tokenizer-file.ts";
import { diagnoseGenerate, invalidOption } from "./generate-diagnostics.ts";
import type { GenerateStepOptions } from "./generate-options.ts";

/** The additional parts of a streaming step. */
export interface Streaming {
  readonly options: StreamingOptions;
  /** The file that turns its tokens into text. */
  readonly tokenizer: TokenizerFile | undefined;
}

/** Reads the options that only a streaming step has; there is no value if the step does not stream. */
export const readStream = (
  step: StepDefinition,
  { stream, text, stop = [] }: GenerateStepOptions,
  options: GenerateTwinOptions,
  { host }: StepContext,
): Found<Streaming> => {
  const wrong = misplaced(step, stream, options);
  if (!stream) return { diagnostics: wrong };
  const diagnostics = [...wrong, ...unknownCaches(step, options)];
  if (text === undefined) return { diagnostics, value: { options: options, tokenizer: undefined } };
  const read = readDetokenizer({ ...step, kind: "generate step", options: { ...text } }, host);
  const all = [...diagnostics, ...read.diagnostics];
  if (read.value === undefined) return { diagnostics: all };
  const { file, twin } = read.value;
  const { skipSpecialTokens, cleanUp, padId } = twin;
  const spelled = { skipSpecialTokens, cleanUp: cleanUp ? cleanUpReplacements : [], padId, stop: [...stop] };
  return {
    diagnostics: all,
    value: { options: { ...options, text: spelled }, tokenizer: file },
  };
};

/** Rows can only join if it is known which axis of a cache counts tokens. */
const unknownCaches = (step: StepDefinition, { exported }: GenerateTwinOptions): readonly Diagnostic[] => {
  const known = new Set(exported.caches.map(({ past }) => past));
  const { file, keeps } = exported.next;
  const open = keeps.find(({ past }) => !known.has(past));
  return open === undefined
    ? []
    : [
        diagnoseGenerate("generate/unknown-signature", {
          with: { step: step.name, path: file, reason: `has the cache \`${open.past}\` in an unknown form` },
          labels: writtenAt(step, "stream"),
        }),
      ];
};

/** Conflicting options: the condition, the option, and the reason. */
const misplaced = (
  step: StepDefinition,
  streams: boolean,
  { settings, perRequest }: GenerateTwinOptions,
): readonly Diagnostic[] => {
  const { options } = step;
  const spelled = options["text"] !== undefined;
  const batching = options["dynamicBatching"] as { readonly preserveOrdering?: unknown } | undefined;
  const cache = options["responseCache"] as { readonly enable?: unknown } | undefined;
  const found: readonly (readonly [boolean, readonly string[], string])[] = [
    [
      streams && settings.kind === "beam",
      ["search"],
      "follows several beams, and a later token may change earlier ones; a stream must be greedy or sampled",
    ],
    [
      streams && cache?.enable === true,
      ["responseCache"],
      "stores single responses, but a stream has several",
    ],
    [
      streams && batching?.preserveOrdering === true,
      ["dynamicBatching", "preserveOrdering"],
      "would make a stream wait until all earlier ones have ended",
    ],
    [
      (decoupledIn(step) ?? streams) !== streams,
      rawFields(step).has("model_transaction_policy") ? ["raw"] : ["modelTransactionPolicy", "decoupled"],
      streams
        ? "must not turn off decoupled mode, which a stream needs"
        : "turns on decoupled mode, which needs `stream: true`",
    ],
    [!streams && spelled, ["text"], "is for streaming steps: set `stream: true`, or call a `detokenizer`"],
    [!spelled && options["stop"] !== undefined, ["stop"], needsText],
    [!spelled && perRequest.includes("stop"), ["perRequest"], `has stop, which ${needsText}`],
  ];
  return found.flatMap(([holds, path, reason]) => (holds ? [invalidOption(step, path, reason)] : []));
};

const needsText = "needs `text`, whose tokenizer turns tokens into text";
