import { infer, type Json } from "../http-requests/infer-message.ts";
import type { RawRequest } from "../raw-request.ts";
import { key, objectSize, others, places, textBytes } from "./memory-object.ts";

/** Requests that are sent one after the other to a server where no region is registered. */
type Sequence = readonly RawRequest[];
export type HttpSequences = Readonly<Record<string, Sequence>>;

const system = (rest: string, body?: unknown, method?: string): RawRequest => ({
  path: `/v2/systemsharedmemory${rest}`,
  ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  ...(method === undefined ? {} : { method }),
});
const register = (name: string, body: unknown): RawRequest => system(`/region/${name}/register`, body);
const whole = { key, offset: 0, byte_size: objectSize };
/** Registers the whole object as `r`. */
const r = register("r", whole);
const status = system("/status");
const unregister = (name: string): RawRequest => system(`/region/${name}/unregister`, "");
const unregisterAll = system("/unregister", "");

const cuda = (rest: string, body?: string): RawRequest => ({
  path: `/v2/cudasharedmemory${rest}`,
  ...(body === undefined ? {} : { body }),
});

const handle = { b64: Buffer.alloc(64).toString("base64") };
const registerCuda = (bodies: Readonly<Record<string, unknown>>): HttpSequences =>
  Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [
      `register a CUDA region: ${name}`,
      [cuda("/region/c/register", typeof body === "string" ? body : JSON.stringify(body))],
    ]),
  );

/** For each body, a request that registers a region with it and one that lists the registered regions. */
const registering = (bodies: Readonly<Record<string, unknown>>): HttpSequences =>
  Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [`register: ${name}`, [register("r", body), status]]),
  );

export const registration: HttpSequences = {
  "status of no regions": [status],
  "status of an unknown region": [system("/region/q/status")],
  "a region": [r, status, system("/region/r/status")],
  "regions in another order": [register("b", whole), unregister("b"), register("a", whole), status],
  "a region again": [r, r, status],
  "a region again with another object": [r, register("r", { ...whole, key: "/nope" })],
  "unregister a region": [r, unregister("r"), status],
  "unregister a region twice": [r, unregister("r"), unregister("r")],
  "unregister an unknown region": [unregister("q")],
  "unregister all of no regions": [unregisterAll],
  "unregister all": [r, unregisterAll, status],
  "register after unregister": [r, unregister("r"), r, status],
  "a part of the object": [register("r", { key, offset: 4096, byte_size: 100 }), status],
  "a name that is escaped": [register("%72", whole), system("/region/r/status"), status],
  "a name with a space, escaped": [register("a%20b", whole), status],
  "register without a name": [system("/register", whole)],
  "an empty name": [system("/region//register", whole)],
  "GET of register": [system("/region/r/register")],
  "GET of unregister": [system("/unregister")],
  "PUT of register": [system("/region/r/register", whole, "PUT")],
  "POST of status": [system("/status", {})],
  "a slash at the end": [system("/status/")],
  "an unknown action": [system("/list")],
  "a query": [system("/status?x=1")],
  ...registering({
    "an empty body": "",
    "no JSON": "{",
    "a list": [],
    null: "null",
    "no key": { byte_size: 8 },
    "no size": { key },
    "no offset": { key, byte_size: 8 },
    "a key that is a number": { ...whole, key: 1 },
    "a key that is null": { ...whole, key: null },
    "an offset that is text": { ...whole, offset: "0" },
    "an offset below 0": { ...whole, offset: -4096 },
    "an offset that is a fraction": { ...whole, offset: 0.5 },
    "an offset that is a double": `{"key":"${key}","offset":0.0,"byte_size":8}`,
    "an offset that is null": { ...whole, offset: null },
    "a size that is text": { ...whole, byte_size: "8" },
    "a size below 0": { ...whole, byte_size: -8 },
    "a size that is a double": `{"key":"${key}","byte_size":8.0}`,
    "a size that is null": { ...whole, byte_size: null },
    "a size of 0": { ...whole, byte_size: 0 },
    "a size of one byte": { ...whole, byte_size: 1 },
    "a size that is too large": { ...whole, byte_size: objectSize + 1 },
    "a size beyond the end": { key, offset: 8192, byte_size: 4097 },
    "a size up to the end": { key, offset: 8192, byte_size: 4096 },
    "an offset that is not at a page": { key, offset: 8, byte_size: 8 },
    "an offset at the end": { key, offset: objectSize, byte_size: 8 },
    "an offset at the end, and no size": { key, offset: objectSize, byte_size: 0 },
    "an offset far beyond": { key, offset: 2 ** 40, byte_size: 8 },
    "something unknown": { ...whole, more: 1 },
    "a key without a slash": { ...whole, key: key.slice(1) },
    "a key with two slashes": { ...whole, key: `/${key}` },
    "a key with a slash at the end": { ...whole, key: `${key}/` },
    "an empty key": { ...whole, key: "" },
    "a key that is a slash": { ...whole, key: "/" },
    "an unknown key": { ...whole, key: "/tritype-test-nope" },
    "a key in a folder": { ...whole, key: "/a/b" },
    "a key that leads out": { ...whole, key: "../etc/hostname" },
    "a key that leads out and back": { ...whole, key: `/../shm${key}` },
    "an absolute path": { ...whole, key: `/dev/shm${key}` },
    "a key of two dots": { ...whole, key: ".." },
    "a key of a dot": { ...whole, key: "/." },
    "a link": { ...whole, key: others.link },
    "a folder": { ...whole, key: others.folder },
    "a long key": { ...whole, key: others.long },
    "a longer key": { ...whole, key: `${others.long}n` },
    "a key in Unicode": { ...whole, key: "/größe" },
  }),
};

