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
  /** The statistics of the candidate; empty if it did not load. */
  readonly steps: readonly StepTime[];
}

/**
 * Looks for the best point: first the usual settings, all at once; then one knob after the other (coordinate descent),
 * beginning with the model in which requests spend most of their time. Ends when no knob improves anything; a knob is
 * tried again only after a change of one that it depends on. The same outcomes give the same experiments, so a search
 * can be resumed with the known outcomes.
 * @returns The best point.
 */
export function* search(knobs: readonly Knob[], mostRuns: number): Generator<Experiment, Point, Outcome> {
  let best: Point = {};
  let { steps } = yield { point: best, against: best, why: "the current settings" };
  const measured = new Set([pointKey(knobs, best)]);
  const tried = new Set<string>();

  const attempt = function* (point: Point, why: string): Generator<Experiment, boolean, Outcome> {
    const key = pointKey(knobs, point);
    if (measured.has(key) || measured.size >= mostRuns) return false;
    measured.add(key);
    const outcome = yield { point, against: best, why };
    if (!outcome.better) return false;
    best = point;
    ({ steps } = outcome);
    return true;
  };
  const climb = function* (knob: Knob): Generator<Experiment, void, Outcome> {
    tried.add(knob.id);
    const from = choiceAt(knob, best);
    const move = (to: number): Generator<Experiment, boolean, Outcome> =>
      attempt({ ...best, [knob.id]: to }, whyOf(knob, steps));
    if (!knob.ordered) {
      for (const to of knob.choices.keys())
        if (to !== from && isWorthTrying(knob, to, best, knobs, steps) && (yield* move(to)))
          forget(knob, knobs, tried);
      return;
    }
    for (const direction of [-1, 1]) {
      let moved = false;
      for (let to = choiceAt(knob, best) + direction; knob.choices[to] !== undefined; to += direction) {
        if (!isWorthTrying(knob, to, best, knobs, steps)) continue;
        if (!(yield* move(to))) break;
        moved = true;
      }
      if (!moved) continue;
      forget(knob, knobs, tried);
      return;
    }
  };

  for (const knob of knobs) if (knob.kind === "clients") yield* climb(knob);
  const guess = Object.fromEntries(
    knobs.flatMap(({ id, guess: to, start }) => (to === undefined || to === start ? [] : [[id, to]])),
  );
  if (Object.keys(guess).length > 0 && (yield* attempt({ ...best, ...guess }, "the usual settings")))
    tried.clear();
  for (;;) {
    const open = knobs.filter(({ id }) => !tried.has(id));
    const next = open.toSorted((a, b) => weightOf(b, steps) - weightOf(a, steps))[0];
    if (next === undefined || measured.size >= mostRuns) return best;
    yield* climb(next);
  }
}

/** After a change, the knobs that depend on it are tried again. */
const forget = (changed: Knob, knobs: readonly Knob[], tried: Set<string>): void => {
  for (const knob of knobs) {
    const related =
      knob.id !== changed.id &&
      (knob.kind === "clients" ||
        (knob.model === changed.model && knob.kind !== "shape") ||
        (knob.kind === "instances" && changed.kind === "instances"));
    if (related) tried.delete(knob.id);
  }
};

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
