import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { unzip } from "node:zlib";
import { PipelineError } from "@tritype/core";

/**
 * The body, in memory of its own (not the socket's pool), decompressed when the request says gzip or deflate.
 * @throws PipelineError `request/too-large` as soon as the body is known to be longer than `limit` bytes; the rest stays unread.
 * `request/unsupported` for another encoding, `request/invalid` for data that is not what it says.
 */
export const readBody = async (request: IncomingMessage, limit: number): Promise<Uint8Array> => {
  const body = await readAll(request, limit);
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return body;
  if (encoding !== "gzip" && encoding !== "deflate")
    throw new PipelineError("request/unsupported", "Unsupported compression type", {
      help: "compress with gzip or deflate",
    });
  return decompress(body, limit);
};

const readAll = (request: IncomingMessage, limit: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > limit) {
      reject(tooLarge(announced, limit));
      return;
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    const onData = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= limit) return;
      request.off("data", onData);
      reject(tooLarge(size, limit));
    };
    const onClose = (): void => reject(gone(undefined));
    request.on("data", onData);
    request.once("end", () => {
      request.off("close", onClose);
      resolve(join(chunks, size));
    });
    request.once("error", (cause) => reject(gone(cause)));
    request.once("close", onClose);
  });

const gone = (cause: unknown): PipelineError =>
  new PipelineError("request/invalid", "the client closed the connection", { cause });

const join = (chunks: readonly Uint8Array[], size: number): Uint8Array => {
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
};

/** Triton's words; N is the body's size, or what had arrived of a chunked body. */
const tooLarge = (size: number, limit: number): PipelineError =>
  new PipelineError(
    "request/too-large",
    `request JSON size of ${size} bytes exceeds the maximum allowed input size of ${limit} bytes. Use --http-max-input-size to increase the limit.`,
  );

/** Takes either format whatever the header says, as Triton's zlib does. */
const inflate = promisify(unzip) as (
  data: Uint8Array,
  options: { readonly maxOutputLength: number },
) => Promise<Uint8Array>;

const decompress = async (body: Uint8Array, limit: number): Promise<Uint8Array> => {
  if (body.byteLength === 0) throw new PipelineError("request/invalid", "nothing to be decompressed");
  try {
    const data = await inflate(body, { maxOutputLength: limit });
    return new Uint8Array(data);
  } catch (cause) {
    if ((cause as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE")
      throw new PipelineError(
        "request/too-large",
        `Decompressed data size exceeds the maximum allowed value of ${limit} bytes. Use --http-max-input-size to increase the limit.`,
        { cause },
      );
    throw new PipelineError(
      "request/invalid",
      `the body cannot be decompressed: ${(cause as Error).message}`,
      { cause },
    );
  }
};
