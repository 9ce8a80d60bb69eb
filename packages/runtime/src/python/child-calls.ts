import { PipelineError } from "@tritype/core";
import type { Asker, Caller } from "../backend.ts";
import type { MetricKind, MetricScope } from "../statistics/custom-metrics.ts";
import { notExplicit } from "../requests/not-explicit.ts";
import type { InferRequest } from "../runtime.ts";
import { packBlsResult, unpackBlsRequest } from "./bls-message.ts";
import { type Frame, frameType } from "./frame.ts";
import type { ModelHost } from "./model-host.ts";
import { Packer, Unpacker } from "./packed.ts";
import { Body } from "./wire-tensor.ts";

/** The frame that answers a call. */
export interface CallAnswer {
  readonly type: number;
  readonly meta: Buffer;
  readonly body: Body;
}

/** Answers what one process of a model asks of the runtime. */
export interface ChildCalls {
  /** `callers`: the executions that wait for the answer. Undefined where the child waits for none. Never rejects. */
  answer(frame: Frame, callers: readonly Caller[]): Promise<CallAnswer> | CallAnswer | undefined;
  /** The process has ended: nobody waits for answers, and its metrics go. */
  close(): void;
}

export const createChildCalls = (host: ModelHost): ChildCalls => {
  const metrics = host.metrics.open();
  const gone = new AbortController();
  return {
    answer: (frame, callers) =>
      frame.type === frameType.bls
        ? answerBls(host, frame, { callers, signal: gone.signal })
        : answerCall({ host, metrics }, frame),
    close: () => {
      gone.abort();
      metrics.close();
    },
  };
};

/** Every failure is text with the code INTERNAL, as in Triton's BLS. */
const answerBls = async (host: ModelHost, frame: Frame, asker: Asker): Promise<CallAnswer> => {
  const result = await runBls(host, unpackBlsRequest(frame), asker).catch((error: unknown) => ({
    error: messageOf(error),
  }));
  return { type: frameType.blsResult, ...packBlsResult(result) };
};

const runBls = async (
  host: ModelHost,
  request: InferRequest,
  asker: Asker,
): Promise<Parameters<typeof packBlsResult>[0]> => {
  const { model, version } = request;
  const refused = (text: string) => ({ error: `Model ${model} - Error when running inference: ${text}` });
  if (!host.isReady(model, version))
    return refused(`Failed for execute the inference request. Model '${model}' is not ready.`);
  let run: ReturnType<ModelHost["admit"]>;
  try {
    run = host.admit(request, asker);
  } catch (error) {
    return refused(messageOf(error));
  }
  return run();
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Callee {
  readonly host: ModelHost;
  readonly metrics: MetricScope;
}
const kinds: readonly MetricKind[] = ["counter", "gauge", "histogram"];

/** By name: takes what it needs from `given`, returns what the child gets. */
const operations: Readonly<Record<string, (callee: Callee, given: Unpacker) => Packer>> = {
  ready: ({ host }, given) => {
    const [model, version] = [given.text(), given.text()];
    return new Packer().u8(host.isReady(model, version === "" ? undefined : version) ? 1 : 0);
  },
  load: () => refuseControl(),
  unload: () => refuseControl(),
  family: ({ metrics }, given) =>
    new Packer().u64(metrics.family(given.text(), given.text(), kinds[given.u8()] ?? "counter")),
  metric: ({ metrics }, given) => {
    const family = given.u64();
    const labels = new Map(Array.from({ length: given.u32() }, () => [given.text(), given.text()] as const));
    const bounds = Array.from({ length: given.u32() }, () => given.f64());
    return new Packer().u64(metrics.metric(family, labels, bounds));
  },
  increment: ({ metrics }, given) => {
    metrics.increment(given.u64(), given.f64());
    return new Packer();
  },
  set: ({ metrics }, given) => {
    metrics.set(given.u64(), given.f64());
    return new Packer();
  },
  observe: ({ metrics }, given) => {
    metrics.observe(given.u64(), given.f64());
    return new Packer();
  },
  value: ({ metrics }, given) => new Packer().f64(metrics.value(given.u64())),
  release: ({ metrics }, given) => {
    metrics.release(given.u64());
    return new Packer();
  },
};

/** The child's own ids begin at 2^32; what it only tells has 0. */
const noAnswer = 0;

const answerCall = (callee: Callee, frame: Frame): CallAnswer | undefined => {
  const meta = callResult(callee, new Unpacker(frame.meta));
  return frame.id === noAnswer ? undefined : { type: frameType.callResult, meta, body: new Body() };
};

const callResult = (callee: Callee, given: Unpacker): Buffer => {
  const name = given.text();
  try {
    const operation = operations[name];
    if (operation === undefined) throw new PipelineError("model/failed", `there is no operation '${name}'`);
    return Buffer.concat([new Packer().u8(0).finish(), operation(callee, given).finish()]);
  } catch (error) {
    return new Packer().u8(1).text(messageOf(error)).finish();
  }
};

const refuseControl = (): never => {
  throw notExplicit();
};
