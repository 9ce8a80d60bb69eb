import type { NamedTensors } from "@tritype/core";
import type { NodeTwinOptions } from "@tritype/manifest";
import type { Tell } from "../answer-request.ts";
import { InvalidRequest, InvalidResult, overdueText, placeText } from "../function-failure.ts";
import type { FrameRequest } from "../frame.ts";
import {
  declaredResult,
  type ReadRequest,
  readRequest,
  type RunInputs,
  writeAnswer,
} from "../request-values.ts";
import type { Callee } from "./calls.ts";
import { RequestContext, within } from "./request-context.ts";
import { parseTensors, printTensorsAsJson } from "./with-json.ts";

/** The author's function; of a flow with its callees. */
export type HostedRun = (inputs: RunInputs, callees: Readonly<Record<string, Callee>>) => unknown;

/** The function of a model. */
export interface Hosted {
  readonly run: HostedRun;
  readonly options: NodeTwinOptions;
  readonly tell: Tell;
  calleesFor(context: RequestContext, request: number): Readonly<Record<string, Callee>>;
}

/** The receiver of the answers. */
export interface Answers {
  answer(request: number, outputs: NamedTensors): void;
  /** @param code 0: the client's mistake; 1: the model failed. */
  fail(request: number, code: 0 | 1, text: string): void;
  /** A request starts before an earlier one is answered. */
  begun(request: number): void;
}

/** The requests of one frame. */
export interface Execution {
  /** No client waits for this request any more. */
  cancel(request: number): void;
}

/** Runs the requests in order: the next one begins when the function has returned, or has returned a promise. */
export const execute = (hosted: Hosted, requests: readonly FrameRequest[], answers: Answers): Execution => {
  const { options, tell } = hosted;
  const began = performance.now();
  const open = new Map<number, RequestContext>();
  const settled = new Set<number>();

  const settle = (request: number, deliver: () => void): void => {
    if (settled.has(request)) return;
    settled.add(request);
    open.get(request)?.answered();
    open.delete(request);
    try {
      deliver();
    } catch (error) {
      answers.fail(request, 1, error instanceof InvalidResult ? error.message : tell(error));
    }
  };
  const fail = (request: number, error: unknown): void =>
    settle(request, () => {
      const isOurs = error instanceof InvalidRequest || error instanceof InvalidResult;
      answers.fail(request, error instanceof InvalidRequest ? 0 : 1, isOurs ? error.message : tell(error));
    });
  /** The calls and fetches that it waits for fail first, because their errors contain the author's line. */
  const end = (request: number, why: string, place = ""): void => {
    open.get(request)?.abort(why);
    setImmediate(fail, request, new InvalidResult(why + place));
  };

  const begin = (index: number, { inputs, left }: FrameRequest): void => {
    if (left > 0 && performance.now() - began > left / 1000) return fail(index, new InvalidResult(late));
    if (open.size > 0) answers.begun(index);
    const isShort = left > 0 && left < options.timeLimit;
    const limit = (isShort ? left : options.timeLimit) / 1000;
    const context = new RequestContext(limit);
    open.set(index, context);
    try {
      const request = readRequest(options, inputs);
      const callees = hosted.calleesFor(context, index);
      const results = within(context, () => callAll(hosted, request, callees));
      const written = (all: readonly RunInputs[]): void => {
        if (context.why === undefined)
          settle(index, () => answers.answer(index, writeAnswer(options, request, all)));
      };
      if (!(results instanceof Promise)) return written(results);
      const timer = isShort
        ? setTimeout(end, limit, index, late)
        : setTimeout(end, limit, index, overdueText(options), placeText(options));
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

const late = "the request ran out of time";

/** The results of a request's calls; a promise if one of them is a promise. */
const callAll = (
  { run, options, tell }: Hosted,
  request: ReadRequest,
  callees: Readonly<Record<string, Callee>>,
): readonly RunInputs[] | Promise<readonly RunInputs[]> => {
  const isWhole = (): boolean => options.per === "request";
  const checked = (value: unknown, call: number): RunInputs =>
    declaredResult(
      options,
      isObject(value) ? printTensorsAsJson(options.outputs, value, isWhole) : value,
      request.prefix(call),
    );
  const thrown = (error: unknown, call: number): never => {
    throw error instanceof InvalidResult ? error : new InvalidResult(`${request.prefix(call)}${tell(error)}`);
  };
  const made: (RunInputs | Promise<RunInputs>)[] = [];
  let isAsync = false;
  for (let call = 0; call < request.calls; call++) {
    let result: unknown;
    try {
      result = run(parseTensors(options.inputs, request.inputs(call), isWhole), callees);
      if (!isThenable(result)) result = checked(result, call);
    } catch (error) {
      if (!isAsync) thrown(error, call);
      result = Promise.reject(error);
    }
    if (isThenable(result)) {
      isAsync = true;
      const settling = Promise.resolve(result)
        .then((value) => checked(value, call))
        .catch((error: unknown) => thrown(error, call));
      // Only the first failing row is reported.
      settling.catch(() => undefined);
      made.push(settling);
    } else made.push(result as RunInputs);
  }
  return isAsync ? inOrder(made) : (made as readonly RunInputs[]);
};

/** Like `Promise.all`, but the error is that of the first failing row. */
const inOrder = async (made: readonly (RunInputs | Promise<RunInputs>)[]): Promise<readonly RunInputs[]> => {
  const results: RunInputs[] = [];
  for (const one of made) results.push(await one);
  return results;
};

const isObject = (value: unknown): value is RunInputs => typeof value === "object" && value !== null;

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  isObject(value) && typeof value["then"] === "function";
