import { isDecoupled } from "@tritype/triton";
import { remembered } from "@tritype/core";
import type { CheckedModel, ModelContext, RepositoryContext } from "../model-context.ts";
import { servedVersions } from "../model/served-versions.ts";
import { refusesWarmup } from "../warmup-rules/warmup-problems.ts";
import { checkMembers, mapOf } from "./check-members.ts";
import { decoupledFlow } from "./decoupled-flow.ts";
import { findCircles } from "../model/circles.ts";
import { ensembleSteps } from "../model/ensemble-graph.ts";
import type { EnsembleProblem, Found, MemberStep, ResolvedEnsemble, StepPlace } from "./ensemble-problem.ts";

/**
 * All ensembles of a repository, checked together with their known members. Problems are independent of each other: a
 * missing or uncertain part does not hide others.
 */
export const resolveEnsembles: (repository: RepositoryContext) => ReadonlyMap<string, ResolvedEnsemble> =
  remembered((repository) => {
    const found = new Map<string, ResolvedEnsemble>();
    const circles = ensembleCircles(repository);
    for (const name of membersFirst(repository)) {
      const checked = repository.models.get(name);
      if (checked !== undefined) found.set(name, resolve(checked, repository, found, circles));
    }
    return found;
  });

const resolve = (
  { model }: CheckedModel,
  repository: RepositoryContext,
  others: ReadonlyMap<string, ResolvedEnsemble>,
  circles: ReadonlyMap<string, readonly string[]>,
): ResolvedEnsemble => {
  const steps = placesOf(model);
  const circle = circles.get(model.name);
  const missing = steps
    .filter(({ name }) => !repository.models.has(name))
    .map(
      (at): EnsembleProblem =>
        repository.unreadable.has(at.name)
          ? { kind: "refused-model", at, circular: false, polled: false, steps: 1 }
          : { kind: "missing-model", at },
    );
  const circular = steps
    .filter(({ name }) => circle?.[1] === name)
    .slice(0, 1)
    .map((at) => ({ kind: "circular", at, circle: circle ?? [] }) as const);
  const unusable = steps
    .filter(({ name }) => circle === undefined || !circles.has(name))
    .flatMap((at) => memberProblems(at, repository, others));
  const members = steps.flatMap((at) => member(at, repository, others) ?? []);
  const { problems, places } = checkMembers(model, members);
  const { decoupled, joins } = decoupledFlow(model, steps, members);
  const source = members.find((step) => isDecoupled(step.member.assumed ?? {}));
  const cached = decoupled && model.config.response_cache?.enable === true && source !== undefined;
  return {
    model,
    problems: [
      ...refusedOnce([...missing, ...unusable]),
      ...circular,
      ...problems,
      ...joins.map((at) => {
        const [tensor = ""] = at === undefined ? [] : Object.values(mapOf(at, "output"));
        return { kind: "decoupled-join", at, named: places.get(tensor)?.[0]?.model } as const;
      }),
      ...(cached ? [{ kind: "decoupled-cache", at: source } as const] : []),
    ],
    steps: members,
    places,
    decoupled,
  };
};

const placesOf = ({ config }: ModelContext): readonly StepPlace[] =>
  (ensembleSteps(config) ?? []).flatMap((step, index) =>
    step.model_name ? [{ index, step, name: step.model_name }] : [],
  );

/** A step with its model's configuration after loading; undefined if its tensors are unknown. */
const member = (
  at: StepPlace,
  { models }: RepositoryContext,
  others: ReadonlyMap<string, ResolvedEnsemble>,
): MemberStep | undefined => {
  const checked = models.get(at.name);
  if (checked?.assumed === undefined) return undefined;
  const decoupled = others.get(at.name)?.decoupled;
  if (decoupled === undefined) return { ...at, member: checked };
  const assumed = { ...checked.assumed, model_transaction_policy: { decoupled } };
  return { ...at, member: { ...checked, assumed } };
};

/** A member that several steps call is reported only once. */
const refusedOnce = (problems: readonly EnsembleProblem[]): readonly EnsembleProblem[] => {
  const counts = new Map<string, number>();
  for (const { at } of problems.filter(isRefusedModel)) counts.set(at.name, (counts.get(at.name) ?? 0) + 1);
  return problems.flatMap((problem): readonly EnsembleProblem[] => {
    if (!isRefusedModel(problem)) return [problem];
    const steps = counts.get(problem.at.name);
    counts.delete(problem.at.name);
    return steps === undefined ? [] : [{ ...problem, steps }];
  });
};

const isRefusedModel = (problem: EnsembleProblem): problem is Found<"refused-model"> =>
  problem.kind === "refused-model";

const memberProblems = (
  at: StepPlace,
  { models, options }: RepositoryContext,
  others: ReadonlyMap<string, ResolvedEnsemble>,
): readonly EnsembleProblem[] => {
  const checked = models.get(at.name);
  if (checked === undefined) return [];
  const problems = others.get(at.name)?.problems ?? [];
  const circular = problems.some((problem) =>
    problem.kind === "refused-model" ? problem.circular : problem.kind === "circular",
  );
  const refused = checked.refused !== undefined || problems.length > 0 || refusesWarmup(checked);
  const polled = checked.refused !== "poll";
  const said = refused ? [{ kind: "refused-model", at, circular, polled, steps: 1 } as const] : [];
  const wanted = at.step.model_version ?? 0;
  if (wanted === -1) return said;
  const versions = servedVersions(checked.model);
  // Missing version folders are reported for the model itself.
  const unknown = versions.length === 0 && wanted > 0 && (refused || options.configsOnly === true);
  return unknown || versions.includes(String(wanted)) ? said : [...said, { kind: "version", at, versions }];
};

/** Names of the ensembles, each after the ensembles that it calls. */
const membersFirst = ({ models }: RepositoryContext): readonly string[] => {
  const ordered = new Set<string>();
  const entered = new Set<string>();
  const stack = [...models.keys()].toReversed();
  for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
    const checked = models.get(name);
    const steps = checked && ensembleSteps(checked.model.config);
    if (steps === undefined || entered.has(name)) {
      stack.pop();
      if (steps !== undefined) ordered.add(name);
      continue;
    }
    entered.add(name);
    for (const { model_name } of steps) if (model_name && !entered.has(model_name)) stack.push(model_name);
  }
  return [...ordered];
};

/** For each ensemble that calls itself, directly or indirectly: the path, which begins and ends with it. */
const ensembleCircles = ({ models }: RepositoryContext): ReadonlyMap<string, readonly string[]> => {
  const needs = new Map<string, readonly string[]>();
  for (const [name, { model }] of models) {
    const steps = ensembleSteps(model.config);
    if (steps !== undefined) needs.set(name, [...new Set(steps.map(({ model_name = "" }) => model_name))]);
  }
  return findCircles(needs);
};
