import { type Diagnostic, hasErrors, type Label, siteSpan, type StepDefinition } from "@tritype/core";
import type { ExportedModel, GenerateTwinOptions } from "@tritype/manifest";
import { readOnnxSignature } from "@tritype/onnx";
import { onnxBytes } from "../onnx/onnx-bytes.ts";
import { checkOnnxLoads } from "../onnx/onnx-file.ts";
import type { StepContext } from "../step-kind.ts";
import { checkTokens } from "./check-tokens.ts";
import { diagnoseGenerate } from "./generate-diagnostics.ts";
import { type GenerateStepOptions, generateOptionsSchema } from "./generate-options.ts";
import { generateSettings } from "./generate-settings.ts";
import { type ExportConfig, readExportConfig } from "./export-config.ts";
import { type ExportFiles, findExport } from "./export-files.ts";
import {
  type DecoderParts,
  type ExportFile,
  type ExportProblem,
  readDecoder,
  readEncoder,
  readsEncoder,
} from "./read-export.ts";

/** A generate step as its options and the files beside say, or why it cannot be. */
export interface Generation {
  readonly diagnostics: readonly Diagnostic[];
  /** Present when no diagnostic is an error. */
  readonly options?: GenerateTwinOptions;
  /** Name in the version folder → path from the project's root. */
  readonly files: ReadonlyMap<string, string>;
}

export const readGeneration = (step: StepDefinition, context: StepContext): Generation => {
  const read = generateOptionsSchema.safeParse(step.options);
  if (!read.success)
    return failed(
      read.error.issues.map(({ path, message: reason }) =>
        diagnoseGenerate("generate/invalid-option", {
          with: {
            step: step.name,
            option: path.join("."),
            reason,
            got: show(path.reduce(member, step.options)),
          },
          labels: labels(step),
        }),
      ),
    );
  const options = read.data;
  const found = findExport(options, context.host);
  const problems = [...checkPresent(step, options, found, context), ...checkDevice(step)];
  if (hasErrors(problems)) return failed(problems);
  return readFiles(step, options, found, context);
};

const failed = (diagnostics: readonly Diagnostic[]): Generation => ({ diagnostics, files: new Map() });

const labels = (step: StepDefinition): readonly Label[] => {
  const span = siteSpan(step.site);
  return span === undefined ? [] : [{ span, text: "this step" }];
};

const member = (value: unknown, key: PropertyKey): unknown =>
  (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key];
const show = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

const taskOf = (files: ExportFiles): string =>
  files.encoder === undefined ? "text-generation" : "text2text-generation";

const checkPresent = (
  step: StepDefinition,
  options: GenerateStepOptions,
  files: ExportFiles,
  context: StepContext,
): readonly Diagnostic[] => {
  if (files.decoder === undefined)
    return [
      diagnoseGenerate("generate/file-not-found", {
        with: {
          step: step.name,
          what: "a decoder",
          path:
            options.from === undefined
              ? "`from`, and no `decoder`"
              : `decoder_model_merged.onnx, decoder_model.onnx or model.onnx in ${options.from}`,
          task: taskOf(files),
          option: "decoder",
        },
        labels: labels(step),
      }),
    ];
  return Object.values(files)
    .filter((path) => path !== undefined)
    .flatMap((file: string) => checkOnnxLoads({ ...step, options: { ...step.options, file } }, context));
};

const checkDevice = (step: StepDefinition): readonly Diagnostic[] => {
  const groups = (step.options["instanceGroup"] ?? []) as readonly { readonly kind?: unknown }[];
  return Array.isArray(groups) && groups.some(({ kind }) => kind === "gpu")
    ? [diagnoseGenerate("generate/on-gpu", { with: { step: step.name }, labels: labels(step) })]
    : [];
};

