export { type Clock, machineClock } from "./clock.ts";
export { grpcTarget } from "./grpc-target.ts";
export { httpTarget } from "./http-target.ts";
export { type Latency, percentile, summarizeLatency } from "./latency.ts";
export type { Load } from "./load.ts";
export { type ModelActivity, modelActivity } from "./model-activity.ts";
export type { FailureCount, Progress, Recording } from "./recorder.ts";
export { runLoad } from "./run-load.ts";
export type { Connection, Failure, Target } from "./target.ts";
