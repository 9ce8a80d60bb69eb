import { foreignError } from "@tritype/core";
import type { LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import { cancelled } from "../scheduling/cancellation.ts";
import { type InstanceOptions, PythonInstance } from "./python-instance.ts";

interface Waiting {
  /** The only instance that may run the execution. */
  readonly on?: PythonInstance | undefined;
  readonly requests: readonly ModelRequest[];
  readonly resolve: (results: readonly ModelResult[]) => void;
}

/**
 * A model with several instances: executions wait in order for an idle one.
 * @throws PipelineError from the first instance that does not start; the others are stopped.
 */
export const startPythonModel = async (
  name: string,
  streams: boolean,
  plans: readonly Omit<InstanceOptions, "onChange">[],
): Promise<LoadedModel> => {
  const waiting: Waiting[] = [];
  let instances: readonly PythonInstance[] = [];
  /** The same instances, the one that has been idle longest first. Triton uses them in turn, too. */
  let turns: readonly PythonInstance[] = [];
  let closed = false;
  const listeners: (() => void)[] = [];

  /** The next execution that someone is waiting for; abandoned ones before it are dropped. */
  const nextWanted = (instance: PythonInstance): Waiting | undefined => {
    const take = (): Waiting | undefined => {
      const index = waiting.findIndex(({ on }) => on === undefined || on === instance);
      return index < 0 ? undefined : waiting.splice(index, 1)[0];
    };
    for (let next = take(); next !== undefined; next = take()) {
      if (next.requests.some(({ signal }) => signal?.aborted !== true)) return next;
      next.resolve(next.requests.map(({ id }) => ({ error: cancelled(id) })));
    }
    return undefined;
  };
  const dispatch = (): void => {
    for (const instance of turns) {
      if (instance.state !== "idle") continue;
      const next = nextWanted(instance);
      if (next === undefined) continue;
      turns = [...turns.filter((one) => one !== instance), instance];
      void instance.execute(next.requests).then(next.resolve);
    }
    if (instances.every(({ state }) => state === "broken"))
      refuse(`No instance of model '${name}' could be restarted`);
    else if (waiting.some(({ on }) => on?.state === "broken"))
      refuse(`An instance of model '${name}' could not be restarted`, ({ on }) => on?.state === "broken");
  };
  const refuse = (why: string, whom: (one: Waiting) => boolean = () => true): void => {
    const error = foreignError("model/unavailable", why);
    for (const one of waiting.splice(0))
      if (whom(one)) one.resolve(one.requests.map(() => ({ error })));
      else waiting.push(one);
  };
  const execute = (requests: readonly ModelRequest[], on?: PythonInstance): Promise<readonly ModelResult[]> =>
    new Promise((resolve) => {
      waiting.push({ on, requests, resolve });
      if (closed) refuse(`Model '${name}' is being unloaded`);
      else dispatch();
    });

  const onChange = (): void => {
    dispatch();
    for (const listener of listeners) listener();
  };
  const isReady = (instance?: number): boolean => {
    const all = instance === undefined ? instances : instances.slice(instance, instance + 1);
    return (
      closed || all.some(({ state }) => state === "idle") || all.every(({ state }) => state === "broken")
    );
  };

  instances = await startAll(plans.map((plan) => ({ ...plan, onChange })));
  turns = instances;
  return {
    instances: instances.length,
    streams,
    readiness: { now: isReady, onChange: (listener) => void listeners.push(listener) },
    processes: () => instances.map(({ process }) => process),
    callers: instances,
    execute: (requests) => execute(requests),
    executeOn: (instance, requests) => execute(requests, instances[instance]),
    close: async () => {
      closed = true;
      refuse(`Model '${name}' is being unloaded`);
      await Promise.all(instances.map((instance) => instance.close()));
    },
  };
};

const startAll = async (plans: readonly InstanceOptions[]): Promise<readonly PythonInstance[]> => {
  const starts = await Promise.allSettled(plans.map((plan) => PythonInstance.start(plan)));
  const started = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const failed = starts.find((start) => start.status === "rejected");
  if (failed === undefined) return started;
  await Promise.all(started.map((instance) => instance.close()));
  throw failed.reason;
};
