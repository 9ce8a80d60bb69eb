import {
  type Diagnostic,
  encodeUtf8,
  invariant,
  type Json,
  siteSpan,
  type StepDefinition,
} from "@tritype/core";
import { type ModelConfig, printModelConfig, type TritonRelease } from "@tritype/triton";
import { definedAt, isBatched, ownMaxBatchSize } from "./check-declaration.ts";
import type { PlannedEnsemble } from "./plan-ensemble.ts";
import type { CompilerHost } from "./compiler-host.ts";
import { diagnose } from "./diagnostics.ts";
import { authorConfig, configInputs, configOutputs, ensembleConfig } from "./emit-config.ts";
import { lowerRegion } from "./lower-region.ts";
import { type Manifest, manifestFormatVersion } from "./manifest.ts";
import type { Program } from "./program.ts";
import type { StepContext, StepKind, Twin } from "./step-kind.ts";
import { textFile, type Tree, type TreeFile } from "./tree.ts";

interface EmitOptions {
  readonly program: Program;
  readonly plans: ReadonlyMap<string, PlannedEnsemble>;
  readonly kinds: ReadonlyMap<string, StepKind>;
  readonly host: CompilerHost;
  readonly release: TritonRelease;
  readonly contextOf: (step: StepDefinition) => StepContext;
}

/** One model of the repository: its folder's files and what the manifest says of it. */
interface EmittedModel {
  readonly name: string;
  readonly kind: string;
  readonly definition: StepDefinition | undefined;
  /** Paths relative to the model's folder. */
  readonly files: Tree;
  readonly twin?: Twin | undefined;
  readonly requirements: readonly string[];
  readonly needs: readonly string[];
}

