import { isDecoupled } from "@tritype/triton";
import { type ComputeTimes, type ModelRequest, type ModelResult, secondAnswer } from "../backend.ts";
import { runtimeError } from "../errors.ts";
import { createRoom } from "../streaming/room.ts";
import { failureAt } from "../failure-at.ts";
import { defer } from "../python/deferred.ts";
import type { StreamedMessage } from "../runtime.ts";
import { cancelled, onAbort } from "../scheduling/cancellation.ts";
import { type EnsemblePlan, type EnsembleStep, refuseDeadlock, stepsFor } from "./ensemble-plan.ts";
import {
  type EnsembleHost,
  ensembleInputs,
  ensembleOutputs,
  type EnsembleTensor,
  requestStep,
} from "./ensemble-step.ts";

/** The maximum number of responses of a decoupled step that the rest of the graph processes at the same time. */
const mostOnTheWay = 8;

/** The request, or one response of a decoupled step, while the steps that depend only on it are running. */
interface Branch {
  /** The decoupled step; `fromRequest` for the ensemble's inputs. */
  readonly origin: number;
  readonly tensors: Map<string, EnsembleTensor>;
  readonly started: Set<number>;
  readonly completed: Set<number>;
  /** The number of running steps, plus one while the reader has not received the branch's response. */
  open: number;
  /** Called when `open` returns to 0. */
  readonly release: () => void;
}
const fromRequest = -1;

/**
 * Runs requests to an ensemble with decoupled steps. Each response of such a step passes through the following steps
 * and becomes a response of the ensemble when it reaches the end. The first error ends the request. The last response
 * is marked as final if nothing else is running by then; otherwise a separate end marker follows. Source:
 * `EnsembleContext` of Triton core.
 */
export const streamEnsemble = (
  plan: EnsemblePlan,
  host: EnsembleHost,
): ((request: ModelRequest) => Promise<ModelResult>) => {
  const origins = createOrigins(plan, host);
  return (request) => streamRequest(plan, host, origins, request);
};