const readFiles = (
  step: StepDefinition,
  options: GenerateStepOptions,
  found: ExportFiles,
  context: StepContext,
): Generation => {
  const open = (path: string | undefined, name: string): ExportFile | undefined => {
    if (path === undefined) return undefined;
    const signature = readOnnxSignature(onnxBytes(context.host, path) ?? new Uint8Array());
    return signature.problem === undefined ? { path, name, signature } : undefined;
  };
  const encoderFile = open(found.encoder, "encoder.onnx");
  const decoderFile = open(found.decoder, "decoder.onnx");
  const pastFile = open(found.decoderWithPast, "decoder_with_past.onnx");
  if (decoderFile === undefined) return failed([]);
  const reads = readsEncoder(decoderFile);
  if (reads && encoderFile === undefined)
    return failed([
      diagnoseGenerate("generate/file-not-found", {
        with: {
          step: step.name,
          what: `an encoder, whose output ${decoderFile.path} reads`,
          path: options.from === undefined ? "`encoder`" : `encoder_model.onnx in ${options.from}`,
          task: "text2text-generation",
          option: "encoder",
        },
        labels: labels(step),
      }),
    ]);
  const encoder = reads && encoderFile !== undefined ? readEncoder(encoderFile) : undefined;
  const decoder = readDecoder(decoderFile, pastFile);
  const problems = [encoder, decoder].filter(
    (part): part is ExportProblem => part !== undefined && "kind" in part,
  );
  if (problems.length > 0 || "kind" in decoder || (encoder !== undefined && "kind" in encoder))
    return failed(problems.map((problem) => tellProblem(step, problem, reads)));
  const config = readExportConfig(context.host, options.from?.replace(/\/+$/, ""));
  const parts = { decoder, encoder, encoderFile: reads ? encoderFile : undefined, decoderFile, pastFile };
  const used = [
    parts.encoderFile,
    decoderFile,
    decoder.first.file === decoder.next.file ? undefined : pastFile,
  ];
  const clash = clashingWeights(used);
  if (clash !== undefined)
    return failed([
      diagnoseGenerate("generate/misfit", { with: { step: step.name, ...clash }, labels: labels(step) }),
    ]);
  return {
    ...finish(step, options, parts, config, context),
    files: new Map(used.flatMap((file) => (file === undefined ? [] : [[file.name, file.path] as const]))),
  };
};

/** All files lie in one folder then, with their weights beside them under the names that the files say. */
const clashingWeights = (
  files: readonly (ExportFile | undefined)[],
): { readonly what: string; readonly other: string; readonly reason: string } | undefined => {
  const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
  const owners = new Map<string, string>();
  for (const { path: what, signature } of files.filter((file) => file !== undefined))
    for (const name of signature.externalFiles) {
      const other = owners.get(name) ?? what;
      if (folderOf(other) !== folderOf(what))
        return {
          what,
          other,
          reason: `each has its weights in a file \`${name}\` of its own, and both names cannot stand in one folder`,
        };
      owners.set(name, what);
    }
  return undefined;
};

const tellProblem = (
  step: StepDefinition,
  { kind, path, reason }: ExportProblem,
  reads: boolean,
): Diagnostic =>
  kind === "no-past"
    ? diagnoseGenerate("generate/no-past", {
        with: {
          step: step.name,
          path,
          task: reads ? "text2text-generation" : "text-generation",
        },
        labels: labels(step),
      })
    : diagnoseGenerate("generate/unknown-signature", {
        with: { step: step.name, path, reason },
        labels: labels(step),
      });

interface Parts {
  readonly decoder: DecoderParts;
  readonly encoder: { readonly file: string; readonly inputs: readonly string[] } | undefined;
  readonly encoderFile: ExportFile | undefined;
  readonly decoderFile: ExportFile;
  readonly pastFile: ExportFile | undefined;
}