/** Emits every model, ensembles after their members, and the manifest beside the repository. */
export const emitBuild = (
  options: EmitOptions,
): {
  readonly diagnostics: readonly Diagnostic[];
  readonly build: { readonly tree: Tree; readonly manifest: Manifest };
} => {
  const diagnostics: Diagnostic[] = [];
  const models = [
    ...[...options.program.steps.values()].map((step) => emitStep(step, options, diagnostics)),
    ...[...options.plans.values()].flatMap((planned) => emitEnsemble(planned, diagnostics)),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const tree = new Map<string, TreeFile>();
  for (const model of models)
    for (const [path, file] of [...model.files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      tree.set(`model_repository/${model.name}/${path}`, file);
  const hashes = new Map([...tree].map(([path, file]) => [path, options.host.sha256(bytesOf(file))]));
  const manifest = describeBuild(models, hashes, options);
  tree.set("manifest.json", textFile(`${JSON.stringify(manifest, null, 2)}\n`));
  return { diagnostics, build: { tree, manifest } };
};

const bytesOf = (file: TreeFile): Uint8Array => (file.kind === "text" ? encodeUtf8(file.text) : file.bytes);

const versioned = (files: Tree): readonly (readonly [string, TreeFile])[] =>
  [...files].map(([path, file]) => [`1/${path}`, file]);

/** Git and object stores drop empty folders, and without a version folder Triton does not load an ensemble. */
const keepFile: readonly [string, TreeFile] = ["1/.keep", textFile("")];

const emitStep = (step: StepDefinition, options: EmitOptions, diagnostics: Diagnostic[]): EmittedModel => {
  const kind = options.kinds.get(step.kind);
  invariant(kind !== undefined, `no kind ${step.kind}`);
  const context = options.contextOf(step);
  const made = kind.emit(step, context);
  const author = authorConfig(step, memberDefaults(step, options, diagnostics));
  diagnostics.push(...author.diagnostics, ...checkPreferred(step, author.config, context.maxBatchSize));
  const config: ModelConfig = {
    name: step.name,
    max_batch_size: context.maxBatchSize,
    input: configInputs(step.inputs, context.batched),
    output: configOutputs(made.outputs ?? step.outputs, context.batched),
    instance_group: [{ count: 1, kind: "KIND_AUTO" }],
    ...made.config,
    ...author.config,
    ...mergedParameters(made.config, author.config),
  };
  return {
    name: step.name,
    kind: step.kind,
    definition: step,
    files: new Map([["config.pbtxt", textFile(printModelConfig(config))], ...versioned(made.files)]),
    twin: made.twin,
    requirements: made.requirements ?? [],
    needs: [],
  };
};

const mergedParameters = (kind: Partial<ModelConfig>, author: Partial<ModelConfig>): Partial<ModelConfig> =>
  kind.parameters === undefined && author.parameters === undefined
    ? {}
    : { parameters: { ...kind.parameters, ...author.parameters } };

type MemberFields = Readonly<Record<string, unknown>>;
const membersOf = (ensemble: StepDefinition): MemberFields =>
  (ensemble.options["members"] ?? {}) as MemberFields;

/** `members` of the ensembles that call the step; they must agree. */
const memberDefaults = (
  step: StepDefinition,
  { program }: EmitOptions,
  diagnostics: Diagnostic[],
): MemberFields => {
  const callers = [...program.ensembles.values()].filter(({ graph }) =>
    graph.nodes.some((node) => node.kind === "step" && node.step === step.name),
  );
  const defaults: Record<string, unknown> = {};
  for (const ensemble of callers)
    for (const [field, value] of Object.entries(membersOf(ensemble))) {
      if (
        field in defaults &&
        JSON.stringify(defaults[field]) !== JSON.stringify(value) &&
        step.options[field] === undefined
      )
        diagnostics.push(
          diagnose("model/bad-field", {
            with: {
              step: step.name,
              problem: `the ensembles that call it give different \`members.${field}\``,
            },
            labels: [...definedAt(step), ...definedAt(ensemble, "one of the ensembles")],
            help: `set \`${field}\` on the step itself`,
          }),
        );
      defaults[field] = value;
    }
  return defaults;
};

const checkPreferred = (
  step: StepDefinition,
  config: Partial<ModelConfig>,
  size: number,
): readonly Diagnostic[] =>
  (config.dynamic_batching?.preferred_batch_size ?? [])
    .filter((preferred) => preferred > size)
    .slice(0, 1)
    .map((preferred) =>
      diagnose("batch/preferred-too-large", {
        with: { step: step.name, preferred, size },
        labels: definedAt(step),
      }),
    );

const emitEnsemble = (
  { definition, plan }: PlannedEnsemble,
  diagnostics: Diagnostic[],
): readonly EmittedModel[] => {
  const batched = isBatched({ inputs: definition.inputs, outputs: {} });
  const maxBatchSize = batched ? (ownMaxBatchSize(definition) ?? 0) : 0;
  const members = authorConfig({ ...definition, options: membersOf(definition) });
  const { config: own, diagnostics: found } = authorConfig(definition);
  diagnostics.push(
    ...members.diagnostics,
    ...found,
    ...checkPreferred(definition, members.config, maxBatchSize),
  );
  const regions = plan.regions.map((planned): EmittedModel => {
    const lowered = lowerRegion(planned, definition.graph);
    const text = [...Object.values(lowered.inputs), ...Object.values(lowered.outputs)].some(
      ({ dtype }) => dtype === "BYTES",
    );
    const config: ModelConfig = {
      name: planned.name,
      backend: "onnxruntime",
      default_model_filename: "model.onnx",
      max_batch_size: maxBatchSize,
      input: configInputs(lowered.inputs, batched),
      output: configOutputs(lowered.outputs, batched),
      // ONNX Runtime has no string kernels on GPUs.
      instance_group: [{ count: 1, kind: text ? "KIND_CPU" : "KIND_AUTO" }],
      ...members.config,
    };
    return {
      name: planned.name,
      kind: "tensor-math",
      definition,
      files: new Map<string, TreeFile>([
        ["config.pbtxt", textFile(printModelConfig(config))],
        ["1/model.onnx", { kind: "bytes", bytes: lowered.model }],
      ]),
      requirements: [],
      needs: [],
    };
  });
  const config: ModelConfig = {
    ...ensembleConfig(definition, definition.outputs, plan.calls, maxBatchSize),
    ...own,
  };
  const ensemble: EmittedModel = {
    name: definition.name,
    kind: "ensemble",
    definition,
    files: new Map([["config.pbtxt", textFile(printModelConfig(config))], keepFile]),
    requirements: [],
    needs: plan.calls.map(({ model }) => model),
  };
  return [...regions, ensemble];
};

const describeBuild = (
  models: readonly EmittedModel[],
  hashes: ReadonlyMap<string, string>,
  { plans, host, release }: EmitOptions,
): Manifest => ({
  formatVersion: manifestFormatVersion,
  target: release.container,
  models: models.map(({ name, kind, definition, files, twin }) => {
    const source = definition === undefined ? undefined : siteSpan(definition.site);
    const own = [...files.keys()]
      .toSorted()
      .map((path) => [path, hashes.get(`model_repository/${name}/${path}`) ?? ""]);
    return {
      name,
      kind,
      ...(source === undefined ? {} : { source: { ...source } }),
      ...(twin === undefined
        ? {}
        : { twin: { kind: twin.kind, options: toPlain(twin.options), files: Object.fromEntries(own) } }),
    };
  }),
  ensembles: [...plans.values()]
    .map(({ definition: { name, inputs, outputs, graph } }) => ({
      name,
      inputs: plainSignature(inputs),
      outputs: plainSignature(outputs),
      contractHash: host.sha256(encodeUtf8(contractText(inputs, outputs))),
      graph: toPlain(graph as unknown as Json),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  loadOrder: loadOrder(models),
  requirements: [...new Set(models.flatMap(({ requirements }) => requirements))].toSorted(),
  files: Object.fromEntries([...hashes].toSorted(([a], [b]) => (a < b ? -1 : 1))),
});

type PlainSignature = Manifest["ensembles"][number]["inputs"];
const plainSignature = (signature: StepDefinition["inputs"]): PlainSignature =>
  Object.fromEntries(
    Object.entries(signature).map(([name, { dtype, dims }]) => [name, { dtype, dims: [...dims] }]),
  );

/** What a client depends on: names, dtypes, sizes; the names of dims are only labels. */
const contractText = (inputs: StepDefinition["inputs"], outputs: StepDefinition["outputs"]): string => {
  const side = (signature: StepDefinition["inputs"]): readonly Json[] =>
    Object.entries(signature)
      .map(([name, { dtype, dims }]) => [
        name,
        dtype,
        dims.map((dim) => (typeof dim === "number" ? dim : -1)),
      ])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return JSON.stringify({ inputs: side(inputs), outputs: side(outputs) });
};

const loadOrder = (models: readonly EmittedModel[]): string[] => {
  const byName = new Map(models.map((model) => [model.name, model]));
  const order: string[] = [];
  const visit = (name: string): void => {
    if (order.includes(name)) return;
    for (const needed of byName.get(name)?.needs ?? []) visit(needed);
    order.push(name);
  };
  for (const { name } of models) visit(name);
  return order;
};

const toPlain = (value: Json): never => JSON.parse(JSON.stringify(value)) as never;
