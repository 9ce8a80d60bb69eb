import type { ModelConfig } from "@tritype/triton";
import type { LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import type { Clock } from "./clock.ts";

/** Decides when, where and with whom the requests of one model version run. */
export interface Scheduler {
  /** Never rejects: a failure is the result's `error`. */
  infer(request: ModelRequest): Promise<ModelResult>;
  /** How many requests wait for an execution. */
  waiting(): number;
  /** Resolves when every request that was taken has its result. Requests that come later are refused. */
  close(): Promise<void>;
}

/** A request that ran. Times in microseconds. */
export interface Executed {
  readonly batchSize: number;
  /** From its arrival to the start of the execution. */
  readonly queued: number;
  readonly result: ModelResult;
}

/** Observes a scheduler. */
export interface SchedulerObserver {
  /** One execution of the model is over; `took` microseconds after it began. */
  executed?(requests: readonly Executed[], took: number): void;
  /** A request was refused before it ran: the queue was full, or its time over. */
  rejected?(batchSize: number): void;
  /** A request was cancelled before it ran. */
  cancelled?(): void;
}

export interface SchedulerOptions {
  readonly model: LoadedModel;
  /** Completed as Triton completes it. */
  readonly config: ModelConfig;
  readonly clock: Clock;
  readonly observer: SchedulerObserver;
}
