import { type StepTime, timeOf } from "./measurement.ts";
import { choiceAt, type Knob, type Point, pointKey } from "./knob.ts";

/** The next settings to measure, against the best ones so far. */
export interface Experiment {
  readonly point: Point;
  /** The same as `point` in the first experiment. */
  readonly against: Point;
  /** The reason for trying them, as text for the user. */
  readonly why: string;
}

/** The outcome of an experiment. */
export interface Outcome {
  readonly better: boolean;
  /** The measured score of the point, relative to `against`; undefined if it did not load. */
  readonly ratio: number | undefined;
  /** The statistics of the candidate; empty if it did not load. */
  readonly steps: readonly StepTime[];
}

/**
 * Looks for the best point. A cache comes first, because it changes how much the models have to do; then the usual batching, because
 * other settings compare badly while requests wait in vain, and then the usual shapes. Then one knob follows the other (coordinate descent), beginning with the model in
 * which requests spend most of their time. After an improvement, the knobs that depend on it try their most promising
 * rejected choice again. Finally, rejected choices are tried together. Ends when nothing improves the result. The same
 * outcomes give the same experiments, so a search can be resumed with the known outcomes.
 * @returns The best point.
 */
export function* search(knobs: readonly Knob[], mostRuns: number): Generator<Experiment, Point, Outcome> {
  let best: Point = {};
  let { steps } = yield { point: best, against: best, why: "the current settings" };
  const measured = new Set([pointKey(knobs, best)]);
  const tried = new Set<Knob>();
  /** Knobs that were tried before a change of one that they depend on. */
  const outdated = new Set<Knob>();
  /** Choice → its ratio, for the choices that were not better than the knob's current one. */
  const rejected = new Map(knobs.map((knob) => [knob, new Map<number, number>()]));

  const attempt = function* (changes: Point, why: string): Generator<Experiment, boolean, Outcome> {
    const point = { ...best, ...changes };
    const key = pointKey(knobs, point);
    if (measured.has(key) || measured.size >= mostRuns) return false;
    measured.add(key);
    const changed = knobs.filter((knob) => choiceAt(knob, point) !== choiceAt(knob, best));
    const { better, ratio, steps: found } = yield { point, against: best, why };
    if (!better || ratio === undefined) {
      if (changed.length === 1 && ratio !== undefined)
        for (const knob of changed) rejected.get(knob)?.set(choiceAt(knob, point), ratio);
      return false;
    }
    for (const knob of changed) rejected.set(knob, new Map([[choiceAt(knob, best), 1 / ratio]]));
    for (const knob of tried) {
      if (!changed.some((one) => dependsOn(knob, one))) continue;
      if (knob.kind !== "clients") outdated.add(knob);
      // Any number of clients may meet the limit now.
      else if (tried.delete(knob)) rejected.get(knob)?.clear();
    }
    [best, steps] = [point, found];
    return true;
  };
  const move = function* (knob: Knob, to: number): Generator<Experiment, boolean, Outcome> {
    if (!isWorthTrying(knob, to, best, knobs, steps)) return false;
    return yield* attempt({ [knob.id]: to }, knob.why ?? whyOf(knob, steps));
  };
  /** Moves from neighbour to neighbour while that helps, and once past a neighbour that is not worse. */
  const walk = function* (knob: Knob): Generator<Experiment, void, Outcome> {
    const ratioOf = (to: number): number => rejected.get(knob)?.get(to) ?? 0;
    for (const direction of [-1, 1]) {
      let moved = false;
      let passed = 0;
      for (let to = choiceAt(knob, best) + direction; knob.choices[to] !== undefined; to += direction) {
        if (yield* move(knob, to)) moved = true;
        else if (passed++ > 0 || ratioOf(to) < 1) break;
      }
      if (moved) return;
    }
  };
  const climb = function* (knob: Knob): Generator<Experiment, void, Outcome> {
    tried.add(knob);
    for (const to of knob.ordered ? [firstOf(knob, choiceAt(knob, best))] : knob.choices.keys())
      yield* move(knob, to);
    if (knob.ordered) yield* walk(knob);
  };
  /** The most promising rejected choice of each knob, the most promising knob first. */
  const promising = (some: ReadonlySet<Knob>): readonly Promising[] =>
    [...some]
      .flatMap((knob) =>
        [...(rejected.get(knob) ?? [])]
          .map(([to, ratio]) => ({ knob, to, ratio }))
          .filter(({ to }) => isWorthTrying(knob, to, best, knobs, steps))
          .toSorted(byRatio)
          .slice(0, 1),
      )
      .toSorted(byRatio);

  for (const kind of ["clients", "cache"])
    for (const knob of knobs) if (knob.kind === kind) yield* climb(knob);
  for (const kind of ["batching", "shape"])
    yield* attempt(usualOf(knobs.filter((knob) => knob.kind === kind)), "the usual settings");
  while (measured.size < mostRuns) {
    const open = knobs.filter((knob) => !tried.has(knob));
    const next = open.toSorted((a, b) => weightOf(b, steps) - weightOf(a, steps))[0];
    const [again] = promising(outdated);
    if (next !== undefined) yield* climb(next);
    else if (again !== undefined) {
      outdated.delete(again.knob);
      if ((yield* move(again.knob, again.to)) && again.knob.ordered) yield* walk(again.knob);
    } else {
      const together = combinations(promising(tried)).find(
        ({ changes }) => !measured.has(pointKey(knobs, { ...best, ...changes })),
      );
      if (together === undefined) break;
      yield* attempt(together.changes, together.why);
    }
  }
  return best;
}

