import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";

/** The expectations for a stream, and its limits. */
export interface Expectations {
  /** Number of bytes that are likely to arrive; 0 if unknown. */
  readonly expected: number;
  /** The error for this many bytes, or false. */
  readonly refuse: (size: number) => Error | false;
  /** The error for a stream that closes before its end. */
  readonly gone: () => Error;
  /** The error for a failure of the stream. Default: the failure. */
  readonly failed?: (cause: Error) => Error;
}

/** The largest block that is allocated or copied in one turn of the event loop: a few milliseconds. */
const largestBlock = 2 ** 22;

/**
 * All data of a stream, in its own memory. Data of unknown length is collected in blocks, because copying one large
 * array into a larger one would delay all other requests.
 * @throws The errors of `refuse`, `gone` and `failed`.
 */
export const collect = async (stream: Readable, expectations: Expectations): Promise<Uint8Array> => {
  const { expected } = expectations;
  const blocks: Uint8Array[] = expected > 0 ? [new Uint8Array(expected)] : [];
  let used = 0;
  const take = (chunk: Uint8Array): void => {
    for (let from = 0; from < chunk.byteLength; ) {
      let block = blocks.at(-1);
      if (block === undefined || used === block.byteLength) {
        block = new Uint8Array(Math.min(largestBlock, 2 * (block?.byteLength ?? 32_768)));
        blocks.push(block);
        used = 0;
      }
      const part = chunk.subarray(from, from + block.byteLength - used);
      block.set(part, used);
      used += part.byteLength;
      from += part.byteLength;
    }
  };
  await readAll(stream, take, expectations);
  const last = blocks.pop() ?? new Uint8Array(0);
  blocks.push(last.byteLength === used ? last : last.subarray(0, used));
  return blocks.length === 1 ? (blocks[0] as Uint8Array) : joined(blocks);
};

const readAll = (
  stream: Readable,
  take: (chunk: Uint8Array) => void,
  { refuse, gone, failed = (cause) => cause }: Expectations,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let size = 0;
    let ended = false;
    const onData = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      const refused = refuse(size);
      if (refused === false) {
        take(chunk);
        return;
      }
      stream.off("data", onData);
      reject(refused);
    };
    stream.on("data", onData);
    // `once` would wrap each listener, which takes time in every request.
    stream.on("end", () => {
      ended = true;
      resolve();
    });
    stream.on("error", (cause) => reject(failed(cause)));
    stream.on("close", () => {
      if (!ended) reject(gone());
    });
  });

/** One array of all the blocks; each block is released once it is copied, so that little is in memory twice. */
const joined = async (blocks: Uint8Array[]): Promise<Uint8Array> => {
  const whole = new Uint8Array(blocks.reduce((size, { byteLength }) => size + byteLength, 0));
  blocks.reverse();
  for (let at = 0; ; ) {
    const block = blocks.pop();
    if (block === undefined) return whole;
    whole.set(block, at);
    at += block.byteLength;
    await setImmediate();
  }
};
