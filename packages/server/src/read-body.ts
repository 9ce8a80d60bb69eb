import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createUnzip } from "node:zlib";
import { PipelineError } from "@tritype/core";

/**
 * The body, in memory of its own (not the socket's pool), decompressed when the request says gzip or deflate. It is held once: what is compressed
 * is decompressed as it arrives.
 * @throws PipelineError `request/too-large` as soon as the body is known to be longer than `limit` bytes; the rest stays unread.
 * `request/unsupported` for another encoding, `request/invalid` for data that is not what it says.
 */
export const readBody = async (request: IncomingMessage, limit: number): Promise<Uint8Array> => {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limit) throw tooLarge(announced, limit);
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity")
    return collect(request, announced, (size) => size > limit && tooLarge(size, limit));
  if (encoding !== "gzip" && encoding !== "deflate")
    throw new PipelineError("request/unsupported", "Unsupported compression type", {
      help: "compress with gzip or deflate",
    });
  return decompress(request, limit);
};

/** Triton's words; N is the body's size, or what had arrived of a chunked body. */
const tooLarge = (size: number, limit: number): PipelineError =>
  new PipelineError(
    "request/too-large",
    `request JSON size of ${size} bytes exceeds the maximum allowed input size of ${limit} bytes. Use --http-max-input-size to increase the limit.`,
  );

/**
 * All that a stream gives.
 * @param expected How much that is likely to be. @param refuse What is wrong with so many bytes.
 */
const collect = (
  stream: Readable,
  expected: number,
  refuse: (size: number) => PipelineError | false,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    let body = new Uint8Array(expected);
    let size = 0;
    const onData = (chunk: Uint8Array): void => {
      const refused = refuse(size + chunk.byteLength);
      if (refused !== false) {
        stream.off("data", onData);
        reject(refused);
        return;
      }
      if (size + chunk.byteLength > body.byteLength) body = grown(body, size, chunk.byteLength);
      body.set(chunk, size);
      size += chunk.byteLength;
    };
    const onClose = (): void => reject(gone(undefined));
    stream.on("data", onData);
    stream.once("end", () => {
      stream.off("close", onClose);
      resolve(body.subarray(0, size));
    });
    stream.once("error", reject);
    stream.once("close", onClose);
  });

/** With room for `more` bytes behind the first `size`, and for as many as there are again. */
const grown = (body: Uint8Array, size: number, more: number): Uint8Array<ArrayBuffer> => {
  const next = new Uint8Array(Math.max(2 * size, size + more, 65_536));
  next.set(body.subarray(0, size));
  return next;
};

const gone = (cause: unknown): PipelineError =>
  new PipelineError("request/invalid", "the client closed the connection", { cause });

/** Takes either format whatever the header says, as Triton's zlib does. */
const decompress = async (request: IncomingMessage, limit: number): Promise<Uint8Array> => {
  const unzip = createUnzip({ chunkSize: 262_144 });
  let received = 0;
  const tooMuch = new Promise<never>((_, reject) => {
    request.on("data", (chunk: Uint8Array) => {
      received += chunk.byteLength;
      if (received > limit) reject(tooLarge(received, limit));
    });
    request.once("close", () => {
      if (!request.readableEnded) reject(gone(undefined));
    });
  });
  request.pipe(unzip);
  try {
    const data = collect(unzip, 0, (size) => size > limit && tooLong(limit));
    return await Promise.race([data, tooMuch]);
  } catch (cause) {
    if (received === 0 && request.complete)
      throw new PipelineError("request/invalid", "nothing to be decompressed");
    if (PipelineError.is(cause)) throw cause;
    throw new PipelineError(
      "request/invalid",
      `the body cannot be decompressed: ${(cause as Error).message}`,
      { cause },
    );
  } finally {
    request.unpipe(unzip);
    unzip.destroy();
    // What is left of the body is read and dropped, so that the client sees the answer.
    request.resume();
    tooMuch.catch(() => {});
  }
};

const tooLong = (limit: number): PipelineError =>
  new PipelineError(
    "request/too-large",
    `Decompressed data size exceeds the maximum allowed value of ${limit} bytes. Use --http-max-input-size to increase the limit.`,
  );
