import { setMaxListeners } from "node:events";
import { foreignError, messageOf } from "@tritype/core";
import type { Asker, Caller } from "../backend.ts";
import type { MetricKind, MetricScope } from "../statistics/custom-metrics.ts";
import { askModel } from "./ask-model.ts";
import { blsKindOf, packBlsResult, unpackBlsRequest } from "./bls-message.ts";
import type { CallAnswer } from "./call-answer.ts";
import { type BlsStreams, createBlsStreams } from "./bls-streams.ts";
import { type Frame, frameType } from "./frame.ts";
import type { ModelHost } from "./model-host.ts";
import { Packer, Unpacker } from "./packed.ts";
import { runtimeError } from "../errors.ts";
import type { ChildTraces } from "./child-traces.ts";

/** Handles calls from one model process to the runtime. */
export interface ChildCalls {
  /**
   * Answers a call, possibly more than once, or not at all if the child does not wait. Never rejects.
   * @param callers The executions that wait for the response.
   */
  answer(frame: Frame, callers: readonly Caller[], tell: (answer: CallAnswer) => void): Promise<void>;
  /** The process has ended: its pending responses and its metrics are discarded. */
  close(): void;
}

/**
 * @param model The name of the model that the process runs.
 * @param traces The traces of the requests that it runs.
 */
export const createChildCalls = (host: ModelHost, model: string, traces: ChildTraces): ChildCalls => {
  const metrics = host.metrics.open();
  const gone = new AbortController();
  // Each waiting call adds a listener.
  setMaxListeners(0, gone.signal);
  const streams = createBlsStreams(host);
  return {
    answer: async (frame, callers, tell) => {
      if (frame.type !== frameType.bls) {
        const answer = await answerCall({ host, metrics, streams, model }, frame);
        if (answer !== undefined) tell(answer);
        return;
      }
      const kind = blsKindOf(frame);
      // A thread of a decoupled model does not occupy its instance.
      const asker = { callers: kind.inBackground ? [] : callers, trace: traces.child(kind.trace) };
      if (kind.streams) await streams.open(frame, asker, tell);
      else tell(await answerBls(host, frame, { ...asker, signal: gone.signal }));
    },
    close: () => {
      gone.abort();
      streams.close();
      metrics.close();
    },
  };
};

/** Every failure is text with the code INTERNAL, as in Triton's BLS. */
const answerBls = async (host: ModelHost, frame: Frame, asker: Asker): Promise<CallAnswer> => {
  const ask = async (): ReturnType<typeof askModel> => askModel(host, unpackBlsRequest(frame), asker);
  const result = await ask().catch((error: unknown) => ({ error: messageOf(error) }));
  return { type: frameType.blsResult, ...packBlsResult(result) };
};

interface Callee {
  readonly host: ModelHost;
  readonly metrics: MetricScope;
  readonly streams: BlsStreams;
  /** The caller. */
  readonly model: string;
}
const kinds: readonly MetricKind[] = ["counter", "gauge", "histogram"];

type Operation = (callee: Callee, given: Unpacker, body: Buffer) => Packer | Promise<Packer>;

/** The operations by name. Each reads its arguments from `given` and returns the result for the child. */
const operations: Readonly<Record<string, Operation>> = {
  ready: ({ host }, given) => {
    const [model, version] = [given.text(), readVersion(given.text())];
    return new Packer().u8(host.isReady(model, version) ? 1 : 0);
  },
  load: async ({ host, model: asker }, given, body) => {
    const [model, config] = [given.text(), given.text()];
    await host.load(asker, model, { ...(config === "" ? {} : { config }), files: readFiles(given, body) });
    return new Packer();
  },
  unload: async ({ host, model: asker }, given) => {
    await host.unload(asker, given.text(), given.u8() === 1);
    return new Packer();
  },
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
  "bls-read": ({ streams }, given) => {
    streams.read(given.u64());
    return new Packer();
  },
  "bls-drop": ({ streams }, given) => {
    streams.drop(given.u64());
    return new Packer();
  },
  release: ({ metrics }, given) => {
    metrics.release(given.u64());
    return new Packer();
  },
};

/** The child's own ids begin at 2^32; messages without a response have id 0. */
const noAnswer = 0;

const answerCall = async (callee: Callee, frame: Frame): Promise<CallAnswer | undefined> => {
  const meta = await callResult(callee, frame);
  return frame.id === noAnswer ? undefined : { type: frameType.callResult, meta };
};

const callResult = async (callee: Callee, { meta, body }: Frame): Promise<Buffer> => {
  const given = new Unpacker(meta);
  const name = given.text();
  try {
    const operation = operations[name];
    if (operation === undefined)
      throw runtimeError("python/broken-answer", { problem: `asks for the unknown operation '${name}'` });
    const result = await operation(callee, given, body);
    return Buffer.concat([new Packer().u8(0).finish(), result.finish()]);
  } catch (error) {
    return new Packer().u8(1).text(messageOf(error)).finish();
  }
};

/** The files in a load request: their names with the prefix of Triton's parameters, offset and length in the body. */
const readFiles = (given: Unpacker, body: Buffer): ReadonlyMap<string, Uint8Array> => {
  const files = new Map<string, Uint8Array>();
  for (let count = given.u32(); count > 0; count--) {
    const [name, offset, length] = [given.text(), given.u64(), given.u64()];
    if (name.startsWith(filePrefix))
      files.set(name.slice(filePrefix.length), body.subarray(offset, offset + length));
  }
  return files;
};
const filePrefix = "file:";

/** Parsed in the same way as by Triton's `stoll`: text after the digits is ignored; empty means the latest. */
const readVersion = (text: string): string | undefined => {
  if (text === "") return undefined;
  const digits = /^\s*([+-]?[0-9]+)/.exec(text)?.[1]?.replace("+", "");
  const version = digits === undefined ? -1n : BigInt(digits);
  if (version >= 0n && version < 2n ** 63n) return String(version);
  throw foreignError(
    "request/invalid",
    `failed to get model version from specified version string '${text}', version should be an integral value > 0`,
  );
};
