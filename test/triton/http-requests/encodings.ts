import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { RawRequest } from "../raw-request.ts";
import { binary, binaryInput, type Headers, int32, type Requests, sum } from "./infer-message.ts";

const body = String(sum().body);
const encoded = (encoding: string, bytes: Uint8Array | string): RawRequest => ({
  ...sum(),
  headers: { "Content-Encoding": encoding },
  body: bytes,
});
const accepting = (accepted: string, rest: Headers = {}): RawRequest =>
  sum({}, {}, { "Accept-Encoding": accepted, ...rest });
const mixed = binary("echo_int32", binaryInput("INT32", [1, 2], 8), int32(1, 2));

/** Compressed requests, compressed answers, and encodings that do not match the data. */
export const encodings: Requests = {
  gzip: encoded("gzip", gzipSync(body)),
  deflate: encoded("deflate", deflateSync(body)),
  "gzip that is deflate": encoded("gzip", deflateSync(body)),
  "deflate that is gzip": encoded("deflate", gzipSync(body)),
  "deflate without its head": encoded("deflate", deflateRawSync(body)),
  "gzip that is none": encoded("gzip", body),
  "gzip cut off": encoded("gzip", gzipSync(body).subarray(0, 40)),
  "gzip of nothing": encoded("gzip", gzipSync("")),
  "gzip of an empty body": encoded("gzip", ""),
  "gzip twice": encoded("gzip", gzipSync(gzipSync(body))),
  "gzip in capitals": encoded("GZIP", gzipSync(body)),
  "gzip with a space": encoded(" gzip ", gzipSync(body)),
  "gzip and deflate": encoded("gzip, deflate", gzipSync(body)),
  "x-gzip": encoded("x-gzip", gzipSync(body)),
  "gzip in two members": encoded(
    "gzip",
    Buffer.concat([gzipSync(body.slice(0, 20)), gzipSync(body.slice(20))]),
  ),
  "another encoding": encoded("br", body),
  brotli: encoded("br", brotliCompressSync(body)),
  "an unknown encoding": encoded("x", body),
  identity: encoded("identity", body),
  "an empty encoding": encoded("", body),
  "a binary request in gzip": {
    ...mixed,
    headers: { ...mixed.headers, "Content-Encoding": "gzip" },
    body: gzipSync(mixed.body as Uint8Array),
  },
  ...Object.fromEntries(
    [
      "/v2/repository/index",
      "/v2/repository/models/sum/load",
      "/v2/logging",
      "/v2/trace/setting",
      "/v2/systemsharedmemory/region/r/register",
    ].map((path) => [
      `JSON marked as gzip to ${path}`,
      { path, headers: { "Content-Encoding": "gzip" }, body: "{}" },
    ]),
  ),
  "gzip to the index": {
    path: "/v2/repository/index",
    headers: { "Content-Encoding": "gzip" },
    body: gzipSync('{"ready":true}'),
  },
  "an unknown encoding to the index": {
    path: "/v2/repository/index",
    headers: { "Content-Encoding": "x" },
    body: '{"ready":true}',
  },
  "accept gzip": accepting("gzip"),
  "accept deflate": accepting("deflate"),
  "accept both": accepting("gzip, deflate"),
  "accept deflate first": accepting("deflate, gzip"),
  "accept by weight": accepting("gzip;q=0.2, deflate;q=0.8"),
  "accept identity first": accepting("identity, gzip;q=0.5"),
  "accept nothing of it": accepting("gzip;q=0"),
  "accept anything": accepting("*"),
  "accept brotli": accepting("br"),
  "accept with a weight that is none": accepting("gzip;q=x"),
  "accept gzip of an error": { ...sum({ name: "C" }, {}, { "Accept-Encoding": "gzip" }) },
  "accept gzip of metadata": { path: "/v2/models/sum", headers: { "Accept-Encoding": "gzip" } },
  "accept gzip of binary data": {
    ...binary(
      "echo_int32",
      binaryInput("INT32", [1, 2], 8, { parameters: { binary_data_output: true } }),
      int32(1, 2),
    ),
    headers: {
      ...binary(
        "echo_int32",
        binaryInput("INT32", [1, 2], 8, { parameters: { binary_data_output: true } }),
        int32(1, 2),
      ).headers,
      "Accept-Encoding": "gzip",
    },
  },
};
