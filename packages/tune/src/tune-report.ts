import { type Block, type Cell, modelTimeParts, type Report, type Section, timeBars } from "@tritype/report";
import { changesOf, choiceAt, type Knob, otherSettings, pointKey } from "./knob.ts";
import { type StepTime, timeOf } from "./measurement.ts";
import { paretoFront, type RelativeTrial, relativeTrials } from "./pareto.ts";
import { metLimit, muchNoise, noiseOf, sureGain, type TuneResult } from "./run-tune.ts";
import { showTarget, type Target } from "./target.ts";
import { isImprovement, type Trial } from "./tune-state.ts";

/** Facts about the run for the page. */
export interface ReportFacts {
  readonly ensemble: string;
  readonly target: Target;
  /** "16 clients", "50 requests/s" */
  readonly load: string;
  readonly sideLoad: string;
  /** The machine on which it ran. */
  readonly where: string;
  readonly version: string;
}

/** The page of a finished search. */
export const tuneReport = (result: TuneResult, knobs: readonly Knob[], facts: ReportFacts): Report => {
  const changes = changesOf(knobs, result.best, result.base);
  const gain = sureGain(result);
  const limit = metLimit(result, knobs, facts.target);
  const missed =
    limit?.isMet === false
      ? ` ${limit.wasMet ? "The best settings were not within the limit when they were last measured; other measurements were." : "No settings that were tried are within the limit."}`
      : "";
  return {
    title: `Settings of ${facts.ensemble} for ${showTarget(facts.target)}`,
    subtitle: facts.where,
    verdict: gain
      ? {
          tone: missed === "" ? "good" : "warn",
          text: `${gain.ratio.toFixed(2)} times as good as the current settings (95 % interval ${gain.low.toFixed(2)} to ${gain.high.toFixed(2)}), with ${changes.join("; ")}.${missed}`,
        }
      : {
          tone: "warn",
          text: `Nothing is better than the current settings by more than the machine's noise.${missed}`,
        },
    sections: [
      overview(result, knobs, facts),
      frontSection(result, knobs, facts),
      triedSection(result),
      whySection(result, knobs),
      stepSection(result),
    ],
    footer: `pipeline tune, tritype ${facts.version}`,
  };
};

const overview = (
  result: TuneResult,
  knobs: readonly Knob[],
  { target, load, sideLoad }: ReportFacts,
): Section => {
  const { state, best, base, confirmed } = result;
  const limit = metLimit(result, knobs, target);
  const noise = noiseOf(state);
  const changed = knobs.flatMap((knob): readonly (readonly Cell[])[] => {
    const [from, to] = [choiceAt(knob, base), choiceAt(knob, best)];
    const [before = "", after = ""] = [from, to].map((index) => knob.choices[index]?.label);
    return from === to ? [] : [[knob.id, before, { text: after, tone: "good" }]];
  });
  return {
    title: "Result",
    blocks: [
      {
        kind: "facts",
        facts: [
          {
            label: "gain",
            value: confirmed === undefined ? "none" : `${confirmed.ratio.toFixed(2)}×`,
            ...(confirmed === undefined
              ? {}
              : {
                  note: `${confirmed.low.toFixed(2)} to ${confirmed.high.toFixed(2)}, ${confirmed.pairs} pairs`,
                }),
          },
          ...(limit === undefined
            ? []
            : [
                {
                  label: showTarget(target),
                  value: showMs(limit.ms),
                  note: `with ${limit.clients}`,
                  tone: limit.isMet ? ("good" as const) : ("warn" as const),
                },
              ]),
          { label: "candidates", value: String(state.trials.length) },
          {
            label: "noise",
            value: noise === undefined ? "–" : `${Math.round(noise * 100)} %`,
            note: "between two measurements of the same settings",
            ...(noise !== undefined && noise > muchNoise ? { tone: "warn" as const } : {}),
          },
        ],
      },
      ...(changed.length === 0
        ? []
        : [{ kind: "table" as const, columns: ["setting", "before", "after"], rows: changed }]),
      `Target: ${showTarget(target)}. Load: ${load}; second load: ${sideLoad}. Each candidate was measured alternately with the best settings so far; ratios are geometric means over pairs of consecutive measurements, with their 95 % intervals.`,
    ],
  };
};

const frontSection = (
  result: TuneResult,
  knobs: readonly Knob[],
  { load, sideLoad }: ReportFacts,
): Section => {
  const { state } = result;
  const relative = relativeTrials(state.trials);
  const front = paretoFront(relative);
  const winner = otherSettings(pointKey(knobs, result.best), state.trials[0]?.point ?? "");
  const kindOf = (one: RelativeTrial): string =>
    one === relative[0]
      ? "current settings"
      : one.label === winner
        ? "winner"
        : front.includes(one)
          ? "on the front"
          : "behind it";
  const values = relative.map((one) => ({ ...one, candidate: kindOf(one) }));
  const noise = noiseOf(state);
  return {
    title: "Pareto front",
    blocks: [
      {
        kind: "plot",
        title: `Requests/s with ${load} against latency with ${sideLoad}`,
        description: front
          .map(
            ({ label, perSecond, latencyMs }) =>
              `${label}: ${perSecond.toFixed(0)} requests/s, ${showMs(latencyMs)}`,
          )
          .join("; "),
        spec: {
          data: { values },
          mark: { type: "point", filled: true, size: 80 },
          encoding: {
            x: {
              field: "latencyMs",
              type: "quantitative",
              title: "median latency, ms",
              scale: { zero: false },
            },
            y: { field: "perSecond", type: "quantitative", title: "requests/s", scale: { zero: false } },
            color: { field: "candidate", type: "nominal", title: null },
            shape: { field: "candidate", type: "nominal", title: null },
          },
        },
        caption: `Requests per second are relative to the settings that each candidate was measured against, so that a drift of the machine does not affect them.${noise === undefined ? "" : ` Two measurements of the same settings differ by up to ${Math.round(noise * 100)} %: smaller distances mean nothing.`}`,
      },
      {
        kind: "table",
        caption: "Candidates that no other candidate beats in both",
        columns: ["settings", { figures: "requests/s" }, { figures: "median latency" }],
        rows: front.map(({ label, perSecond, latencyMs }) => [
          label,
          perSecond.toFixed(0),
          showMs(latencyMs),
        ]),
      },
    ],
  };
};

