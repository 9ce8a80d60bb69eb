import { type TensorData, tensorOf, valuesOf } from "@tritype/core";
import type { ModelConfig, ModelSequenceBatching } from "@tritype/triton";
import type { LoadedModel, ModelRequest, ModelResult } from "../../backend.ts";
import type { Parameters } from "../../runtime.ts";
import { type SimulatedClock, simulatedClock } from "../simulated-clock.fixture.ts";
import type { Scheduler } from "../scheduler.ts";
import { createSequenceScheduler } from "./sequence-scheduler.ts";

export const controls: NonNullable<ModelSequenceBatching["control_input"]> = [
  { name: "START", control: [{ kind: "CONTROL_SEQUENCE_START", int32_false_true: [0, 1] }] },
  { name: "READY", control: [{ kind: "CONTROL_SEQUENCE_READY", fp32_false_true: [0, 1] }] },
  { name: "END", control: [{ kind: "CONTROL_SEQUENCE_END", bool_false_true: [false, true] }] },
  { name: "ID", control: [{ kind: "CONTROL_SEQUENCE_CORRID", data_type: "TYPE_UINT64" }] },
];

export interface Scene {
  readonly batching?: ModelSequenceBatching;
  readonly maxBatchSize?: number;
  readonly instances?: number;
  /** Duration of an execution in microseconds. */
  readonly takes?: number;
  readonly initialStates?: ReadonlyMap<string, TensorData>;
  readonly run?: (request: ModelRequest) => ModelResult;
}

interface Playing {
  readonly clock: SimulatedClock;
  readonly batches: readonly string[];
  readonly events: readonly string[];
  readonly answers: string[];
  readonly scheduler: Scheduler;
  readonly send: (
    text: string,
    more?: Partial<ModelRequest> & { readonly rest?: Parameters },
  ) => Promise<ModelResult>;
  readonly sendAll: (...texts: readonly string[]) => void;
}

/** A scheduler whose model reports what it received: `0: 7S - 8E` is a batch on instance 0 with an empty row. */
export const scene = ({
  batching = {},
  maxBatchSize = 4,
  instances = 1,
  takes = 0,
  initialStates,
  run,
}: Scene): Playing => {
  const clock = simulatedClock();
  const batches: string[] = [];
  const events: string[] = [];
  const executeOn = async (instance: number, requests: readonly ModelRequest[]) => {
    batches.push(`${instance}: ${requests.map(rowText).join(" ")}`);
    if (takes > 0) await new Promise<void>((resolve) => void clock.at(clock.now() + takes, resolve));
    return requests.map((request): ModelResult => run?.(request) ?? { outputs: new Map() });
  };
  const model: LoadedModel = {
    instances,
    execute: (requests) => executeOn(0, requests),
    executeOn,
    givesStates: true,
    close: () => Promise.resolve(),
  };
  const config: ModelConfig = {
    name: "m",
    max_batch_size: maxBatchSize,
    input: [{ name: "X", data_type: "TYPE_INT32", dims: [-1] }],
    sequence_batching: { control_input: controls, ...batching },
  };
  const scheduler = createSequenceScheduler({
    model,
    config,
    clock,
    initialStates,
    observer: {
      executed: (requests, _, empty) => events.push(`ran ${requests.length}, empty ${empty}`),
      rejected: () => events.push("rejected"),
      cancelled: () => events.push("cancelled"),
      rescheduled: (took) => events.push(`again after ${took}`),
      iterated: () => events.push("iterated"),
    },
  });
  const answers: string[] = [];
  /** `7S`: the start of sequence 7; `SE` marks both ends. */
  const send = (text: string, more: Partial<ModelRequest> & { readonly rest?: Parameters } = {}) => {
    const [, id = "", flags = ""] = /^(\d*)([SE]*)$/.exec(text) ?? [];
    const parameters = {
      sequence_id: BigInt(id),
      sequence_start: flags.includes("S"),
      sequence_end: flags.includes("E"),
      ...more.rest,
    };
    const inputs = new Map([["X", tensorOf("INT32", maxBatchSize > 0 ? [1, 1] : [1], [5])]]);
    return scheduler.infer({ id: "", inputs, outputs: [], parameters, ...more }).then((result) => {
      answers.push(`${text} ${"error" in result ? result.error.message : "ok"}`);
      return result;
    });
  };
  const sendAll = (...texts: readonly string[]): void => {
    for (const text of texts) void send(text);
  };
  return { clock, batches, events, answers, scheduler, send, sendAll };
};

/** `7S`: the start of sequence 7; `-`: an empty row. */
export const rowText = ({ inputs }: ModelRequest): string => {
  const value = (name: string) => valuesOf(inputs.get(name) as TensorData)[0];
  if (value("READY") === 0)
    return value("START") === 0 && value("ID") === 0n && value("X") === 0 ? "-" : "wrong";
  return `${value("ID")}${value("START") === 1 ? "S" : ""}${value("END") === true ? "E" : ""}`;
};
