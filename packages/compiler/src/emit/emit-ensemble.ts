import type { Diagnostic, OperatorNode, Site, Span, StepDefinition } from "@tritype/core";
import { encodeModel } from "@tritype/onnx";
import { printModelConfig } from "@tritype/triton";
import { isBatched, ownMaxBatchSize } from "../check/check-declaration.ts";
import { emitProfiles } from "../profiles/emit-profiles.ts";
import { inProfile } from "../profiles/in-profile.ts";
import { textFile, type TreeFile } from "../tree.ts";
import { authorConfig, withRaw } from "./author-config.ts";
import { batchesByDefault } from "./batches-by-default.ts";
import { configInputs, configOutputs, ensembleConfig } from "./emit-config.ts";
import { capturedEntries } from "../warmup/captured-warmup.ts";
import { emitWarmup } from "../warmup/emit-warmup.ts";
import { wayOf, withContract } from "./contract.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";
import { ensemblePlaces, regionPlaces } from "./field-places.ts";
import type { Region } from "../graph/find-regions.ts";
import { lowerRegion } from "./lower-region.ts";
import { membersOf } from "./member-fields.ts";
import type { PlannedCall, PlannedEnsemble } from "./plan-ensemble.ts";

/** Git and object stores drop empty folders, and Triton does not load an ensemble without a version folder. */
const keepFile: readonly [string, TreeFile] = [".keep", textFile("")];

/** ONNX Runtime's threads spin while waiting, and for a model this small they would take CPU cores from other models. */
const oneThread = { intra_op_thread_count: { string_value: "1" } };

/** The ensemble itself and the models of its tensor math. */
export const emitEnsemble = (
  { definition, plan }: PlannedEnsemble,
  { release, host, samples, captured, profiles, profilePlaces, ...found }: EmitOptions,
): { readonly models: readonly EmittedModel[]; readonly diagnostics: readonly Diagnostic[] } => {
  const diagnostics: Diagnostic[] = [];
  const project = { profiles, places: profilePlaces };
  const batched = isBatched({ inputs: definition.inputs, outputs: {} });
  const maxBatchSize = batched ? (ownMaxBatchSize(definition) ?? 0) : 0;
  const types = new Map(definition.graph.nodes.map((node) => [node.id, node.outputs]));
  const ofMembers: StepDefinition = { ...definition, options: membersOf(definition) };
  const membersIn = (profile?: string) => {
    const { step, defaults } = inProfile(profile, ofMembers, {}, profiles);
    const placeOf = regionPlaces(definition, { profile, project });
    return authorConfig(step, placeOf, defaults);
  };
  const members = membersIn();
  diagnostics.push(...members.diagnostics, ...emitProfiles(profiles, members, membersIn).diagnostics);
  const regions = plan.regions.map((planned): EmittedModel => {
    const lowered = lowerRegion(planned, types);
    const text = [...Object.values(lowered.inputs), ...Object.values(lowered.outputs)].some(
      ({ dtype }) => dtype === "BYTES",
    );
    const configure = (profile?: string) =>
      emitWarmup(
        definition,
        {
          name: planned.name,
          backend: "onnxruntime",
          default_model_filename: "model.onnx",
          max_batch_size: maxBatchSize,
          input: configInputs(lowered.inputs, batched),
          output: configOutputs(lowered.outputs, batched),
          instance_group: [{ count: 1, kind: "KIND_AUTO" }],
          // The requests in a batch leave the previous model together, so they need a single execution instead of
          // one per request.
          ...batchesByDefault({ maxBatchSize }),
          ...membersIn(profile).config,
          parameters: oneThread,
          // ONNX Runtime has no string kernels on GPUs.
          ...(text ? { instance_group: [{ count: 1, kind: "KIND_CPU" }] } : {}),
        },
        [],
        capturedEntries(planned.name, captured?.requests ?? [], samples),
        release,
      );
    const base = configure();
    const profiled = emitProfiles(profiles, base, configure);
    diagnostics.push(...base.diagnostics);
    return {
      name: planned.name,
      kind: "tensor-math",
      definition,
      site: siteOfRegion(planned.region, definition),
      config: base.config,
      profiles: profiled.configs,
      placesIn: (profile) => regionPlaces(definition, { profile, project }),
      warmup: base.captured,
      files: new Map<string, TreeFile>([
        ["config.pbtxt", textFile(printModelConfig(base.config))],
        ...profiled.files,
        ...base.files,
      ]),
      versions: oneVersion("model.onnx", { kind: "bytes", bytes: encodeModel(lowered.model) }),
      listed: false,
      requirements: [],
      needs: [],
    };
  });
  const configure = (profile?: string) => {
    const { step, own } = inProfile(profile, definition, {}, {});
    const author = authorConfig(step, ensemblePlaces(definition, { profile, project }));
    const merged = withRaw(
      step,
      {
        ...ensembleConfig(definition, definition.outputs, plan.calls, maxBatchSize),
        ...author.config,
      },
      own,
    );
    return {
      config: withContract(merged.config, definition, host, wayOf(found, definition.name)),
      diagnostics: [...author.diagnostics, ...merged.diagnostics],
    };
  };
  const base = configure();
  const note = orderNote(plan.calls);
  const profiled = emitProfiles(profiles, base, configure, note);
  diagnostics.push(...base.diagnostics, ...profiled.diagnostics);
  const ensemble: EmittedModel = {
    name: definition.name,
    kind: "ensemble",
    definition,
    config: base.config,
    profiles: profiled.configs,
    placesIn: (profile) => ensemblePlaces(definition, { profile, project }),
    files: new Map([["config.pbtxt", textFile(note + printModelConfig(base.config))], ...profiled.files]),
    versions: oneVersion(...keepFile),
    // An ensemble has no files that change, so its configuration is replaced in place.
    listed: true,
    requirements: [],
    needs: plan.calls.map(({ model }) => model),
  };
  return { models: [...regions, ensemble], diagnostics };
};

/** The expression in the ensemble's `run` that gives the region's last output, even if a helper of the author contains the operator. */
const siteOfRegion = ({ nodes, outputs }: Region, { site: ensemble }: StepDefinition): Site => {
  const given = new Set(outputs.map(({ node }) => node));
  const [declared] = ensemble;
  const inRun = ({ site }: OperatorNode): Site => {
    const end = site.findIndex((frame) => declared !== undefined && isSame(frame, declared));
    return site.slice(Math.max(0, end - 1), end === 0 ? 0 : undefined);
  };
  const sites = nodes.filter(({ id }) => given.has(id)).map(inRun);
  return sites.findLast(({ length }) => length > 0) ?? ensemble;
};

const isSame = (a: Span, b: Span): boolean => a.file === b.file && a.line === b.line && a.column === b.column;

const oneVersion = (path: string, file: TreeFile): EmittedModel["versions"] =>
  new Map([[1, { files: new Map([[path, file]]) }]]);

/** Triton accepts steps in any order, but readers expect producers first. */
const orderNote = (calls: readonly PlannedCall[]): string => {
  const [first, ...others] = calls;
  const made = new Set(others.flatMap(({ outputs }) => Object.values(outputs)));
  return first !== undefined && Object.values(first.inputs).some((tensor) => made.has(tensor))
    ? '# The first step needs every input: with another first step Triton (24.10) answers "unexpected deadlock" to a request\n# for some of the outputs only. Keep it first.\n'
    : "";
};
