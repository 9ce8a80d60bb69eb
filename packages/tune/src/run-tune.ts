import { counted, meanOf, messageOf } from "@tritype/core";
import { type Comparison, comparePairs, isLikely, judge, uncertainty } from "./compare-pairs.ts";
import { choiceAt, type Knob, type Point, pointKey } from "./knob.ts";
import type { Slice, TuneLoad } from "./measurement.ts";
import { type Experiment, type Outcome, search } from "./search.ts";
import { leastAnswers, limitedPercentile, percentileOf, scoreOf, type Target } from "./target.ts";
import { isImprovement, type Summary, type Trial, type TuneState } from "./tune-state.ts";

/** A server with the settings of one point. */
export interface Stand {
  /** Sends load for one slice, which takes longer if it has too few answers. Rejects if the server ended. */
  measure(load: TuneLoad, leastAnswers: number): Promise<Slice>;
  close(): Promise<void>;
}

/** The environment in which candidates are measured. */
export interface Lab {
  /** Rejects with a `CandidateRefused` if the settings do not work; with any other error if no settings work. */
  open(point: Point): Promise<Stand>;
}

/** These settings cannot be measured: they do not compile or load, or give different answers. */
export class CandidateRefused extends Error {}

/** The settings that candidates are compared with do not work, or no longer work. */
export class BaselineFailed extends Error {}

export interface TuneOptions {
  readonly knobs: readonly Knob[];
  readonly target: Target;
  /** The load; the knob of kind "clients", if there is one, gives the number of clients instead. */
  readonly load: TuneLoad;
  /** A second load, measured once for each candidate, for the other axis of the Pareto front. */
  readonly sideLoad: TuneLoad;
  readonly lab: Lab;
  /** The measurements of earlier runs. */
  readonly state: TuneState;
  /** Maximum number of candidates to measure. */
  readonly mostRuns: number;
  /** Minimum and maximum number of pairs of slices for one candidate. */
  readonly pairs: readonly [number, number];
  readonly signal: { readonly aborted: boolean };
  /** Called before each experiment whose outcome is not known yet. */
  readonly onExperiment: (experiment: Experiment, run: number) => void;
  /** Called after each experiment, with the state to keep. */
  readonly onTrial: (trial: Trial, state: TuneState) => void;
}

/** The result of a finished search. */
export interface TuneResult {
  readonly best: Point;
  /** The baseline: the current configuration with its best number of clients. */
  readonly base: Point;
  /** `best` against `base`, measured again; undefined if they are the same. */
  readonly confirmed: Comparison | undefined;
  readonly state: TuneState;
}

/**
 * Runs the experiments of `search`. Each candidate alternates with the best settings so far, slice by slice, until the
 * pairs are conclusive. A probable gain is enough to continue from a candidate. Only the winner's gain is reported: it is
 * compared with the baseline once more, because the best of many noisy measurements looks better than it is.
 * @returns undefined if the signal ended it; `onTrial` received the state.
 */
export const runTune = async (options: TuneOptions): Promise<TuneResult | undefined> => {
  const { knobs, mostRuns, signal, onExperiment } = options;
  const stands = openStands(options);
  let state = options.state;
  const keep = (trial: Trial): void => {
    state = { ...state, trials: [...state.trials, trial] };
    options.onTrial(trial, state);
  };
  try {
    const steps = search(knobs, mostRuns);
    let next = steps.next();
    let base: Point = {};
    for (let run = 0; next.done !== true; run++) {
      const experiment = next.value;
      let trial = state.trials.find((one) => isOf(one, experiment, knobs));
      if (trial === undefined) {
        if (signal.aborted) return undefined;
        onExperiment(experiment, run);
        trial = await measureTrial(experiment, stands, options, state.trials[0]?.comparison);
        if (trial === undefined) return undefined;
        keep(trial);
      }
      if (isImprovement(trial) && onlyClients(experiment, knobs)) base = experiment.point;
      next = steps.next(outcomeOf(trial));
    }
    const best = next.value;
    if (pointKey(knobs, best) === pointKey(knobs, base)) return { best, base, confirmed: undefined, state };
    const known = state.confirmed;
    const isKnown = known !== undefined && known.of === pointKey(knobs, best);
    const pairs = state.trials[0]?.comparison?.pairs ?? options.pairs[1];
    const confirmed = isKnown ? known.comparison : await confirm(best, base, stands, { ...options, pairs });
    if (confirmed === undefined) return undefined;
    if (confirmed === "failed") return { best, base, confirmed: undefined, state };
    state = { ...state, confirmed: { of: pointKey(knobs, best), comparison: confirmed } };
    return { best, base, confirmed, state };
  } finally {
    await stands.close();
  }
};