export const cudaRegions: HttpSequences = {
  "status of no CUDA regions": [cuda("/status")],
  "status of an unknown CUDA region": [cuda("/region/q/status")],
  "a system region as a CUDA region": [r, cuda("/region/r/status")],
  "unregister all CUDA regions": [r, cuda("/unregister", ""), status],
  "unregister a CUDA region": [cuda("/region/q/unregister", "")],
  "unregister a system region as a CUDA region": [r, cuda("/region/r/unregister", ""), status],
  "register a CUDA region without a name": [cuda("/register", "{}")],
  "register a CUDA region": [
    cuda("/region/c/register", JSON.stringify({ raw_handle: handle, byte_size: 64, device_id: 0 })),
  ],
  ...registerCuda({
    "an empty body": "",
    "no JSON": "{",
    "a list": [],
    "no handle": { byte_size: 64, device_id: 0 },
    "a handle that is text": { raw_handle: "AAAA", byte_size: 64, device_id: 0 },
    "a handle that is null": { raw_handle: null, byte_size: 64, device_id: 0 },
    "a handle without base64": { raw_handle: {}, byte_size: 64, device_id: 0 },
    "base64 that is a number": { raw_handle: { b64: 5 }, byte_size: 64, device_id: 0 },
    "a handle that is empty": { raw_handle: { b64: "" }, byte_size: 64, device_id: 0 },
    "a handle that is not base64": { raw_handle: { b64: "@@" }, byte_size: 64, device_id: 0 },
    "a handle that is too short": { raw_handle: { b64: "AAAA" }, byte_size: 64, device_id: 0 },
    "a handle that is too long": { raw_handle: { b64: `AAAA${handle.b64}` }, byte_size: 64, device_id: 0 },
    "no size": { raw_handle: handle, device_id: 0 },
    "a size that is text": { raw_handle: { b64: "" }, byte_size: "64", device_id: 0 },
    "no device": { raw_handle: handle, byte_size: 64 },
    "a device that is text": { raw_handle: { b64: "" }, byte_size: 64, device_id: "0" },
    "a device below 0": { raw_handle: handle, byte_size: 64, device_id: -1 },
  }),
};

const part = (offset: unknown, size: unknown, more: Json = {}): Json => ({
  parameters: {
    shared_memory_region: "r",
    shared_memory_offset: offset,
    shared_memory_byte_size: size,
    ...more,
  },
});
const row = (name: string, rest: Json): Json => ({ name, datatype: "FP32", shape: [1, 2], ...rest });
const [inA, inB] = [row("A", part(places.a, 8)), row("B", part(places.b, 8))];
const dataB = row("B", { data: [0.5, -3] });
const sum = (a: Json, b: Json, rest: Json = {}): Sequence => [r, infer("sum", { inputs: [a, b], ...rest })];
/** A request with inputs from the region and these outputs. */
const out = (...outputs: readonly Json[]): Sequence => sum(inA, inB, { outputs });
const echo = (model: string, datatype: string, shape: unknown, given: Json, rest: Json = {}): Sequence => [
  r,
  infer(model, { inputs: [{ name: "X", datatype, shape, ...given }], ...rest }),
];
const strings = (offset: number, size: number, shape: unknown = [1, 2]): Sequence =>
  echo("echo_bytes", "BYTES", shape, part(offset, size));
