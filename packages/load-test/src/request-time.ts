import type { ModelActivity } from "./model-activity.ts";

/** A step of an ensemble: the tensors that it reads and writes, under the ensemble's names. */
export interface EnsembleStep {
  readonly model: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** The time that a request spends in one model: means in microseconds. */
export interface StepTime {
  readonly model: string;
  readonly queueUs: number;
  readonly computeInputUs: number;
  readonly computeInferUs: number;
  readonly computeOutputUs: number;
}

/** How the time of a request is divided. Its parts add up to `requestUs`. */
export interface RequestTime {
  /** Mean from the time when a request was due to its answer, in microseconds. */
  readonly requestUs: number;
  /** The models that a request runs through, in order; of parallel ones, those that take longest. */
  readonly steps: readonly StepTime[];
  /** The time in the server but outside the models: from one model to the next. */
  readonly betweenUs: number;
  /** Between client and model: the connection, reading and writing messages, and the client itself. */
  readonly outsideUs: number;
  /** Active models that are not among `steps`: those that run in parallel with them, and those that code called. */
  readonly others: readonly StepTime[];
}

/**
 * Divides the mean time of a request to `model` among its steps.
 * @param ensembles Ensemble → its steps.
 * @param requestUs The mean that the client measured.
 * @returns undefined if the server has no statistics of the model.
 */
export const requestTime = (
  model: string,
  activity: readonly ModelActivity[],
  ensembles: ReadonlyMap<string, readonly EnsembleStep[]>,
  requestUs: number,
): RequestTime | undefined => {
  const active = new Map(activity.map((one) => [one.model, one]));
  const total = active.get(model)?.totalUs;
  if (total === undefined) return undefined;
  const path = slowestPath(model, active, ensembles);
  const steps = path.map(timesOf);
  const others = activity.filter(
    (one) => one.model !== model && !ensembles.has(one.model) && !path.includes(one),
  );
  return {
    requestUs,
    steps,
    // The two means come from different clocks, so a small difference may be negative.
    betweenUs: Math.max(0, total - steps.reduce((sum, step) => sum + timeIn(step), 0)),
    outsideUs: Math.max(0, requestUs - total),
    others: others.map(timesOf),
  };
};

/** The whole time of a request in one model. */
export const timeIn = ({ queueUs, computeInputUs, computeInferUs, computeOutputUs }: StepTime): number =>
  queueUs + computeInputUs + computeInferUs + computeOutputUs;

const timesOf = ({
  model,
  queueUs,
  computeInputUs,
  computeInferUs,
  computeOutputUs,
}: ModelActivity): StepTime => ({
  model,
  queueUs,
  computeInputUs,
  computeInferUs,
  computeOutputUs,
});

type Path = readonly ModelActivity[];
const lengthOf = (path: Path): number => path.reduce((sum, one) => sum + timeIn(one), 0);
const longest = (paths: readonly Path[]): Path =>
  paths.reduce((best, path) => (lengthOf(path) > lengthOf(best) ? path : best), []);

/** The models on the slowest path through an ensemble; an ensemble among its steps is replaced by its own slowest path. */
const slowestPath = (
  model: string,
  active: ReadonlyMap<string, ModelActivity>,
  ensembles: ReadonlyMap<string, readonly EnsembleStep[]>,
): Path => {
  const steps = ensembles.get(model);
  const own = active.get(model);
  if (steps === undefined) return own === undefined ? [] : [own];
  const ways = new Map<EnsembleStep, Path>();
  const wayTo = (step: EnsembleStep): Path => {
    const known = ways.get(step);
    if (known !== undefined) return known;
    const before = steps.filter(({ writes }) => writes.some((tensor) => step.reads.includes(tensor)));
    const way = [...longest(before.map(wayTo)), ...slowestPath(step.model, active, ensembles)];
    ways.set(step, way);
    return way;
  };
  return longest(steps.map(wayTo));
};