const streamRequest = (
  plan: EnsemblePlan,
  host: EnsembleHost,
  origins: Origins,
  request: ModelRequest,
): Promise<ModelResult> => {
  const result = defer<ModelResult>();
  const times = { input: 0, infer: 0, output: 0 };
  const needed = [...stepsFor(plan, request.outputs)];
  const outputOrigin = origins.ofTensor(plan.outputs[0]?.name ?? "");
  const readers = new Set<ReturnType<EnsembleHost["stream"]>>();
  let running = 0;
  let over = false;

  const finish = (made: ModelResult): void => {
    over = true;
    stopListening();
    for (const reader of readers) void reader.return();
    result.resolve(made);
  };
  const fail = (error: unknown, others = running - 1): void => {
    const failure = failureAt(`in ensemble '${plan.name}', `, error);
    if (!over) finish({ error: failure, countsTwice: others === 0 });
  };
  const spend = (spent: ComputeTimes): void => {
    times.input += spent.input;
    times.infer += spent.infer;
    times.output += spent.output;
  };
  const stopListening = onAbort(request.signal, () => fail(cancelled(request.id), running));

  const stepsOf = (origin: number): readonly number[] =>
    needed.filter((index) => origins.ofStep(index) === origin);
  const leave = (branch: Branch): void => {
    if (--branch.open === 0) branch.release();
  };

  /** Starts the steps that can run now. If the branch has reached the end, its response is sent; the last one is final. */
  const advance = (branch: Branch): void => {
    const steps = stepsOf(branch.origin);
    for (const index of steps) {
      const waits = origins
        .producersOf(index)
        .some((from) => from !== branch.origin && steps.includes(from) && !branch.completed.has(from));
      if (waits || branch.started.has(index)) continue;
      branch.started.add(index);
      branch.open++;
      running++;
      void (origins.decoupledAt(index) ? follow(index, branch) : run(index, branch)).catch((error: unknown) =>
        fail(error),
      );
    }
    const through = branch.origin === outputOrigin && steps.every((index) => branch.completed.has(index));
    if (over || (!through && running > 0)) return;
    const final = running === 0;
    if (through) {
      branch.open++;
      const made = { outputs: ensembleOutputs(plan, request, branch.tensors) };
      request.reply?.({ result: made, final, taken: () => leave(branch) });
    } else {
      request.reply?.({ final });
    }
    if (final) finish({ outputs: new Map(), times });
  };

  const run = async (index: number, branch: Branch): Promise<void> => {
    const asked = requestStep(plan.steps[index] as EnsembleStep, host, request, branch.tensors);
    const { response, times: spent, afterwards } = await host.infer(asked.request, asked.asker);
    const second = secondAnswer(afterwards);
    if (second !== undefined) throw second;
    if (spent !== undefined) spend(spent);
    asked.take(response.outputs, branch.tensors);
    branch.completed.add(index);
    running--;
    if (!over) advance(branch);
    leave(branch);
  };

  const follow = async (index: number, branch: Branch): Promise<void> => {
    const asked = requestStep(plan.steps[index] as EnsembleStep, host, request, branch.tensors);
    const reader = host.stream(asked.request, asked.asker);
    readers.add(reader);
    const room = createRoom(mostOnTheWay);
    let open = true;
    while (open) {
      await room.free();
      if (over) return;
      const { value } = (await reader.next()) as IteratorResult<StreamedMessage, undefined>;
      if (value?.error !== undefined) return fail(value.error, value.final ? running - 1 : running);
      open = value?.final === false;
      if (over) return;
      if (!open) running--;
      if (value?.response === undefined) {
        if (running === 0) advance(branch);
        continue;
      }
      room.take();
      const tensors = new Map(branch.tensors);
      asked.take(value.response.outputs, tensors);
      const next = {
        origin: index,
        tensors,
        started: new Set<number>(),
        completed: new Set<number>(),
        open: 1,
        release: room.leave,
      };
      advance(next);
      leave(next);
    }
    readers.delete(reader);
    leave(branch);
  };

  if (request.signal?.aborted === true) fail(cancelled(request.id));
  else if (plan.outputs.some(({ name }) => !request.outputs.includes(name)) && outputSteps(plan).size > 1)
    fail(runtimeError("request/outputs-of-stream", { model: plan.name }));
  else
    try {
      refuseDeadlock(plan, request);
      advance({
        origin: fromRequest,
        tensors: ensembleInputs(plan, request),
        started: new Set(),
        completed: new Set(),
        open: 0,
        release: () => {},
      });
    } catch (error) {
      fail(error, 0);
    }
  return result.promise;
};

const outputSteps = ({ outputs, producers }: EnsemblePlan): ReadonlySet<number | undefined> =>
  new Set(outputs.map(({ name }) => producers.get(name)));

/** The decoupled step that each tensor or step depends on; Triton refuses a step that depends on two. */
interface Origins {
  decoupledAt(index: number): boolean;
  producersOf(index: number): readonly number[];
  ofStep(index: number): number;
  ofTensor(tensor: string): number;
}

const createOrigins = ({ steps, producers }: EnsemblePlan, host: EnsembleHost): Origins => {
  const decoupled = steps.map(({ model, version }) => isDecoupled(host.config(model, version)));
  const producing = steps.map(({ inputs }) =>
    [...inputs.values()].flatMap((tensor) => producers.get(tensor) ?? []),
  );
  const decoupledAt = (index: number): boolean => decoupled[index] === true;
  const producersOf = (index: number): readonly number[] => producing[index] ?? [];
  const ofStep = (index: number): number => {
    const [from] = producersOf(index);
    return from === undefined ? fromRequest : after(from);
  };
  const after = (index: number): number => (decoupledAt(index) ? index : ofStep(index));
  const ofTensor = (tensor: string): number => {
    const from = producers.get(tensor);
    return from === undefined ? fromRequest : after(from);
  };
  return { decoupledAt, producersOf, ofStep, ofTensor };
};