const output = (name: string, rest: Json = {}): Json => ({ name, ...rest });
const toFree = part(places.free, 8);

export const inference: HttpSequences = {
  "inputs in a region": sum(inA, inB),
  "one input in a region": sum(inA, dataB),
  "the same part twice": sum(inA, row("B", part(places.a, 8))),
  "an output in a region": out(output("SUM", toFree)),
  "an output in a region, another in the answer": out(output("SUM", toFree), output("DIFF")),
  "an output in a region, another as binary data": out(
    output("SUM", toFree),
    output("DIFF", { parameters: { binary_data: true } }),
  ),
  "both outputs in a region": out(output("SUM", toFree), output("DIFF", part(places.free + 8, 8))),
  "an output over an input": out(output("SUM", part(places.a, 8))),
  "an output at the end": out(output("SUM", part(objectSize - 8, 8))),
  "an output with room": out(output("SUM", part(places.free, 100))),
  "an output without room": out(output("SUM", part(places.free, 7))),
  "an output that is only described, binary by default": sum(inA, inB, {
    outputs: [output("SUM", toFree)],
    parameters: { binary_data_output: true },
  }),
  "an output twice": out(output("SUM", toFree), output("SUM", part(places.free + 8, 8))),
  "an output in a region and in the answer": out(output("SUM", toFree), output("SUM")),
  "an unknown output in a region": out(output("NOPE", toFree)),
  "an unknown region for an input": [
    r,
    infer("sum", {
      inputs: [inA, row("B", { parameters: { shared_memory_region: "q", shared_memory_byte_size: 8 } })],
    }),
  ],
  "an unknown region for an output": out(output("SUM", part(0, 8, { shared_memory_region: "q" }))),
  "an unknown region and a wrong input": sum(
    row("A", part(0, 8, { shared_memory_region: "q" })),
    row("B", { shape: "x" }),
  ),
  "a region that was unregistered": [r, unregister("r"), infer("sum", { inputs: [inA, inB] })],
  "an empty name of a region": sum(inA, row("B", part(8, 8, { shared_memory_region: "" }))),
  "a region that is a number": sum(inA, row("B", part(8, 8, { shared_memory_region: 1 }))),
  "a region that is null": sum(inA, row("B", part(8, 8, { shared_memory_region: null }))),
  "an offset that is text": sum(inA, row("B", part("8", 8))),
  "an offset below 0": sum(inA, row("B", part(-8, 8))),
  "an offset that is a fraction": sum(inA, row("B", part(0.5, 8))),
  "an offset that is null": sum(inA, row("B", part(null, 8))),
  "a size that is text": sum(inA, row("B", part(8, "8"))),
  "a size below 0": sum(inA, row("B", part(8, -8))),
  "a size that is null": sum(inA, row("B", part(8, null))),
  "a size of 0": sum(inA, row("B", part(8, 0))),
  "a size of 0 at the start": sum(inA, row("B", part(0, 0))),
  "no size": sum(inA, row("B", { parameters: { shared_memory_region: "r", shared_memory_offset: 8 } })),
  "no offset": sum(row("A", { parameters: { shared_memory_region: "r", shared_memory_byte_size: 8 } }), inB),
  "neither size nor offset": sum(inA, row("B", { parameters: { shared_memory_region: "r" } })),
  "a size below the shape's": sum(inA, row("B", part(8, 4))),
  "a size above the shape's": sum(inA, row("B", part(8, 12))),
  "the last bytes": sum(inA, row("B", part(objectSize - 8, 8))),
  "an offset at the end": sum(inA, row("B", part(objectSize, 8))),
  "an offset far beyond": sum(inA, row("B", part(2 ** 40, 8))),
  "a part beyond the end": sum(inA, row("B", part(objectSize - 4, 8))),
  "a size far beyond": sum(inA, row("B", part(8, 2 ** 40))),
  "an output at the end of the region": out(output("SUM", part(objectSize, 8))),
  "an output beyond the end": out(output("SUM", part(objectSize - 4, 8))),
  "an output of size 0": out(output("SUM", part(places.free, 0))),
  "an output without a size": out(
    output("SUM", { parameters: { shared_memory_region: "r", shared_memory_offset: places.free } }),
  ),
  "an output with an offset that is text": out(output("SUM", part("0", 8))),
  "an output with a region that is a number": out(output("SUM", part(0, 8, { shared_memory_region: 5 }))),
  "a smaller region": [
    register("r", { key, offset: 0, byte_size: 16 }),
    infer("sum", { inputs: [inA, inB], outputs: [output("SUM", toFree)] }),
  ],
  "data and a region": sum(inA, { ...inB, data: [1, 2] }),
  "a size of binary data and a region": sum(inA, row("B", part(8, 8, { binary_data_size: 8 }))),
  "an offset without a region": sum(
    inA,
    row("B", { data: [0.5, -3], parameters: { shared_memory_offset: 8 } }),
  ),
  "an offset that is text without a region": sum(
    inA,
    row("B", { data: [0.5, -3], parameters: { shared_memory_offset: "8" } }),
  ),
  "a size that is text without a region": sum(
    inA,
    row("B", { data: [0.5, -3], parameters: { shared_memory_byte_size: "8" } }),
  ),
  "an output with an offset without a region": out(
    output("SUM", { parameters: { shared_memory_offset: "x" } }),
  ),
  "a region and classes": out(output("SUM", part(places.free, 8, { classification: 1 }))),
  "a region and no classes": out(output("SUM", part(places.free, 8, { classification: 0 }))),
  "a region and binary data": out(output("SUM", part(places.free, 8, { binary_data: true }))),
  "a region and no binary data": out(output("SUM", part(places.free, 8, { binary_data: false }))),
  "a region and binary data that is text": out(output("SUM", part(places.free, 8, { binary_data: "x" }))),
  "a wrong dtype in a region": sum(inA, { ...inB, datatype: "INT32" }),
  "an unknown dtype in a region": sum(inA, { ...inB, datatype: "FP31" }),
  "a wrong shape in a region": sum(inA, { ...inB, shape: [2, 1] }),
  "two rows in a region": sum(
    { ...inA, ...part(0, 16), shape: [2, 2] },
    { ...inB, ...part(0, 16), shape: [2, 2] },
  ),
  "FP16 in and out": echo("echo_fp16", "FP16", [1, 2], part(places.half, 4), {
    outputs: [output("Y", part(places.free, 4))],
  }),
  "FP16 in, JSON out": echo("echo_fp16", "FP16", [1, 2], part(places.half, 4)),
  "INT32 in and out": echo("echo_int32", "INT32", [2, 2], part(places.integers, 16), {
    outputs: [output("Y", part(places.free, 16))],
  }),
  "no elements": echo("echo_int32", "INT32", [0, 2], part(places.integers, 0), {
    outputs: [output("Y", part(places.free, 16))],
  }),
  strings: strings(places.text, textBytes.length),
  "strings out": echo("echo_bytes", "BYTES", [1, 2], part(places.text, textBytes.length), {
    outputs: [output("Y", part(places.free, 100))],
  }),
  "strings out without room": echo("echo_bytes", "BYTES", [1, 2], part(places.text, textBytes.length), {
    outputs: [output("Y", part(places.free, textBytes.length - 1))],
  }),
  "strings that end in their length": strings(places.text, 2),
  "strings that end in their text": strings(places.text, 6),
  "strings with a length that is too large": strings(places.brokenText, 8, [1, 1]),
  "too few strings": strings(places.text, textBytes.length, [1, 3]),
  "too many strings": strings(places.text, textBytes.length, [1, 1]),
  "an ensemble with inputs and outputs in a region": [
    r,
    infer("sum_twice", {
      inputs: [inA, inB],
      outputs: [output("SUM", toFree), output("DIFF", part(places.free + 8, 8))],
    }),
  ],
  "an ensemble's output without room": [
    r,
    infer("sum_twice", { inputs: [inA, inB], outputs: [output("SUM", part(places.free, 4))] }),
  ],
  "an unknown model": [r, infer("nope", { inputs: [inA, inB] })],
  "unregister after an inference": [r, infer("sum", { inputs: [inA, inB] }), unregister("r"), status],
  "unregister after a refused inference": [
    r,
    infer("sum", { inputs: [inA, row("B", part(8, 4))] }),
    unregister("r"),
    status,
  ],
};
