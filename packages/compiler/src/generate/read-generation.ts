import { type Diagnostic, hasErrors, type StepDefinition } from "@tritype/core";
import type { ExportedModel, GenerateTwinOptions } from "@tritype/manifest";
import { definedAt } from "../check/check-declaration.ts";
import { type OpenedOnnx, openOnnx } from "../onnx/onnx-file.ts";
import type { Found, StepContext } from "../step-kind.ts";
import { checkFit, type ExportParts } from "./check-fit.ts";
import { checkSettings } from "./check-settings.ts";
import { checkTokens } from "./check-tokens.ts";
import { diagnoseGenerate } from "./generate-diagnostics.ts";
import { type GenerateStepOptions, generateOptionsSchema } from "./generate-options.ts";
import { generateSettings } from "./generate-settings.ts";
import { type ExportConfig, readExportConfig } from "./export-config.ts";
import { type ExportFiles, findExport } from "./export-files.ts";
import { readStream, type Streaming } from "./read-stream.ts";
import {
  type ExportFile,
  type ExportProblem,
  readDecoder,
  readEncoder,
  readsEncoder,
} from "./read-export.ts";

/** A generate step: the options of its model, and the files of its export. */
export interface Generation {
  readonly options: GenerateTwinOptions;
  /** The export's files, by name in the version folder. */
  readonly files: ReadonlyMap<string, OpenedOnnx>;
  /** undefined if the step does not stream. */
  readonly stream: Streaming | undefined;
}

/** Reads a generate step's options and the files next to its export. */
export const readGeneration = (step: StepDefinition, context: StepContext): Found<Generation> => {
  const options = generateOptionsSchema.parse(step.options);
  const found = findExport(options, context.host);
  const { decoder } = found;
  if (decoder === undefined) return failed([noDecoder(step, options, found), ...checkDevice(step)]);
  const encoderFile = openPart(step, found.encoder, "encoder.onnx", context);
  const decoderFile = openPart(step, decoder, "decoder.onnx", context);
  const pastFile = openPart(step, found.decoderWithPast, "decoder_with_past.onnx", context);
  const problems = [encoderFile, decoderFile, pastFile].flatMap(({ diagnostics }) => diagnostics);
  const all = [...problems, ...checkDevice(step)];
  if (hasErrors(all) || decoderFile.value === undefined) return failed(all);
  return readParts(
    step,
    options,
    { encoderFile: encoderFile.value, decoderFile: decoderFile.value, pastFile: pastFile.value },
    context,
  );
};

const failed = (diagnostics: readonly Diagnostic[]): Found<Generation> => ({ diagnostics });

const taskOf = (files: ExportFiles): string =>
  files.encoder === undefined ? "text-generation" : "text2text-generation";

const noDecoder = (step: StepDefinition, { from }: GenerateStepOptions, files: ExportFiles): Diagnostic =>
  diagnoseGenerate("generate/file-not-found", {
    with: {
      step: step.name,
      what: "a decoder",
      path:
        from === undefined
          ? "`from` or `decoder`"
          : `decoder_model_merged.onnx, decoder_model.onnx or model.onnx in ${from}`,
      task: taskOf(files),
      option: "decoder",
    },
    labels: definedAt(step, "this step"),
  });

const openPart = (
  step: StepDefinition,
  path: string | undefined,
  name: string,
  context: StepContext,
): Found<ExportFile> => {
  if (path === undefined) return { diagnostics: [] };
  const { diagnostics, value: onnx } = openOnnx(step, path, context);
  return { diagnostics, value: onnx && { path, name, signature: onnx.signature, onnx } };
};

const checkDevice = (step: StepDefinition): readonly Diagnostic[] => {
  const groups = (step.options["instanceGroup"] ?? []) as readonly { readonly kind?: unknown }[];
  return Array.isArray(groups) && groups.some(({ kind }) => kind === "gpu")
    ? [
        diagnoseGenerate("generate/on-gpu", {
          with: { step: step.name },
          labels: definedAt(step, "this step"),
        }),
      ]
    : [];
};

/** The exported files that were read. */
interface ReadParts {
  readonly encoderFile: ExportFile | undefined;
  readonly decoderFile: ExportFile;
  readonly pastFile: ExportFile | undefined;
}

const readParts = (
  step: StepDefinition,
  options: GenerateStepOptions,
  { encoderFile, decoderFile, pastFile }: ReadParts,
  context: StepContext,
): Found<Generation> => {
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
        labels: definedAt(step, "this step"),
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
      diagnoseGenerate("generate/misfit", {
        with: { step: step.name, ...clash },
        labels: definedAt(step, "this step"),
      }),
    ]);
  const { diagnostics, value } = finish(step, options, parts, config, context);
  const files = new Map(
    used.flatMap((file) => (file === undefined ? [] : [[file.name, file.onnx] as const])),
  );
  if (value === undefined) return failed(diagnostics);
  const stream = readStream(step, options, value, context);
  return {
    diagnostics: [...diagnostics, ...stream.diagnostics],
    value: { options: value, files, stream: stream.value },
  };
};

/** Files whose weights have the same name, although all files and their weights must share one folder. */
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
          reason: `each has its weights in a file \`${name}\`, and one folder cannot contain both`,
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
        labels: definedAt(step, "this step"),
      })
    : diagnoseGenerate("generate/unknown-signature", {
        with: { step: step.name, path, reason },
        labels: definedAt(step, "this step"),
      });

const finish = (
  step: StepDefinition,
  options: GenerateStepOptions,
  parts: ExportParts,
  config: ExportConfig,
  { host }: StepContext,
): Found<GenerateTwinOptions> => {
  const { decoder, encoder } = parts;
  const at = { labels: definedAt(step, "this step") };
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
            reason: "the maximum number of tokens per row is not set",
            advice: "set `maxNewTokens`",
          },
          ...at,
        }),
      ],
    };
  const scored = decoder.scored ?? config.model.decoder_vocab_size ?? config.model.vocab_size;
  if (scored === undefined) return { diagnostics: lacks("the model's number of tokens", "from") };
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
    ...checkFit(step, parts, config, scored),
    ...checkTokens(step, options, twin, host),
    ...checkSettings(step, options, config, twin),
  ];
  return { diagnostics, value: twin };
};

/** Number of positions of the model; a model with relative positions has no such limit. */
const modelPositions = (model: ExportConfig["model"]): number | undefined =>
  model.relative_attention_num_buckets === undefined
    ? (model.max_position_embeddings ?? model.n_positions ?? model.n_ctx)
    : undefined;
