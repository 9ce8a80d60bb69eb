import { promisify } from "node:util";
import { deflate, gzip } from "node:zlib";
import type { Answer } from "./answer.ts";

const compressors: Readonly<Record<string, (data: Uint8Array | string) => Promise<Uint8Array>>> = {
  gzip: promisify(gzip),
  deflate: promisify(deflate),
};

/** Compresses the body if `Accept-Encoding` prefers gzip or deflate. Other encodings are ignored. */
export const compressAnswer = (
  answer: Answer,
  acceptEncoding: string | undefined,
): Answer | Promise<Answer> => {
  if (acceptEncoding === undefined || answer.body.length === 0) return answer;
  const encoding = preferredEncoding(acceptEncoding);
  const compress = compressors[encoding];
  return compress === undefined
    ? answer
    : compress(answer.body).then((body) => ({
        ...answer,
        headers: { ...answer.headers, "Content-Encoding": encoding },
        body,
      }));
};

/** The first of the known encodings with the greatest weight; "identity" if there is none. */
export const preferredEncoding = (header: string): string => {
  let best = { name: "identity", weight: 0 };
  for (const part of header.split(",")) {
    const [name = "", weightText] = part.trim().split(";q=");
    const weight = weightText === undefined ? 1 : Number.parseFloat(weightText);
    if ((name === "identity" || Object.hasOwn(compressors, name)) && weight > best.weight)
      best = { name, weight };
  }
  return best.name;
};
