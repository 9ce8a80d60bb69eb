import type { ModelConfig } from "@tritype/triton";
import type { CheckedModel, ModelContext } from "../model-context.ts";
import { completesItself } from "../completion/completes-itself.ts";
import {
  type EnsembleProblem,
  type MemberStep,
  type Side,
  type StepPlace,
  stepPath,
} from "./ensemble-problem.ts";
import { agree, certainParts, fullDims, type TensorPlace } from "../model/tensor-place.ts";

/**
 * Compares the steps of an ensemble with the configurations of their models, if these are known. Source: core
 * `ensemble_utils.cc`. The ensemble's own inputs and outputs come first, followed by the steps as written; the first of
 * these that mentions a tensor defines it.
 */
export const checkMembers = (
  model: ModelContext,
  steps: readonly MemberStep[],
): {
  readonly problems: readonly EnsembleProblem[];
  readonly places: ReadonlyMap<string, readonly TensorPlace[]>;
} => {
  const places = new Map<string, TensorPlace[]>();
  for (const place of ownPlaces(model)) if (!places.has(place.tensor)) places.set(place.tensor, [place]);
  const problems = steps.flatMap((at) => [
    ...batchSizeProblem(model.config, at),
    ...portProblems(at, "input"),
    ...unmappedInputs(at),
    ...hold(stepPlaces(model, at, "input"), places),
    ...portProblems(at, "output"),
    ...duplicateOutputs(at),
    ...hold(stepPlaces(model, at, "output"), places),
  ]);
  return { problems, places };
};

const hold = (
  found: readonly TensorPlace[],
  places: Map<string, TensorPlace[]>,
): readonly EnsembleProblem[] => {
  const problems: EnsembleProblem[] = [];
  for (const place of found) {
    const known = places.get(place.tensor);
    if (known === undefined) {
      places.set(place.tensor, [place]);
      continue;
    }
    const typed = known.find(({ certain }) => certain.dataType);
    const shaped = known.find(({ certain }) => certain.shape);
    known.push(place);
    if (typed !== undefined && place.certain.dataType && typed.dataType !== place.dataType)
      problems.push({ kind: "dtype", known: typed, found: place });
    if (shaped !== undefined && place.certain.shape && !agree(shaped, place))
      problems.push({ kind: "shape", known: shaped, found: place });
  }
  return problems;
};

/** `reshape` applies to an ensemble's own tensors, but not to those of its steps. */
const ownPlaces = (model: ModelContext): readonly TensorPlace[] =>
  (["input", "output"] as const).flatMap((side) =>
    (model.config[side] ?? []).map((declared, i) => {
      const { name = "", data_type = 0, dims = [], reshape } = declared;
      const shape = reshape === undefined ? dims : (reshape.shape ?? []);
      const field = reshape === undefined ? "dims" : "reshape";
      return {
        tensor: name,
        model: model.name,
        side,
        port: name,
        dataType: data_type,
        dims: shape,
        full: fullDims(model.config, shape),
        certain: certainParts(model.config, declared, true),
        step: undefined,
        label: (text: string) => model.at([side, i, field], text),
      };
    }),
  );

const stepPlaces = (model: ModelContext, at: MemberStep, side: Side): readonly TensorPlace[] => {
  const config = configOf(at.member);
  const map = mapOf(at, side);
  return (config[side] ?? []).flatMap((declared) => {
    const { name = "", data_type = 0, dims = [] } = declared;
    const tensor = map[name];
    if (tensor === undefined) return [];
    const label = (text: string) => model.at(stepPath(at.index, `${side}_map`, name), text);
    return [
      {
        tensor,
        model: at.name,
        side,
        port: name,
        dataType: data_type,
        dims,
        full: fullDims(config, dims),
        certain: certainParts(config, declared, false),
        step: at.index,
        label,
      },
    ];
  });
};

export const configOf = ({ assumed, model }: CheckedModel): ModelConfig => assumed ?? model.config;

export const mapOf = ({ step }: StepPlace, side: Side): Readonly<Record<string, string>> =>
  (side === "input" ? step.input_map : step.output_map) ?? {};

const batchSizeProblem = (ensemble: ModelConfig, at: MemberStep): readonly EnsembleProblem[] => {
  const limit = configOf(at.member).max_batch_size ?? 0;
  if (limit <= 0 || limit >= (ensemble.max_batch_size ?? 0) || completesItself(at.member)) return [];
  return [{ kind: "batch-size", at, limit }];
};

const portProblems = (at: MemberStep, side: Side): readonly EnsembleProblem[] => {
  if (completesItself(at.member, side)) return [];
  const names = new Set((configOf(at.member)[side] ?? []).map(({ name }) => name));
  return Object.entries(mapOf(at, side))
    .filter(([port]) => !names.has(port))
    .map(([port, tensor]) => ({ kind: "unknown-port", at, side, port, tensor }));
};

/** A step that maps no inputs at all is incomplete; this is reported for the ensemble alone. */
const unmappedInputs = (at: MemberStep): readonly EnsembleProblem[] => {
  const map = mapOf(at, "input");
  if (Object.keys(map).length === 0) return [];
  return (configOf(at.member).input ?? [])
    .filter(({ name = "", optional }) => optional !== true && !Object.hasOwn(map, name))
    .map(({ name: port = "" }) => ({ kind: "unmapped-input", at, port }));
};

const duplicateOutputs = (at: MemberStep): readonly EnsembleProblem[] => {
  const names = (configOf(at.member).output ?? []).map(({ name = "" }) => name);
  return Object.entries(mapOf(at, "output"))
    .filter(([port]) => names.indexOf(port) !== names.lastIndexOf(port))
    .map(([port, tensor]) => ({ kind: "duplicate-output", at, port, tensor }));
};
