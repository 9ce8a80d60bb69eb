import type { NamedTensors } from "@tritype/core";
import type { NodeTwinOptions } from "@tritype/manifest";
import { InvalidRequest, InvalidResult } from "../function-failure.ts";
import type { FrameRequest } from "../frame.ts";
import type { Run, Tell } from "../answer-request.ts";
import {
  declaredResult,
  type ReadRequest,
  readRequest,
  type RunInputs,
  writeAnswer,
} from "../request-values.ts";
import { openContext, type RequestContext, within } from "./request-context.ts";

/** Where the answers go. */
export interface Answers {
  answer(request: number, outputs: NamedTensors): void;
  /** @param code 0: the client's mistake; 1: the model failed. */
  fail(request: number, code: 0 | 1, text: string): void;
  /** A request begins while an earlier one has no answer. */
  begun(request: number): void;
}

/** The requests of one frame. */
export interface Execution {
  /** No client waits for this request any more. */
  cancel(request: number): void;
}

/** Runs the requests in order: the next one begins when the function has returned, or has returned a promise. */
export const execute = (
  run: Run,
  options: NodeTwinOptions,
  requests: readonly FrameRequest[],
  answers: Answers,
  tell: Tell,
): Execution => {
  const began = performance.now();
  const open = new Map<number, RequestContext>();
  const settled = new Set<number>();

  const settle = (request: number, deliver: () => void): void => {
    if (settled.has(request)) return;
    settled.add(request);
    open.delete(request);
    try {
      deliver();
    } catch (error) {
      answers.fail(request, 1, tell(error));
    }
  };
  const fail = (request: number, error: unknown): void =>
    settle(request, () => {
      const code = error instanceof InvalidRequest ? 0 : 1;
      const isOurs = error instanceof InvalidRequest || error instanceof InvalidResult;
      answers.fail(request, code, isOurs ? error.message : tell(error));
    });
  const end = (request: number, why: string): void => {
    open.get(request)?.abort(new Error(why));
    fail(request, new InvalidResult(why));
  };

  const begin = (index: number, { inputs, left }: FrameRequest): void => {
    if (left > 0 && performance.now() - began > left / 1000) return end(index, late);
    if (open.size > 0) answers.begun(index);
    const context = openContext();
    open.set(index, context);
    try {
      const request = readRequest(options, inputs);
      const results = within(context, () => callAll(run, options, request, tell));
      const written = (all: readonly RunInputs[]): void =>
        settle(index, () => answers.answer(index, writeAnswer(options, request, all)));
      if (!(results instanceof Promise)) return written(results);
      const limit = Math.min(options.timeLimit, left > 0 ? left : Infinity) / 1000;
      const overdue = left > 0 && left < options.timeLimit ? late : overdueText(options);
      const timer = setTimeout(end, limit, index, overdue);
      void results
        .then(written)
        .catch((error: unknown) => fail(index, error))
        .finally(() => clearTimeout(timer));
    } catch (error) {
      fail(index, error);
    }
  };

  requests.forEach((request, index) => {
    if (!settled.has(index)) begin(index, request);
  });
  return { cancel: (request) => end(request, "the request was cancelled") };
};

const late = "the request's time was over";

const overdueText = ({ timeLimit }: NodeTwinOptions): string =>
  `the request took longer than ${timeLimit / 1e6} s`;

/** The results of a request's calls; a promise if one of them is a promise. */
const callAll = (
  run: Run,
  options: NodeTwinOptions,
  request: ReadRequest,
  tell: Tell,
): readonly RunInputs[] | Promise<readonly RunInputs[]> => {
  const made: (RunInputs | Promise<RunInputs>)[] = [];
  let isAsync = false;
  for (let call = 0; call < request.calls; call++) {
    const prefix = request.prefix(call);
    const thrown = (error: unknown): never => {
      throw new InvalidResult(`${prefix}${tell(error)}`);
    };
    let result: unknown;
    try {
      result = run(request.inputs(call));
    } catch (error) {
      if (!isAsync) thrown(error);
      result = Promise.reject(error);
    }
    if (isThenable(result)) {
      isAsync = true;
      const checked = Promise.resolve(result).then((value) => declaredResult(options, value, prefix), thrown);
      // The first failing row tells; the others' failures are theirs.
      checked.catch(() => undefined);
      made.push(checked);
    } else made.push(declaredResult(options, result, prefix));
  }
  return isAsync ? inOrder(made) : (made as readonly RunInputs[]);
};

/** As `Promise.all`, but the error is that of the lowest row that fails. */
const inOrder = async (made: readonly (RunInputs | Promise<RunInputs>)[]): Promise<readonly RunInputs[]> => {
  const results: RunInputs[] = [];
  for (const one of made) results.push(await one);
  return results;
};

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
