import type { NamedTensors } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { MeasuredServer } from "./measured-server.ts";

export interface MeasureOptions {
  readonly server: MeasuredServer;
  readonly model: string;
  /** The configurations of the model and all its members. */
  readonly configs: ReadonlyMap<string, ModelConfig>;
  /** The requests to measure, one of each kind. */
  readonly requests: readonly NamedTensors[];
  readonly cores: number;
  /** How long to measure each number of rows. */
  readonly seconds: number;
  readonly onProgress: (text: string) => void;
}

/**
 * Everything is measured in turn, each time for a fifth of its seconds: a disturbance of a second or two then affects everything a little,
 * and not one batch size badly.
 */
export const rounds = 5;

const mostRuns = 2000 / rounds;

/** Whether another run belongs to a round that begins now. The first one always does. */
export const openRound = (seconds: number): (() => boolean) => {
  const end = performance.now() + (seconds * 1000) / rounds;
  let runs = 0;
  return () => ++runs < mostRuns && performance.now() < end;
};