/** Three significant digits. */
const showMs = (ms: number): string => `${Number(ms.toPrecision(3))} ms`;

const tones = {
  start: "quiet",
  better: "good",
  likely: "good",
  same: "quiet",
  worse: "bad",
  failed: "warn",
} as const;

const triedSection = ({ state }: TuneResult): Section => ({
  title: "What was tried",
  blocks: [
    {
      kind: "table",
      columns: [
        { figures: "#" },
        "settings",
        "because",
        "result",
        { figures: "ratio" },
        { figures: "requests/s" },
        { figures: "p50" },
        { figures: "p99" },
      ],
      rows: state.trials.map((trial, index): readonly Cell[] => [
        String(index + 1),
        differences(trial),
        trial.why,
        { text: trial.verdict, tone: tones[trial.verdict] },
        trial.comparison === undefined || trial.verdict === "start"
          ? "–"
          : `${trial.comparison.ratio.toFixed(2)} (${trial.comparison.low.toFixed(2)}–${trial.comparison.high.toFixed(2)})`,
        trial.main?.perSecond.toFixed(0) ?? "–",
        trial.main === undefined ? "–" : showMs(trial.main.p50),
        trial.main === undefined ? (trial.problem ?? "") : showMs(trial.main.p99),
      ]),
    },
  ],
});

/** The settings of a candidate that the best settings before it did not include. */
const differences = ({ point, against, verdict }: Trial): string =>
  verdict === "start" ? "as they are" : otherSettings(point, against);

const whySection = ({ state, best }: TuneResult, knobs: readonly Knob[]): Section => {
  const steps = state.trials.filter(isImprovement);
  return {
    title: "Why the winner wins",
    blocks: [
      steps.length === 0
        ? "Nothing that was tried is better than the current settings."
        : {
            kind: "table",
            columns: ["change", { figures: "gain" }, "because", "changes in time per model"],
            rows: steps.map((trial): readonly Cell[] => [
              differences(trial),
              `${trial.comparison?.ratio.toFixed(2) ?? "–"}×`,
              trial.why,
              moved(state.trials.find(({ point }) => point === trial.against)?.steps ?? [], trial.steps),
            ]),
          },
      `Final settings: ${changesOf(knobs, best).join("; ") || "as they are"}.`,
    ],
  };
};

/** The model whose time per request changed most: "encoder: queue 4.1 → 0.9 ms, batch 1.2 → 5.0". */
const moved = (before: readonly StepTime[], after: readonly StepTime[]): string => {
  const [most] = after
    .flatMap((now) => {
      const earlier = before.find(({ model }) => model === now.model);
      return earlier === undefined ? [] : [{ now, earlier, by: Math.abs(timeOf(now) - timeOf(earlier)) }];
    })
    .toSorted((a, b) => b.by - a.by);
  if (most === undefined) return "–";
  const { now, earlier } = most;
  const ms = (us: number): string => (us / 1000).toFixed(2);
  return `${now.model}: queue ${ms(earlier.queueUs)} → ${ms(now.queueUs)} ms, compute ${ms(earlier.computeInferUs)} → ${ms(now.computeInferUs)} ms, batch ${earlier.averageBatch?.toFixed(1) ?? "–"} → ${now.averageBatch?.toFixed(1) ?? "–"}`;
};

/** Time and batch sizes per model, before and after. */
const stepSection = ({ state }: TuneResult): Section => {
  const [start] = state.trials;
  const last = state.trials.findLast(isImprovement);
  const sides = [["before", start] as const, ...(last === undefined ? [] : [["after", last] as const])];
  const bars = sides.flatMap(([side, trial]) =>
    (trial?.steps ?? []).map((step) => ({ name: `${step.model}, ${side}`, parts: modelTimeParts(step) })),
  );
  const plot: Block =
    bars.length === 0 ? "The server has no statistics." : timeBars("Time per request in each model", bars);
  return {
    title: "Time and batch sizes by model",
    blocks: [
      plot,
      {
        kind: "table",
        columns: ["model", "settings", { figures: "average batch" }, "executions by rows"],
        rows: sides.flatMap(([side, trial]) =>
          (trial?.steps ?? []).map((step) => [
            step.model,
            side,
            step.averageBatch?.toFixed(2) ?? "–",
            step.batches.map(({ rows, executions }) => `${rows}: ${executions}`).join(", "),
          ]),
        ),
      },
    ],
  };
};
