import {
  bestTrial,
  changesOf,
  type Comparison,
  type Experiment,
  type Knob,
  metLimit,
  type MetLimit,
  muchNoise,
  noiseOf,
  showTarget,
  sureGain,
  type Trial,
  type TuneResult,
} from "@tritype/tune";
import { showMs, showRate, showUs } from "../bench/figures.ts";
import { alignedTable } from "../bench/print-result.ts";
import type { Terminal } from "../terminal.ts";
import type { TunePlan } from "./tune-plan.ts";

type Colors = Terminal["colors"];

/** The line that is printed before a candidate is measured. */
export const experimentLine = (
  { point, against, why }: Experiment,
  number: number,
  knobs: readonly Knob[],
  colors: Colors,
): string => {
  const changes = changesOf(knobs, point, against);
  return `${colors.dim(`${number + 1}.`)} ${changes.length === 0 ? why : `${changes.join("; ")} ${colors.dim(`(${why})`)}`}`;
};

/** After it. */
export const trialLine = (trial: Trial, colors: Colors): string => {
  const { verdict, comparison, main, problem = "" } = trial;
  if (verdict === "failed") return `   ${colors.yellow("skipped")} ${problem.split("\n")[0]}`;
  const figures =
    main === undefined
      ? ""
      : `${showRate(main.perSecond)} requests/s, p50 ${showMs(main.p50)}, p99 ${showMs(main.p99)}`;
  const word =
    verdict === "better" ? colors.green("better") : verdict === "likely" ? "likely better" : verdict;
  return verdict === "start" || comparison === undefined
    ? `   ${figures}`
    : `   ${word}: ${showComparison(comparison)}; ${figures}`;
};

/** "1.25× (1.18 to 1.33)" */
const showComparison = ({ ratio, low, high }: Comparison): string =>
  `${ratio.toFixed(2)}× (${low.toFixed(2)} to ${high.toFixed(2)})`;

/** The result as printed for people. */
export const printTune = (
  result: TuneResult,
  knobs: readonly Knob[],
  { target }: TunePlan,
  colors: Colors,
): string => {
  const { best, base, confirmed, state } = result;
  const limit = metLimit(result, knobs, target);
  const noise = noiseOf(state) ?? 0;
  const changes = changesOf(knobs, best, base);
  const gain = sureGain(result);
  const trial = bestTrial(result, knobs);
  const verdict = gain
    ? [
        `${colors.green("found")} ${showComparison(gain)} for ${showTarget(target)}, measured against the current settings in ${gain.pairs} pairs:`,
        ...changes.map((change) => `  ${change}`),
      ]
    : [
        changes.length === 0
          ? `keep the current settings: no other settings were better for ${showTarget(target)}`
          : `no improvement is certain: the best candidate is ${confirmed === undefined ? "not confirmed" : showComparison(confirmed)}, which may be noise; the settings stay as they are`,
      ];
  return [
    ...verdict,
    ...(limit === undefined ? [] : [limitLine(limit, showTarget(target), colors)]),
    ...(noise > muchNoise
      ? [
          `${colors.yellow("noise")} two measurements of the same settings differ by up to ${Math.round(noise * 100)} % on this machine; smaller differences cannot be detected. Stop other work, or use a larger --seconds`,
        ]
      : []),
    `${state.trials.length} candidates measured`,
    ...(trial === undefined || trial.steps.length === 0 ? [] : ["", stepTable(trial, colors)]),
  ].join("\n");
};

const limitLine = ({ isMet, wasMet, ms, clients }: MetLimit, limit: string, colors: Colors): string => {
  const reached = `${showMs(ms)} with ${clients}`;
  if (isMet) return `${limit} is met: ${reached}`;
  return `${colors.yellow("missed")} ${
    wasMet
      ? `the best settings did not meet ${limit} when they were last measured: ${reached}; other measurements met it`
      : `no settings that were tried meet ${limit}: the best reach ${reached}`
  }`;
};

/** Where a request's time is spent with the best settings. */
const stepTable = ({ steps }: Trial, colors: Colors): string =>
  alignedTable(
    [
      ["model", "average batch", "queue", "input", "compute", "output"],
      ...steps.map(({ model, averageBatch, queueUs, computeInputUs, computeInferUs, computeOutputUs }) => [
        model,
        averageBatch?.toFixed(2) ?? "–",
        showUs(queueUs),
        showUs(computeInputUs),
        showUs(computeInferUs),
        showUs(computeOutputUs),
      ]),
    ],
    colors,
  );
