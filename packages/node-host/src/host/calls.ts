import type { FunctionTensor, NodeCallee } from "@tritype/manifest";
import { callFailures, type Frame, frameKinds, nextId, readResult, readText } from "../frame.ts";
import { type Output, ownOutput } from "../function-values.ts";
import { portsOf, readCall, type RunInputs, writeCall } from "../request-values.ts";
import { callSite } from "./call-site.ts";
import type { RequestContext } from "./request-context.ts";
import { jsonTensors, parseTensors, printTensors } from "./with-json.ts";

/** A call to another model that did not succeed. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** The model that was called. */
  readonly model: string;
  /**
   * `call/invalid`: the values do not fit its inputs; `call/failed`: it refused the request or failed; `call/answer`: its answer does
   * not fit its outputs; `call/late`: the request ran out of time, or was already answered.
   */
  readonly code: "call/invalid" | "call/failed" | "call/answer" | "call/late";

  constructor(model: string, code: CallError["code"], message: string) {
    super(message);
    this.model = model;
    this.code = code;
  }
}

/** A callee as the function sees it: it takes one row and returns one row. */
export type Callee = (values: RunInputs) => Promise<RunInputs>;

/** The calls of one process. */
export interface Calls {
  /** The callees for one request, by the names that the function uses for them. */
  calleesFor(context: RequestContext, request: number): Readonly<Record<string, Callee>>;
  /** Takes `result` and `callFailed` frames. */
  settle(frame: Frame): void;
}

/** The destination of calls. */
interface Caller {
  /** @param integers The remaining microseconds, and the request. */
  call(
    id: number,
    callee: number,
    integers: readonly number[],
    inputs: readonly (Output | undefined)[],
  ): void;
  cancel(id: number): void;
}

/** A callee, prepared for many calls. */
const preparedCallee = ([name, { model, inputs, outputs }]: [string, NodeCallee], index: number) => ({
  name,
  index,
  model,
  inputs: portsOf(inputs),
  outputs: portsOf(outputs),
  jsonInputs: jsonTensors(inputs, isUnbatched),
  jsonOutputs: jsonTensors(outputs, isUnbatched),
  shownInput: (input: string): string => `input ${input} of ${name}`,
  shownOutput: (output: string): string => `output ${output} of ${name}`,
});

/** Maximum number of simultaneous calls; others wait for their turn. */
const concurrentCalls = 256;

export const openCalls = (declared: Readonly<Record<string, NodeCallee>>, caller: Caller): Calls => {
  const callees = Object.entries(declared).map(preparedCallee);
  const waiting = new Map<number, { resolve(frame: Frame): void }>();
  const queue: (() => void)[] = [];
  let running = 0;
  let ids = 0;

  const turn = (): Promise<void> | undefined => {
    if (running < concurrentCalls) {
      running++;
      return undefined;
    }
    return new Promise((resolve) => queue.push(resolve));
  };
  const done = (): void => {
    const next = queue.shift();
    if (next === undefined) running--;
    else next();
  };

  const ask = async (
    callee: ReturnType<typeof preparedCallee>,
    context: RequestContext,
    request: number,
    values: RunInputs | undefined,
  ): Promise<RunInputs> => {
    const { name, model, shownInput } = callee;
    const place = callSite(ask);
    const failure = (code: CallError["code"], message: string): CallError =>
      place(new CallError(model, code, message));
    let inputs = guarded(failure, "call/invalid", () =>
      writeCall(callee.inputs, printTensors(callee.jsonInputs, values ?? {}, shownInput), shownInput),
    );
    const free = turn();
    if (free !== undefined) {
      inputs = inputs.map((input) => input && ownOutput(input));
      await free;
    }
    let stop = (): void => {};
    try {
      const late = (): CallError => failure("call/late", `${name}: ${context.why}`);
      if (context.why !== undefined) throw late();
      const id = (ids = nextId(ids));
      const frame = await new Promise<Frame>((resolve, reject) => {
        waiting.set(id, { resolve });
        stop = context.onEnd(() => {
          waiting.delete(id);
          caller.cancel(id);
          reject(late());
        });
        caller.call(id, callee.index, [context.left(), request], inputs);
      });
      if (frame.kind === frameKinds.callFailed) {
        const isAnswer = frame.index === callFailures.answer;
        const text = readText(frame.body);
        const told = text.startsWith(`${model}: `) ? text : `${name}: ${text}`;
        throw failure(isAnswer ? "call/answer" : "call/failed", told);
      }
      return guarded(failure, "call/answer", () => {
        const values = readCall(callee.outputs, readResult(frame), callee.shownOutput);
        return parseTensors(callee.jsonOutputs, values, callee.shownOutput);
      });
    } finally {
      stop();
      done();
    }
  };

  return {
    calleesFor: (context, request) =>
      Object.fromEntries(
        callees.map((callee) => [callee.name, (values?: RunInputs) => ask(callee, context, request, values)]),
      ),
    settle: (frame) => {
      const call = waiting.get(frame.id);
      waiting.delete(frame.id);
      call?.resolve(frame);
    },
  };
};

/** Gives errors about the values the code of the failure and the stack of the call. */
const guarded = <T>(
  failure: (code: CallError["code"], message: string) => CallError,
  code: CallError["code"],
  work: () => T,
): T => {
  try {
    return work();
  } catch (error) {
    throw failure(code, error instanceof Error ? error.message : String(error));
  }
};

const isUnbatched = ({ dims }: FunctionTensor): boolean => dims[0] !== "batch";
