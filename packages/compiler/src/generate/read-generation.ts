import { type Diagnostic, hasErrors, type StepDefinition } from "@tritype/core";
import type { ExportedModel, GenerateTwinOptions } from "@tritype/manifest";
import { readOnnxSignature } from "@tritype/onnx";
import { definedAt } from "../check/check-declaration.ts";
import { onnxBytes } from "../onnx/onnx-bytes.ts";
import { checkOnnxLoads } from "../onnx/onnx-file.ts";
import type { StepContext } from "../step-kind.ts";
import { checkFit, type ExportParts } from "./check-fit.ts";
import { checkSettings } from "./check-settings.ts";
import { checkTokens } from "./check-tokens.ts";
import { diagnoseGenerate } from "./generate-diagnostics.ts";
import { type GenerateStepOptions, generateOptionsSchema } from "./generate-options.ts";
import { generateSettings } from "./generate-settings.ts";
import { type ExportConfig, readExportConfig } from "./export-config.ts";
import { type ExportFiles, findExport } from "./export-files.ts";
import {
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
          labels: definedAt(step, "this step"),
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
              ? "`from` or `decoder`"
              : `decoder_model_merged.onnx, decoder_model.onnx or model.onnx in ${options.from}`,
          task: taskOf(files),
          option: "decoder",
        },
        labels: definedAt(step, "this step"),
      }),
    ];
  return Object.values(files)
    .filter((path) => path !== undefined)
    .flatMap((file: string) => checkOnnxLoads({ ...step, options: { ...step.options, file } }, context));
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
  return {
    ...finish(step, options, parts, config, context),
    files: new Map(used.flatMap((file) => (file === undefined ? [] : [[file.name, file.path] as const]))),
  };
};

/** All files are then in one folder, with their weights under the names that the files contain. */
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
): { readonly diagnostics: readonly Diagnostic[]; readonly options?: GenerateTwinOptions } => {
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
            advice: "say `maxNewTokens`",
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
  return hasErrors(diagnostics) ? { diagnostics } : { diagnostics, options: twin };
};

/** Places that a model has; one with relative positions has no such limit. */
const modelPositions = (model: ExportConfig["model"]): number | undefined =>
  model.relative_attention_num_buckets === undefined
    ? (model.max_position_embeddings ?? model.n_positions ?? model.n_ctx)
    : undefined;