const isOf = (trial: Trial, { point, against }: Experiment, knobs: readonly Knob[]): boolean =>
  trial.point === pointKey(knobs, point) && trial.against === pointKey(knobs, against);

const outcomeOf = (trial: Trial): Outcome => ({
  better: isImprovement(trial),
  ratio: trial.comparison?.ratio,
  steps: trial.steps,
});

/** Whether only the number of clients has changed since the beginning. */
const onlyClients = ({ point }: Experiment, knobs: readonly Knob[]): boolean =>
  knobs.every((knob) => knob.kind === "clients" || choiceAt(knob, point) === knob.start);

/**
 * The two open servers. Each pair of settings gets two new servers: one that has served for minutes is faster
 * than one that has just started, because V8 has compiled more of its code. Experiments that differ only in the number
 * of clients use one server.
 */
const openStands = ({ knobs, lab }: Pick<TuneOptions, "knobs" | "lab">) => {
  const served = knobs.filter(({ kind }) => kind !== "clients");
  let open: readonly Stand[] = [];
  let known = "";
  const close = async (): Promise<void> => {
    const old = open;
    [open, known] = [[], ""];
    await Promise.all(old.map((stand) => stand.close()));
  };
  return {
    pair: async (point: Point, against: Point): Promise<readonly [candidate: Stand, other: Stand]> => {
      const isStart = pointKey(knobs, point) === pointKey(knobs, against);
      const [key, otherKey] = [pointKey(served, point), pointKey(served, against)];
      if (known !== `${key} ${otherKey}`) {
        await close();
        open = [await ofBaseline(() => lab.open(against))];
        if (isStart || key !== otherKey) open = [...open, await lab.open(point)];
        known = `${key} ${otherKey}`;
      }
      const [other, candidate = other] = open as readonly [Stand, Stand?];
      return [candidate, other];
    },
    /** Whether a new server with these settings answers. */
    answers: async (point: Point, load: TuneLoad): Promise<boolean> => {
      await close();
      try {
        open = [await lab.open(point)];
        for (const stand of open) await measured(stand, load, 1);
        return true;
      } catch (error) {
        if (error instanceof CandidateRefused) return false;
        throw error;
      }
    },
    close,
  };
};
type Stands = ReturnType<typeof openStands>;

const loadAt = ({ knobs, load }: Pick<TuneOptions, "knobs" | "load">, point: Point): TuneLoad => {
  const knob = knobs.find(({ kind }) => kind === "clients");
  if (knob === undefined) return load;
  return { kind: "closed", clients: knob.choices[choiceAt(knob, point)]?.value as number };
};

