import { foreignError, invariant, messageOf } from "@tritype/core";
import { nodeTwinSchema } from "@tritype/manifest";
import { type NodeCall, type NodeCallAnswer, type NodeChild, openNodeChild } from "@tritype/node-host";
import { activeInstances } from "@tritype/triton";
import type { Asker, Caller, LoadedModel, ModelRequest, ModelVersion } from "../backend.ts";
import { askModel } from "../python/ask-model.ts";
import { openInstances } from "./open-instances.ts";
import type { ModelHost } from "../python/model-host.ts";
import { splitParameters } from "../python/request-parameters.ts";
import type { Parameters } from "../runtime.ts";
import { abortSignalOf } from "../scheduling/cancellation.ts";
import { readOptions } from "./read-options.ts";

/**
 * The native twin of a function on Node: the emitted host and function, without the `model.py` in between. Each instance
 * is a Node process on this machine.
 * @throws PipelineError as `loadTwin` does.
 */
export const loadNodeTwin = async (
  given: unknown,
  model: ModelVersion,
  notice: (text: string) => void,
  host: ModelHost | undefined,
): Promise<LoadedModel> => {
  const options = readOptions(nodeTwinSchema, given, model);
  const instances = Array.from({ length: activeInstances(model.config).length }, (_, index): Instance => {
    const instance: Instance = { name: `${model.name}_${index}`, callers: new Set(), requests: [] };
    instance.callers.add(instance);
    return instance;
  });
  const listeners: (() => void)[] = [];
  const opening = instances.map((instance) =>
    openNodeChild({
      folder: model.versionFolder,
      options,
      notice: (line) => notice(`[${instance.name}] ${line}`),
      call: (call) =>
        answerCall(call, host, {
          callers: [...instance.callers],
          trace: instance.requests[call.request]?.trace?.child(),
        }),
      onChange: () => listeners.forEach((listener) => listener()),
    }),
  );
  const children = await openInstances(options.step, opening, "model/function-not-loaded");
  const idle = [...children.keys()];
  const isReady = (index: number): boolean => children[index]?.status().state === "idle";
  const isLost = (child: NodeChild): boolean => ["broken", "ending"].includes(child.status().state);
  return {
    instances: children.length,
    processes: () =>
      children.map((child, index) => ({
        instance: instances[index]?.name ?? "",
        runs: "Node",
        ...child.status(),
      })),
    readiness: {
      now: () => idle.some(isReady) || children.every(isLost),
      onChange: (listener) => void listeners.push(listener),
    },
    callers: instances,
    async execute(requests) {
      const [index = -1] = idle.splice(idle.findLastIndex(isReady), 1);
      const [child, instance] = [children[index], instances[index]];
      invariant(child !== undefined && instance !== undefined, `${model.name} has no free instance`);
      const above = requests.flatMap(({ callers }) => callers ?? []);
      for (const caller of above) instance.callers.add(caller);
      instance.requests = requests;
      try {
        const answers = await child.execute(
          requests.map(({ inputs, parameters, signal }) => ({
            inputs,
            signal: signal && abortSignalOf(signal),
            left: timeLeft(parameters),
          })),
        );
        return answers.map((answer, index) => {
          if ("outputs" in answer) {
            const wanted = requests[index]?.outputs ?? [];
            return { outputs: new Map([...answer.outputs].filter(([name]) => wanted.includes(name))) };
          }
          const error = foreignError(answer.code, `${options.step}: ${answer.text}`);
          return answer.code === "request/cancelled" ? { error } : { error, counts: "answer" as const };
        });
      } finally {
        for (const caller of above) instance.callers.delete(caller);
        instance.requests = [];
        idle.push(index);
      }
    },
    close: async () => {
      await Promise.all(children.map((child) => child.close()));
    },
  };
};

/** An instance; it is also the caller of the models that its flow calls. */
interface Instance {
  readonly name: string;
  /** The instance itself, and the callers of the requests that it executes. */
  readonly callers: Set<Caller>;
  /** The requests that it is executing. */
  requests: readonly ModelRequest[];
}

/** Parameter of a call, as in `node.py`: the deadline of the caller, which also applies in queues; ensembles pass it on. */
const until = "tritype_until";

/** Microseconds of the machine's monotonic clock. */
const now = (): bigint => process.hrtime.bigint() / 1000n;

/** The microseconds that a request may take; 0 for no limit. */
const timeLeft = (parameters: Parameters): number => {
  const timeout = Number(splitParameters({ parameters }).timeout);
  const end = Number(parameters[until] ?? Number.NaN);
  return timeout === 0 || Number.isNaN(end) ? timeout : Math.max(1, Math.min(timeout, end - Number(now())));
};

/** A call from a flow goes to the runtime that serves the flow; a failure is returned as its message. */
const answerCall = async (
  { callee: { model, version }, inputs, left, signal }: NodeCall,
  host: ModelHost | undefined,
  asker: Asker,
): Promise<NodeCallAnswer> => {
  if (host === undefined) return { text: "no runtime serves this flow, so it cannot call models" };
  const request = {
    model,
    ...(version === undefined ? {} : { version: String(version) }),
    id: "",
    inputs,
    parameters: left === 0 ? {} : { timeout: BigInt(left), [until]: now() + BigInt(left) },
  };
  const answer = await askModel(host, request, { ...asker, signal }).catch((error: unknown) => ({
    error: messageOf(error),
  }));
  return "error" in answer ? { text: answer.error } : { outputs: answer.outputs };
};
