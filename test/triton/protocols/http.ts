import { describe, expect, test } from "vitest";
import { type Differences, namesOf, requestNames } from "../differences.ts";
import { shown } from "../http-reply.ts";
import { httpRequests } from "../http-requests/corpus.ts";
import { type RawRequest, sendRaw } from "../raw-request.ts";
import type { Servers } from "./servers.ts";

const differences: Differences = {
  "it says who it is and which extensions it has": ["the server's metadata"],
  "a scalar has one element; Triton counts none and never looks at its data": [
    "no rank, much data",
    "a list for an input's shape",
  ],
  "ONNX Runtime for Node.js wants UTF-8: refused instead of changed": [
    "binary text that is no UTF-8, binary out",
  ],
  "Triton hands bytes that are not UTF-8 to the model; JSON is UTF-8, and binary data is the solution": [
    "bytes in a string that are no UTF-8",
    "a low surrogate alone",
    "gzip twice",
    "gzip to the index",
  ],
  "RapidJSON does not round integers beyond 64 bits to the nearest double": [
    "an integer of thirty digits as a float",
  ],
  "releases after 24.10 refuse it as the local server does; 24.10 lets it through or reads 0": [
    "a header length that is no number",
    "a header length beyond int32",
    "a header length beyond int64",
    "an empty header length",
    "a dim beyond int64",
    "dims whose product is beyond int64",
    "2^63 for an input's dim",
  ],
  "24.10 takes what it cannot decompress, or what follows, for nothing; here it is refused, or read": [
    "gzip that is none",
    "gzip cut off",
    "gzip in two members",
    "deflate without its head",
  ],
  "Triton answers pages of any origin; the local server keeps them out": ["an origin"],
  "HTTP says that white space around a value does not count": ["gzip with a space"],
  "Triton sends a body after HEAD, which HTTP forbids": ["HEAD of live", "HEAD of metadata"],
  "the name of a dtype is looked at before the model is": ["binary data of an unknown dtype"],
  "Triton names the inputs in the order of a hash table": ["a third input"],
};
const different = namesOf(differences, requestNames(httpRequests));

const answerOf = async (url: string, request: RawRequest): Promise<object> => {
  try {
    return shown(await sendRaw(url, request));
  } catch (error) {
    return { failed: String(error) };
  }
};

export const httpTests = (servers: () => Servers): void => {
  describe.each(Object.entries(httpRequests))("%s", (_, requests) => {
    test.concurrent.each(Object.entries(requests))("%s", async (name, request) => {
      const [wanted, got] = await Promise.all([
        answerOf(servers().triton.httpUrl, request),
        answerOf(servers().http.url, request),
      ]);
      if (different.has(name)) expect(got).not.toEqual(wanted);
      else expect(got).toEqual(wanted);
    });
  });
};