const measureTrial = async (
  experiment: Experiment,
  stands: Stands,
  options: TuneOptions,
  start: Comparison | undefined,
): Promise<Trial | undefined> => {
  const { knobs, target, sideLoad, signal } = options;
  const { point, against, why } = experiment;
  const named = { point: pointKey(knobs, point), against: pointKey(knobs, against), why };
  const isStart = named.point === named.against;
  try {
    const [candidate, other] = await stands.pair(point, against);
    const pairs = await measurePairs(
      candidate,
      other,
      experiment,
      options,
      (found) => (isStart ? uncertainty(found) <= precise : judge(found) !== "undecided"),
      start,
    );
    if (pairs === undefined || signal.aborted) return undefined;
    const side = await candidate.measure(sideLoad, leastAnswers({ kind: "latency" }));
    if (signal.aborted) return undefined;
    return {
      ...named,
      settings: point,
      verdict: isStart ? "start" : verdictOf(pairs.comparison),
      comparison: pairs.comparison,
      main: summaryOf(pairs.slices, target),
      other: summaryOf(pairs.others, target),
      side: summaryOf([side], { kind: "latency" }),
      steps: pairs.slices.at(-1)?.steps ?? [],
    };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (isStart)
      throw error instanceof CandidateRefused
        ? new BaselineFailed(error.message, { cause: error.cause })
        : error;
    if (!(await isOfCandidate(error, against, stands, options))) throw error;
    if (signal.aborted) return undefined;
    return { ...named, settings: point, verdict: "failed", problem: messageOf(error), steps: [] };
  }
};

const verdictOf = (comparison: Comparison): Trial["verdict"] => {
  if (judge(comparison) === "better") return "better";
  return isLikely(comparison) ? "likely" : comparison.high < 1 ? "worse" : "same";
};

interface Pairs {
  readonly comparison: Comparison;
  readonly ratios: readonly number[];
  readonly slices: readonly Slice[];
  readonly others: readonly Slice[];
}

/** Measures slices of both sides in turn; the order changes with every pair. Undefined if the signal ended the run. */
const measurePairs = async (
  candidate: Stand,
  other: Stand,
  { point, against }: Pick<Experiment, "point" | "against">,
  options: TuneOptions,
  decided: (comparison: Comparison) => boolean,
  start?: Comparison,
): Promise<Pairs | undefined> => {
  const { target, signal } = options;
  const [least, most] = options.pairs;
  const answers = leastAnswers(target);
  const [slices, others]: [Slice[], Slice[]] = [[], []];
  const ratios: number[] = [];
  for (;;) {
    const mine = async (): Promise<void> =>
      void slices.push(await measured(candidate, loadAt(options, point), answers));
    const theirs = async (): Promise<void> =>
      void others.push(await ofBaseline(() => measured(other, loadAt(options, against), answers)));
    for (const measure of ratios.length % 2 === 0 ? [theirs, mine] : [mine, theirs]) {
      if (signal.aborted) return undefined;
      await measure();
    }
    const [a, b] = [slices.at(-1), others.at(-1)];
    if (signal.aborted || a === undefined || b === undefined) return undefined;
    ratios.push(scoreOf(target, a) / scoreOf(target, b));
    const comparison = comparePairs(ratios, start);
    if (ratios.length >= most || (ratios.length >= least && decided(comparison)))
      return { comparison, ratios, slices, others };
  }
};

/** Work for the other side, whose failure must not be attributed to the candidate. */
const ofBaseline = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CandidateRefused
      ? new BaselineFailed(error.message, { cause: error.cause })
      : error;
  }
};

const measured = async (stand: Stand, load: TuneLoad, answers: number): Promise<Slice> => {
  const slice = await stand.measure(load, answers);
  if (slice.failed !== undefined)
    throw new CandidateRefused(`${counted(slice.failed.count, "request")} failed: ${slice.failed.message}`);
  if (slice.latencies.length === 0) throw new CandidateRefused("no request was answered within a slice");
  return slice;
};

/**
 * Compares the winner with the baseline once more: `failed` if it no longer answers, undefined if the signal ended the run.
 * The number of pairs is known before: to stop at the first favourable interval would report gains that are not there. Both
 * servers are restarted in the middle, because two servers with the same settings differ by a few percent.
 */
