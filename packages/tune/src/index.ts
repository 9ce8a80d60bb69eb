export type { Comparison } from "./compare-pairs.ts";
export { changesOf, choiceAt, type Knob, type Point } from "./knob.ts";
export type { Slice, TuneLoad } from "./measurement.ts";
export {
  type Device,
  type KnobOptions,
  knobsOf,
  type Repeats,
  type TunedEnsemble,
  type TunedStep,
} from "./model-knobs.ts";
export {
  BaselineFailed,
  bestTrial,
  CandidateRefused,
  type Lab,
  metLimit,
  type MetLimit,
  muchNoise,
  noiseOf,
  runTune,
  type Stand,
  sureGain,
  type TuneResult,
} from "./run-tune.ts";
export type { Experiment } from "./search.ts";
export { parseTarget, showTarget, type Target } from "./target.ts";
export { emptyState, parseState, type Trial, type TuneState } from "./tune-state.ts";
export { tuneReport } from "./tune-report.ts";
export { tunedOptions, type TunedOptions } from "./tuned-options.ts";
