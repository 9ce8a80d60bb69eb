export { type Calibration, parseCalibration } from "./calibration.ts";
export { bottleneckOf, type Change, tryChanges } from "./changes.ts";
export { type EnsembleCall, ensembleCalls, mergedShape, stationOf } from "./ensemble-calls.ts";
export { type Demand, findPlan, type NoPlan, type Plan } from "./find-plan.ts";
export { pauseOf, quantileAt, quantilesOf, timeOf, type TimesAt } from "./service-times.ts";
export type { Simulated, SimulatedLoad, SimulatedStation } from "./measurement.ts";
export { idleTime, simulate } from "./simulate.ts";
export type { Pace, SimulatedStep, Station, System } from "./system.ts";