const finish = (
  step: StepDefinition,
  options: GenerateStepOptions,
  parts: Parts,
  config: ExportConfig,
  { host }: StepContext,
): { readonly diagnostics: readonly Diagnostic[]; readonly options?: GenerateTwinOptions } => {
  const { decoder, encoder } = parts;
  const at = { labels: labels(step) };
  const lacks = (what: string, option: string): readonly Diagnostic[] => [
    diagnoseGenerate("generate/no-token", { with: { step: step.name, what, option }, ...at }),
  ];
  const settings = generateSettings(options, config, encoder !== undefined);
  if (settings === undefined)
    return {
      diagnostics: [
        diagnoseGenerate("generate/length", {
          with: {
            step: step.name,
            reason: "nothing says how many tokens a row may get",
            advice: "say `maxNewTokens`",
          },
          ...at,
        }),
      ],
    };
  const scored = decoder.scored ?? config.model.decoder_vocab_size ?? config.model.vocab_size;
  if (scored === undefined) return { diagnostics: lacks("how many tokens the model has", "from") };
  const start =
    options.decoderStartTokenId ??
    config.generation.decoder_start_token_id ??
    config.model.decoder_start_token_id;
  if (encoder !== undefined && start === undefined)
    return { diagnostics: lacks("the token that the decoder starts from", "decoderStartTokenId") };
  const [firstEnd] = settings.eos_token_id;
  const pad = options.padTokenId ?? config.generation.pad_token_id ?? config.model.pad_token_id ?? firstEnd;
  if (pad === undefined)
    return { diagnostics: lacks("the token that fills shorter sequences", "padTokenId") };
  const positions = options.maxPositions ?? modelPositions(config.model);
  const exported: ExportedModel = {
    ...(encoder === undefined ? {} : { encoder }),
    first: decoder.first,
    next: decoder.next,
    caches: decoder.caches,
    ...(start === undefined || encoder === undefined ? {} : { start }),
    vocabulary: config.model.vocab_size ?? scored,
    scored,
    positions: positions ?? null,
    padded: encoder !== undefined || decoder.positionIds,
  };
  const twin = { step: step.name, exported, pad, settings, perRequest: [...options.perRequest] };
  const diagnostics = [
    ...checkUnsupported(step, options, config, twin),
    ...checkFit(step, parts, config, scored),
    ...checkTokens(step, options, twin, host),
    ...checkSearch(step, options, twin),
    ...checkLength(step, twin),
  ];
  return hasErrors(diagnostics) ? { diagnostics } : { diagnostics, options: twin };
};

/** Places that a model has; one with relative positions has no such limit. */
const modelPositions = (model: ExportConfig["model"]): number | undefined =>
  model.relative_attention_num_buckets === undefined
    ? (model.max_position_embeddings ?? model.n_positions ?? model.n_ctx)
    : undefined;

const checkUnsupported = (
  step: StepDefinition,
  options: GenerateStepOptions,
  { generation, path, unsupported }: ExportConfig,
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
      labels: labels(step),
    }),
  );
};

const checkFit = (
  step: StepDefinition,
  { encoderFile, decoderFile, pastFile }: Parts,
  { model, path }: ExportConfig,
  scored: number,
): readonly Diagnostic[] => {
  const misfit = (what: string, other: string, reason: string): Diagnostic =>
    diagnoseGenerate("generate/misfit", {
      with: { step: step.name, what, other, reason },
      labels: labels(step),
    });
  const sizeOf = (
    file: ExportFile | undefined,
    side: "inputs" | "outputs",
    name: string,
  ): number | undefined => {
    const size = file?.signature[side].find((port) => port.name === name)?.dims?.at(-1);
    return typeof size === "number" && size > 0 ? size : undefined;
  };
  const differ = (a: number | undefined, b: number | undefined): boolean =>
    a !== undefined && b !== undefined && a !== b;
  const made = sizeOf(encoderFile, "outputs", "last_hidden_state");
  const read = sizeOf(decoderFile, "inputs", "encoder_hidden_states");
  const laterScored = sizeOf(pastFile, "outputs", "logits");
  const said = model.decoder_vocab_size ?? model.vocab_size;
  return [
    ...(differ(made, read)
      ? [
          misfit(
            encoderFile?.path ?? "",
            decoderFile.path,
            `its output has ${made} numbers a token, the decoder reads ${read}`,
          ),
        ]
      : []),
    ...(differ(laterScored, scored)
      ? [
          misfit(
            pastFile?.path ?? "",
            decoderFile.path,
            `it scores ${laterScored} tokens, the other ${scored}`,
          ),
        ]
      : []),
    ...(differ(said, scored)
      ? [
          misfit(
            path.replace(/[^/]+$/, "config.json"),
            decoderFile.path,
            `its vocabulary has ${said} tokens, the decoder scores ${scored}`,
          ),
        ]
      : []),
  ];
};

const checkSearch = (
  step: StepDefinition,
  { search, perRequest, forcedBosTokenId }: GenerateStepOptions,
  { exported, settings }: GenerateTwinOptions,
): readonly Diagnostic[] => {
  const refuse = (option: string, reason: string, got: unknown): Diagnostic =>
    diagnoseGenerate("generate/invalid-option", {
      with: { step: step.name, option, reason, got: show(got) },
      labels: labels(step),
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
    diagnoseGenerate("generate/length", { with: { step: step.name, reason, advice }, labels: labels(step) });
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
