import type { DType } from "@tritype/core";
import type { NodeCallee } from "@tritype/manifest";
import {
  callFailures,
  type Declared,
  type Frame,
  frameKinds,
  type Part,
  printCall,
  readText,
  readTensors,
} from "../frame.ts";
import { readCall, type RunInputs, writeCall } from "../request-values.ts";
import type { RequestContext } from "./request-context.ts";
import { type IsWhole, parseTensors, printTensorsAsJson } from "./with-json.ts";

/** A call of another model that did not succeed. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** The model that was called. */
  readonly model: string;
  /**
   * `call/invalid`: the values do not fit its inputs; `call/failed`: it refused the request or failed; `call/answer`: its answer does
   * not fit its outputs; `call/late`: the request ran out of time, or was already answered.
   */
  readonly code: "call/invalid" | "call/failed" | "call/answer" | "call/late";

  constructor(model: string, code: CallError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.model = model;
    this.code = code;
  }
}

/** A callee as the function sees it: one row in, one row out. */
export type Callee = (values: RunInputs) => Promise<RunInputs>;

/** The calls of one process. */
export interface Calls {
  /** The callees for one request, by the names that the function uses for them. */
  calleesFor(context: RequestContext, request: number): Readonly<Record<string, Callee>>;
  /** Takes `result` and `callFailed` frames. */
  settle(frame: Frame): void;
}

type Post = (kind: number, id: number, index: number, body: readonly Part[]) => void;

/** Maximum number of simultaneous calls; others wait for their turn. */
const concurrentCalls = 256;

export const openCalls = (declared: Readonly<Record<string, NodeCallee>>, post: Post): Calls => {
  const callees = Object.entries(declared);
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
    index: number,
    name: string,
    { model, inputs, outputs }: NodeCallee,
    { context, request }: { readonly context: RequestContext; readonly request: number },
    values: RunInputs,
  ): Promise<RunInputs> => {
    const at: { readonly stack?: string } = {};
    Error.captureStackTrace(at, ask);
    const failure = (code: CallError["code"], message: string, cause?: unknown): CallError => {
      const error = new CallError(model, code, message, cause);
      // Only the stack of the call is certain to contain the author's line.
      error.stack = `${String(error)}${at.stack?.slice(at.stack.indexOf("\n"))}`;
      return error;
    };
    const shownInput = (input: string): string => `input ${input} of ${name}`;
    const tensors = guarded(failure, "call/invalid", () =>
      writeCall(inputs, printTensorsAsJson(inputs, values, isUnbatched), shownInput),
    );
    const free = turn();
    if (free !== undefined) await free;
    let stop = (): void => {};
    try {
      const late = (): CallError => failure("call/late", `${name}: ${context.why}`);
      if (context.why !== undefined) throw late();
      const id = ++ids;
      const frame = await new Promise<Frame>((resolve, reject) => {
        waiting.set(id, { resolve });
        stop = context.onEnd(() => {
          waiting.delete(id);
          post(frameKinds.cancel, id, 0, []);
          reject(late());
        });
        const call = { inputs: tensors, left: context.left(), request };
        post(frameKinds.call, id, index, printCall(call, Object.keys(inputs)));
      });
      if (frame.kind === frameKinds.callFailed) {
        const isAnswer = frame.index === callFailures.answer;
        throw failure(isAnswer ? "call/answer" : "call/failed", `${name}: ${readText(frame.body)}`);
      }
      return guarded(failure, "call/answer", () => {
        const answer = readTensors(frame.body, declaredOf(outputs));
        const read = readCall(outputs, answer, (output) => `output ${output} of ${name}`);
        return parseTensors(outputs, read, isUnbatched);
      });
    } finally {
      stop();
      done();
    }
  };

  return {
    calleesFor: (context, request) =>
      Object.fromEntries(
        callees.map(([name, callee], index) => [
          name,
          (values: RunInputs) => ask(index, name, callee, { context, request }, values),
        ]),
      ),
    settle: (frame) => {
      const call = waiting.get(frame.id);
      waiting.delete(frame.id);
      call?.resolve(frame);
    },
  };
};

/** Errors about the values get the code and the stack of the call. */
const guarded = <T>(
  failure: (code: CallError["code"], message: string, cause: unknown) => CallError,
  code: CallError["code"],
  work: () => T,
): T => {
  try {
    return work();
  } catch (error) {
    throw failure(code, error instanceof Error ? error.message : String(error), error);
  }
};

const isUnbatched: IsWhole = ({ dims }) => dims[0] !== "batch";

const declaredOf = (tensors: NodeCallee["outputs"]): readonly Declared[] =>
  Object.entries(tensors).map(([name, { dtype }]) => ({ name, dtype: dtype as DType }));
