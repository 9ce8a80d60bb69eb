import type { Steps } from "@tritype/protocol";
import { inSlices } from "./in-slices.ts";
import type { RouteContext } from "./route-context.ts";
import type { IncomingMessage } from "node:http";
import { createUnzip } from "node:zlib";
import { foreignError, PipelineError } from "@tritype/core";
import { collect } from "./collect.ts";
import { serverError } from "./errors.ts";

/**
 * The body, in its own memory (not the socket's pool), decompressed if its encoding is gzip or deflate. It is in memory
 * only once: compressed data is decompressed as it arrives.
 * @param allowed Bytes; at most 4 GiB.
 * @throws PipelineError `request/too-large` as soon as the body is known to be longer than that; the rest stays unread.
 * `request/unsupported` for another encoding, `request/invalid` for data that does not have the stated encoding.
 */
export const readBody = async (request: IncomingMessage, allowed: number): Promise<Uint8Array> => {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return readAsSent(request, allowed);
  const limit = allowedSize(request, allowed);
  if (encoding !== "gzip" && encoding !== "deflate")
    throw foreignError("request/unsupported", "Unsupported compression type", {
      help: "compress with gzip or deflate",
    });
  return decompress(request, limit);
};

/** The smaller of the limits in bytes. @throws PipelineError if the request announces a longer body */
const allowedSize = ({ headers }: IncomingMessage, allowed: number): number => {
  const limit = Math.min(allowed, longestBody);
  const announced = Number(headers["content-length"] ?? 0);
  if (announced > limit) throw tooLarge(announced, limit);
  return limit;
};

const readAsSent = (request: IncomingMessage, allowed: number): Promise<Uint8Array> => {
  const limit = allowedSize(request, allowed);
  const expected = Number(request.headers["content-length"] ?? 0);
  const refuse = (size: number) => size > limit && tooLarge(size, limit);
  return collect(request, { expected, refuse, gone, failed: gone });
};

/**
 * The result of these steps on the body of a route's request. As in Triton, only inference requests are decompressed.
 * @throws PipelineError as `readBody` and the steps.
 */
export const readMessage = async <T>(
  { request, maxBodyBytes, signal }: Pick<RouteContext, "request" | "maxBodyBytes" | "signal">,
  steps: (body: Uint8Array) => Steps<T>,
): Promise<T> => {
  const body = await readAsSent(request, maxBodyBytes);
  return inSlices(steps(body), body.byteLength, signal);
};

/** The largest number of bytes that Node can hold in one array. */
const longestBody = 2 ** 32;

const wayOut = (limit: number): string =>
  limit < longestBody
    ? "Use --http-max-input-size to increase the limit."
    : "This server cannot hold larger ones.";

/** Triton's message; N is the size of the body, or the bytes received so far of a chunked body. */
const tooLarge = (size: number, limit: number): PipelineError =>
  foreignError(
    "request/too-large",
    `request JSON size of ${size} bytes exceeds the maximum allowed input size of ${limit} bytes. ${wayOut(limit)}`,
  );

const gone = (cause?: unknown): PipelineError => serverError("request/connection-closed", {}, { cause });

/** Accepts either format regardless of the header, as Triton's zlib does. */
const decompress = async (request: IncomingMessage, limit: number): Promise<Uint8Array> => {
  const unzip = createUnzip({ chunkSize: 262_144 });
  let received = 0;
  const tooMuch = new Promise<never>((_, reject) => {
    request.on("data", (chunk: Uint8Array) => {
      received += chunk.byteLength;
      if (received > limit) reject(tooLarge(received, limit));
    });
    request.once("close", () => {
      if (!request.readableEnded) reject(gone());
    });
  });
  request.pipe(unzip);
  try {
    const data = collect(unzip, { expected: 0, refuse: (size) => size > limit && tooLong(limit), gone });
    return await Promise.race([data, tooMuch]);
  } catch (cause) {
    if (received === 0 && request.complete)
      throw foreignError("request/invalid", "nothing to be decompressed");
    if (PipelineError.is(cause)) throw cause;
    throw serverError("request/not-decompressed", { why: (cause as Error).message }, { cause });
  } finally {
    request.unpipe(unzip);
    unzip.destroy();
    // The rest of the body is read and dropped, so that the client sees the answer.
    request.resume();
    tooMuch.catch(() => {});
  }
};

const tooLong = (limit: number): PipelineError =>
  foreignError(
    "request/too-large",
    `Decompressed data size exceeds the maximum allowed value of ${limit} bytes. ${wayOut(limit)}`,
  );
