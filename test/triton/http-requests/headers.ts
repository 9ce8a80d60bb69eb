import { binary, binaryInput, int32, type Requests, sum } from "./infer-message.ts";

const good = (headers: Readonly<Record<string, string>>): ReturnType<typeof sum> => sum({}, {}, headers);
const lengthOf = (length: string): ReturnType<typeof binary> =>
  binary("echo_int32", binaryInput("INT32", [1, 1], 4), int32(1), length);
const exact = Buffer.byteLength(JSON.stringify(binaryInput("INT32", [1, 1], 4)));

/** Headers that have a meaning, and headers that must not have one. */
export const headers: Requests = {
  "a header length with a space in front": lengthOf(` ${exact}`),
  "a header length with a plus": lengthOf(`+${exact}`),
  "a header length with zeros in front": lengthOf(`000${exact}`),
  "a header length with a unit": lengthOf(`${exact} bytes`),
  "a header length with a point": lengthOf(`${exact}.5`),
  "a header length in hexadecimal": lengthOf(`0x${exact.toString(16)}`),
  "a header length with an exponent": lengthOf("1e2"),
  "a header length of one more": lengthOf(String(exact + 1)),
  "a header length of one less": lengthOf(String(exact - 1)),
  "a header length of the body": lengthOf(String(exact + 4)),
  "a header length of one more than the body": lengthOf(String(exact + 5)),
  "a header length beyond int32": lengthOf("99999999999"),
  "a header length beyond int64": lengthOf("99999999999999999999"),
  "an empty header length": lengthOf(""),
  "two header lengths": lengthOf(`${exact}, ${exact}`),
  "a header length in small letters": {
    ...lengthOf(String(exact)),
    headers: { "inference-header-content-length": String(exact) },
  },
  "the header length of another protocol": good({ "X-Inference-Header-Content-Length": "3" }),
  "no type": good({}),
  "JSON's type": good({ "Content-Type": "application/json" }),
  "a binary type for JSON": good({ "Content-Type": "application/octet-stream" }),
  "a type that is none": good({ "Content-Type": "none" }),
  "another charset": good({ "Content-Type": "application/json; charset=utf-16" }),
  "accept something else": good({ Accept: "text/html" }),
  "a header of 8 kB": good({ "X-Long": "x".repeat(8000) }),
  "many headers": good(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`X-${i}`, String(i)]))),
  "a header that is Latin-1": good({ "X-Name": "\u00e9" }),
  "another host": good({ Host: "triton.example:1" }),
  "an override of the method": good({ "X-HTTP-Method-Override": "GET" }),
  "expect an answer before the body": good({ Expect: "100-continue" }),
  "a body in chunks": { ...sum(), chunked: true },
  "a connection that closes": good({ Connection: "close" }),
  "a range": { path: "/v2/models/sum", headers: { Range: "bytes=0-3" } },
  "a condition": { path: "/v2/models/sum", headers: { "If-None-Match": "*" } },
  "an origin": { path: "/v2/models/sum", headers: { Origin: "http://example.org" } },
  "a parameter in a header": good({ "triton-sequence-id": "5" }),
  "HEAD of live": { method: "HEAD", path: "/v2/health/live" },
  "HEAD of metadata": { method: "HEAD", path: "/v2/models/sum" },
};
