import { modelsRunBy } from "@tritype/manifest";
import type { DeployedBuild, DeployedModel } from "./deployed-build.ts";

/** The models that clients call and that share members, and therefore queues. */
export interface ServedGroup {
  /** Name of the first of `called`: in snake case, unless several groups would have the same. */
  readonly name: string;
  /** Models that clients call. */
  readonly called: readonly string[];
  /**
   * The weight of each called model's successes, so that the weighted sum is the number of clients' requests. Without
   * weights, a request to an ensemble that runs another one of `called` would count twice. Models of weight 0 are left
   * out, as are models that code also calls, because Triton counts those calls like clients' requests.
   */
  readonly weights: ReadonlyMap<string, number>;
  /** Models in which requests wait, sorted: everything that the called models run, except ensembles. */
  readonly members: readonly string[];
  /** The members that code (BLS) runs, any number of times in a request. */
  readonly callees: readonly string[];
  /** Sum of the members' batching delays: the time in the queue that the author chose. */
  readonly delayMs: number;
}

/** The models that clients call, in groups without common members, by name. */
export const servedGroups = (build: DeployedBuild): readonly ServedGroup[] => {
  const groups: { called: string[]; members: Set<string> }[] = [];
  const byCode = modelsRunByCode(build);
  for (const { name } of build.manifest.ensembles) {
    const members = new Set(membersOf(name, build));
    const joined = groups.filter((group) => [...group.members].some((member) => members.has(member)));
    for (const group of joined) {
      for (const member of group.members) members.add(member);
      groups.splice(groups.indexOf(group), 1);
    }
    groups.push({ called: [...joined.flatMap(({ called }) => called), name].toSorted(), members });
  }
  const nameOf = metricNames(groups.map(({ called }) => called[0] ?? ""));
  return groups
    .map(
      ({ called, members }): ServedGroup => ({
        name: nameOf(called[0] ?? ""),
        called,
        weights: new Map(
          called
            .filter((one) => !byCode.has(one))
            .map((one) => [one, 1 - nestedCalls(one, build, byCode)] as const)
            .filter(([, weight]) => weight !== 0),
        ),
        members: [...members].toSorted(),
        callees: [...members].filter((member) => byCode.has(member)).toSorted(),
        delayMs: Math.max(...called.map((one) => delayOf(membersOf(one, build), build))) / 1000,
      }),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/**
 * Different names for parts of metrics: in snake case if no other name has the same, or if the name is already in snake case. Otherwise,
 * each other character becomes `__` and its hexadecimal code: `my-model` → `my__2dmodel`. Names in snake case never contain `__`.
 */
const metricNames = (names: readonly string[]): ((name: string) => string) => {
  const inSnakeCase = names.map(snakeCase);
  return (name) => {
    const short = snakeCase(name);
    return short === name || inSnakeCase.filter((other) => other === short).length === 1
      ? short
      : name.replaceAll(/[^a-z\d]/g, (char) => `__${char.charCodeAt(0).toString(16)}`);
  };
};

const snakeCase = (name: string): string => name.toLowerCase().replaceAll(/[^a-z\d]+/g, "_");

/** All models of the groups, sorted. */
export const servedModels = (groups: readonly ServedGroup[]): readonly string[] =>
  [...new Set(groups.flatMap(({ called, members }) => [...called, ...members]))].toSorted();

/** The models that a request to a model runs, in order, except ensembles: their steps, and the models that code calls. */
export const membersOf = (name: string, build: DeployedBuild): readonly string[] =>
  [...runBy(build)(name)].filter((model) => stepsOf(model, build) === undefined);

/** All models that code calls, and what those run: their failures reach the code, which may handle them. */
export const modelsRunByCode = (build: DeployedBuild): ReadonlySet<string> => {
  const run = runBy(build);
  return new Set(
    build.manifest.models.flatMap(({ calls = [] }) => calls.flatMap((callee) => [...run(callee)])),
  );
};

const runBy = (build: DeployedBuild): ReturnType<typeof modelsRunBy> =>
  modelsRunBy(build.manifest, (model) => stepsOf(model, build) ?? []);

/** The steps of an ensemble; undefined for other models. */
const stepsOf = (name: string, build: DeployedBuild): readonly string[] | undefined =>
  modelNamed(build, name)?.config.ensemble_scheduling?.step?.flatMap(({ model_name: step }) => step ?? []);

/** Counts the models in an ensemble that clients also call; models inside those do not count. */
const nestedCalls = (name: string, build: DeployedBuild, byCode: ReadonlySet<string>): number =>
  (stepsOf(name, build) ?? []).reduce(
    (sum, step) =>
      sum +
      (build.manifest.ensembles.some((one) => one.name === step) && !byCode.has(step)
        ? 1
        : nestedCalls(step, build, byCode)),
    0,
  );

const delayOf = (members: readonly string[], build: DeployedBuild): number =>
  members.reduce(
    (sum, member) =>
      sum + (modelNamed(build, member)?.config.dynamic_batching?.max_queue_delay_microseconds ?? 0),
    0,
  );

const modelNamed = ({ models }: DeployedBuild, name: string): DeployedModel | undefined =>
  models.find((model) => model.name === name);