/** A rejected choice. */
interface Promising {
  readonly knob: Knob;
  readonly to: number;
  readonly ratio: number;
}

const byRatio = (a: Promising, b: Promising): number => b.ratio - a.ratio;

/**
 * Rejected choices that may help together: all that looked better by less than the noise, and the most promising two of
 * which each may need the other.
 */
const combinations = (
  all: readonly Promising[],
): readonly { readonly changes: Point; readonly why: string }[] => {
  const changesOf = (some: readonly Promising[]): Point =>
    Object.fromEntries(some.map(({ knob, to }) => [knob.id, to]));
  const gains = all.filter(({ ratio }) => ratio > 1);
  const shape = all.find(({ knob }) => knob.kind === "shape");
  const batching = all.find(({ knob }) => knob.kind === "batching");
  return [
    { changes: changesOf(gains), why: "small gains, which noise may have hidden, may add up" },
    ...(shape && batching
      ? [{ changes: changesOf([shape, batching]), why: "each may only help with the other" }]
      : []),
  ];
};

/** The usual choices of the knobs that have one. */
const usualOf = (knobs: readonly Knob[]): Point =>
  Object.fromEntries(knobs.flatMap(({ id, guess }) => (guess === undefined ? [] : [[id, guess]])));

/** The choice of an ordered knob to try first: the usual one, or the middle of a long way up; else the current one. */
const firstOf = ({ kind, guess, choices }: Knob, from: number): number => {
  const above = choices.length - 1 - from;
  return guess ?? (above > 2 && kind !== "clients" ? from + Math.ceil(above / 2) : from);
};

/** Whether choices of a knob may compare differently after a change of another knob. */
const dependsOn = (knob: Knob, changed: Knob): boolean =>
  knob !== changed &&
  (knob.kind === "clients" ||
    (knob.model === changed.model && knob.kind !== "shape") ||
    (knob.kind === "instances" && changed.kind === "instances") ||
    // Which requests form a batch depends both on how long they wait and on their shapes.
    (knob.kind === "shape" && changed.kind === "batching") ||
    (knob.kind === "batching" && changed.kind === "shape"));

/** The share of the models' time that the knob's model takes; knobs that shape all tensors count as at least half. */
const weightOf = ({ model, kind }: Knob, steps: readonly StepTime[]): number => {
  const all = steps.reduce((sum, step) => sum + timeOf(step), 0);
  const own = steps.find((step) => step.model === model);
  const share = own === undefined || all === 0 ? 0 : timeOf(own) / all;
  return kind === "shape" ? Math.max(share, 0.5) : share;
};

/** Whether the statistics suggest that a choice may be better. */
const isWorthTrying = (
  knob: Knob,
  to: number,
  best: Point,
  knobs: readonly Knob[],
  steps: readonly StepTime[],
): boolean => {
  const choice = knob.choices[to];
  if (choice === undefined) return false;
  const delay = knobs.find(({ id }) => id === `${knob.model}.delay`);
  // Preferred sizes only matter while requests wait for each other.
  if (knob.id.endsWith(".preferred") && delay !== undefined)
    return waits(delay.choices[choiceAt(delay, best)]?.value);
  const own = steps.find(({ model }) => model === knob.model);
  if (own === undefined || knob.kind !== "instances" || to <= choiceAt(knob, best)) return true;
  // If no requests wait in its queue, more instances would have nothing to do.
  return own.queueUs > (timeOf(own) - own.queueUs) / 20;
};

/**
 * Whether a delay, in microseconds, makes requests wait; undefined, which stands for the current setting, may do so.
 */
const waits = (delay: unknown): boolean => delay !== null && delay !== 0;

const whyOf = ({ model, kind }: Knob, steps: readonly StepTime[]): string => {
  if (kind === "clients") return "a different number of clients may also meet the limit";
  const all = steps.reduce((sum, step) => sum + timeOf(step), 0);
  const own = steps.find((step) => step.model === model);
  if (own === undefined || all === 0) return "the next setting";
  const share = Math.round((timeOf(own) / all) * 100);
  const queue = Math.round((own.queueUs / Math.max(1, timeOf(own))) * 100);
  return `${share} % of the models' time is in \`${model}\`, ${queue} % of that in its queue`;
};
