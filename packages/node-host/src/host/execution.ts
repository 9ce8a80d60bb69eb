import type { NodeTwinOptions } from "@tritype/manifest";
import type { Tell } from "../answer-request.ts";
import { InvalidRequest, InvalidResult, overdueText, placeText } from "../function-failure.ts";
import { givenFrame, type Output } from "../function-values.ts";
import type { FrameRequest } from "../frame.ts";
import {
  declaredResult,
  ReadRequest,
  type RunInputs,
  type Signature,
  signatureOf,
  writeAnswer,
} from "../request-values.ts";
import type { Callee } from "./calls.ts";
import { RequestContext, within } from "./request-context.ts";
import { type JsonTensor, jsonTensors, parseTensors, printTensorsAsJson } from "./with-json.ts";

/** The author's function; in a flow, it also takes the callees. */
export type HostedRun = (inputs: RunInputs, callees: Readonly<Record<string, Callee>>) => unknown;

/** The function of a model, prepared for many requests. */
export interface Hosted {
  readonly run: HostedRun;
  readonly options: NodeTwinOptions;
  readonly signature: Signature;
  readonly jsonInputs: readonly JsonTensor[];
  readonly jsonOutputs: readonly JsonTensor[];
  readonly tell: Tell;
  readonly calleesFor: (context: RequestContext, request: number) => Readonly<Record<string, Callee>>;
}

export const hostedRun = (
  run: HostedRun,
  options: NodeTwinOptions,
  tell: Tell,
  calleesFor: Hosted["calleesFor"],
): Hosted => {
  const isWhole = (): boolean => options.per === "request";
  return {
    run,
    options,
    tell,
    calleesFor,
    signature: signatureOf(options),
    jsonInputs: jsonTensors(options.inputs, isWhole),
    jsonOutputs: jsonTensors(options.outputs, isWhole),
  };
};

/** The destination of the answers. */
export interface Answers {
  answer(request: number, outputs: readonly Output[]): void;
  /** @param code 0: the client's mistake; 1: the model failed. */
  fail(request: number, code: 0 | 1, text: string): void;
  /** A request starts before an earlier one is answered. */
  begun(request: number): void;
}

/** The requests of one frame. */
export interface Execution {
  /** No client is waiting for this request any more. */
  cancel(request: number): void;
}

/** Runs the requests in order: the next one begins when the function has returned, or has returned a promise. */
export const execute = (hosted: Hosted, requests: readonly FrameRequest[], answers: Answers): Execution => {
  const { options, signature, tell } = hosted;
  const began = performance.now();
  /** The requests whose promises have not settled. */
  const open = new Map<number, RequestContext>();
  const settled = new Set<number>();

  const answer = (index: number, request: ReadRequest, results: readonly RunInputs[]): void => {
    if (settled.has(index)) return;
    const outputs = writeAnswer(signature, request, results);
    settled.add(index);
    open.delete(index);
    try {
      answers.answer(index, outputs);
    } catch (error) {
      answers.fail(index, 1, tell(error));
    }
  };
  const fail = (index: number, error: unknown): void => {
    if (settled.has(index)) return;
    settled.add(index);
    open.get(index)?.answered();
    open.delete(index);
    const isOurs = error instanceof InvalidRequest || error instanceof InvalidResult;
    answers.fail(index, error instanceof InvalidRequest ? 0 : 1, isOurs ? error.message : tell(error));
  };
  /** The calls and fetches that it is waiting for fail first, because their errors contain the author's line. */
  const end = (index: number, why: string, place = ""): void => {
    open.get(index)?.abort(why);
    setImmediate(fail, index, new InvalidResult(why + place));
  };

  const begin = (index: number, { tensors, left }: FrameRequest): void => {
    const isShort = left > 0 && left < options.timeLimit;
    if (left > 0 && performance.now() - began > left / 1000) return fail(index, new InvalidResult(late));
    if (open.size > 0) answers.begun(index);
    const limit = (isShort ? left : options.timeLimit) / 1000;
    const context = new RequestContext(limit);
    try {
      const request = new ReadRequest(
        signature,
        tensors.map((tensor) => tensor && givenFrame(tensor)),
      );
      const callees = hosted.calleesFor(context, index);
      const results = within(context, () => callAll(hosted, request, callees));
      if (!(results instanceof Promise)) {
        context.answered();
        return answer(index, request, results);
      }
      open.set(index, context);
      const timer = isShort
        ? setTimeout(end, limit, index, late)
        : setTimeout(end, limit, index, overdueText(options), placeText(options));
      void results
        .then((all) => {
          if (context.why !== undefined) return;
          context.answered();
          answer(index, request, all);
        })
        .catch((error: unknown) => fail(index, error))
        .finally(() => clearTimeout(timer));
    } catch (error) {
      context.answered();
      fail(index, error);
    }
  };

  requests.forEach((request, index) => {
    if (!settled.has(index)) begin(index, request);
  });
  return { cancel: (index) => end(index, "the request was cancelled") };
};

const late = "the request ran out of time";

/** The results of a request's calls; a promise if one of them is a promise. */
const callAll = (
  hosted: Hosted,
  request: ReadRequest,
  callees: Readonly<Record<string, Callee>>,
): readonly RunInputs[] | Promise<readonly RunInputs[]> => {
  const made: (RunInputs | Promise<RunInputs>)[] = [];
  let isAsync = false;
  for (let call = 0; call < request.calls; call++) {
    let result: unknown;
    try {
      result = hosted.run(parseTensors(hosted.jsonInputs, request.inputs(call)), callees);
      if (!isThenable(result)) result = checked(hosted, request, call, result);
    } catch (error) {
      if (!isAsync) throw failureOf(hosted, request, call, error);
      result = Promise.reject(error);
    }
    if (isThenable(result)) {
      isAsync = true;
      const settling = Promise.resolve(result)
        .then((value) => checked(hosted, request, call, value))
        .catch((error: unknown) => {
          throw failureOf(hosted, request, call, error);
        });
      // Only the first failing row is reported.
      settling.catch(() => undefined);
      made.push(settling);
    } else made.push(result as RunInputs);
  }
  return isAsync ? inOrder(made) : (made as readonly RunInputs[]);
};

const checked = (
  { signature, jsonOutputs }: Hosted,
  request: ReadRequest,
  call: number,
  value: unknown,
): RunInputs =>
  declaredResult(signature, isObject(value) ? printTensorsAsJson(jsonOutputs, value) : value, request, call);

const failureOf = ({ tell }: Hosted, request: ReadRequest, call: number, error: unknown): InvalidResult =>
  error instanceof InvalidResult ? error : new InvalidResult(`${request.prefix(call)}${tell(error)}`);

/** Like `Promise.all`, but rejects with the error of the lowest row that fails. */
const inOrder = async (made: readonly (RunInputs | Promise<RunInputs>)[]): Promise<readonly RunInputs[]> => {
  const results: RunInputs[] = [];
  for (const one of made) results.push(await one);
  return results;
};

const isObject = (value: unknown): value is RunInputs => typeof value === "object" && value !== null;

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  isObject(value) && typeof value["then"] === "function";