const confirm = async (
  best: Point,
  base: Point,
  stands: Stands,
  options: Omit<TuneOptions, "pairs"> & { readonly pairs: number },
): Promise<Comparison | "failed" | undefined> => {
  const points = { point: best, against: base };
  try {
    const ratios: number[] = [];
    for (const pairs of [Math.ceil(options.pairs / 2), Math.floor(options.pairs / 2)]) {
      await stands.close();
      const [candidate, other] = await stands.pair(best, base);
      const half = { ...options, pairs: [pairs, pairs] as const };
      const found = await measurePairs(candidate, other, points, half, () => true);
      if (found === undefined) return undefined;
      ratios.push(...found.ratios);
    }
    return comparePairs(ratios);
  } catch (error) {
    if (options.signal.aborted) return undefined;
    if (!(await isOfCandidate(error, base, stands, options))) throw error;
    return options.signal.aborted ? undefined : "failed";
  }
};

/**
 * Whether an error belongs to the candidate, because the settings that it was compared with still work: a candidate that ends its
 * process also ends the other server in it.
 */
const isOfCandidate = async (
  error: unknown,
  against: Point,
  stands: Stands,
  options: Pick<TuneOptions, "knobs" | "load">,
): Promise<boolean> =>
  error instanceof CandidateRefused ||
  (error instanceof BaselineFailed && (await stands.answers(against, loadAt(options, against))));

const summaryOf = (slices: readonly Slice[], target: Target): Summary => {
  const latencies = slices.flatMap((slice) => slice.latencies);
  const share = limitedPercentile(target);
  return {
    perSecond: meanOf(slices.map(({ perSecond }) => perSecond)),
    p50: percentileOf(latencies, 0.5),
    p99: percentileOf(latencies, 0.99),
    ...(share === undefined ? {} : { limited: percentileOf(latencies, share) }),
  };
};

/** The last measurement of the best settings. */
export const bestTrial = ({ best, state }: TuneResult, knobs: readonly Knob[]): Trial | undefined =>
  state.trials.findLast(({ point, main }) => main !== undefined && point === pointKey(knobs, best));

/** The uncertainty of the start at which more pairs of it would say nothing new. */
const precise = 0.02;

/** Whether and how the best settings meet the limit of a target. */
export interface MetLimit {
  readonly isMet: boolean;
  /** The limited percentile with the best settings, and its limit. */
  readonly ms: number;
  readonly limitMs: number;
  /** "16 clients" */
  readonly clients: string;
  /** Whether any candidate met the limit. */
  readonly wasMet: boolean;
}

/** Undefined for a target without a limit. */
export const metLimit = (
  result: TuneResult,
  knobs: readonly Knob[],
  target: Target,
): MetLimit | undefined => {
  const ms = bestTrial(result, knobs)?.main?.limited;
  if (target.kind !== "within" || ms === undefined) return undefined;
  const { limitMs } = target;
  const knob = knobs.find(({ kind }) => kind === "clients");
  const clients = knob?.choices[choiceAt(knob, result.best)]?.label ?? "";
  const wasMet = result.state.trials.some(({ main }) => (main?.limited ?? Infinity) <= limitMs);
  return { isMet: ms <= limitMs, ms, limitMs, clients, wasMet };
};

/** The gain of the winner; undefined if there is none, or if noise or a difference between two servers may explain it. */
export const sureGain = ({ confirmed }: Pick<TuneResult, "confirmed">): Comparison | undefined =>
  confirmed !== undefined && judge(confirmed) === "better" ? confirmed : undefined;

/** How much two measurements of the same settings differ on this machine: 0.05 means 5 %. */
export const noiseOf = ({ trials }: TuneState): number | undefined => {
  const [start] = trials;
  return start?.comparison === undefined ? undefined : uncertainty(start.comparison);
};

/** Beyond this, only large differences can be seen. */
export const muchNoise = 0.15;
