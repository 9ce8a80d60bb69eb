import type { GrpcRequest } from "../grpc-call.ts";
import { floats, infer, type Json, tensor } from "../grpc-requests/infer-message.ts";
import { key, objectSize, others, places, textBytes } from "./memory-object.ts";

/** Requests that are sent one after the other to a server where no region is registered. */
type Sequence = readonly GrpcRequest[];
export type GrpcSequences = Readonly<Record<string, Sequence>>;

const call = (method: string, message: object = {}): GrpcRequest => ({ method, message });
const whole = { name: "r", key, offset: 0, byte_size: objectSize };
const register = (message: object): GrpcRequest => call("SystemSharedMemoryRegister", message);
/** Registers the whole object as `r`. */
const r = register(whole);
const status = (name = ""): GrpcRequest => call("SystemSharedMemoryStatus", { name });
const unregister = (name: string): GrpcRequest => call("SystemSharedMemoryUnregister", { name });
const cuda = (action: string, message: object = {}): GrpcRequest =>
  call(`CudaSharedMemory${action}`, message);

const registering = (changes: Readonly<Record<string, object>>): GrpcSequences =>
  Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [
      `register: ${name}`,
      [register({ ...whole, ...change }), status()],
    ]),
  );

export const registration: GrpcSequences = {
  "status of no regions": [status()],
  "status of an unknown region": [status("q")],
  "a region": [r, status(), status("r")],
  "a region again": [r, r, status()],
  "a region again with another object": [r, register({ ...whole, key: "/nope" })],
  "unregister a region": [r, unregister("r"), status()],
  "unregister a region twice": [r, unregister("r"), unregister("r")],
  "unregister an unknown region": [unregister("q")],
  "unregister all of no regions": [unregister("")],
  "unregister all": [r, unregister(""), status()],
  "register after unregister": [r, unregister("r"), r, status()],
  ...registering({
    nothing: { name: "", key: "", byte_size: 0 },
    "no name": { name: "" },
    "a name with a slash": { name: "a/b" },
    "a name in Unicode": { name: "größe" },
    "a name as of another language": { name: "__proto__" },
    "a size of 0": { byte_size: 0 },
    "a size of one byte": { byte_size: 1 },
    "a size that is too large": { byte_size: objectSize + 1 },
    "a size beyond the end": { offset: 8192, byte_size: 4097 },
    "a size up to the end": { offset: 8192, byte_size: 4096 },
    "an offset that is not at a page": { offset: 8, byte_size: 8 },
    "an offset at the end": { offset: objectSize, byte_size: 8 },
    "an offset far beyond": { offset: 2 ** 40, byte_size: 8 },
    "a key without a slash": { key: key.slice(1) },
    "a key with two slashes": { key: `/${key}` },
    "an empty key": { key: "" },
    "an unknown key": { key: "/tritype-test-nope" },
    "a key in a folder": { key: "/a/b" },
    "a key that leads out": { key: "../etc/hostname" },
    "a key that leads out and back": { key: `/../shm${key}` },
    "a key of two dots": { key: ".." },
    "a link": { key: others.link },
    "a folder": { key: others.folder },
    "a key with a NUL": { key: `${key}\0x` },
  }),
};

export const cudaRegions: GrpcSequences = {
  "status of no CUDA regions": [cuda("Status")],
  "status of an unknown CUDA region": [cuda("Status", { name: "q" })],
  "a system region as a CUDA region": [r, cuda("Status", { name: "r" })],
  "unregister all CUDA regions": [r, cuda("Unregister"), status()],
  "unregister a CUDA region": [cuda("Unregister", { name: "q" })],
  "unregister a system region as a CUDA region": [r, cuda("Unregister", { name: "r" }), status()],
  "register a CUDA region": [
    cuda("Register", { name: "c", raw_handle: Buffer.alloc(64), byte_size: 64, device_id: 0 }),
  ],
};

const text = (value: string): Json => ({ string_param: value });
const integer = (value: number): Json => ({ int64_param: value });
const part = (offset: number, size: number, more: Json = {}): Json => ({
  parameters: {
    shared_memory_region: text("r"),
    shared_memory_offset: integer(offset),
    shared_memory_byte_size: integer(size),
    ...more,
  },
});
const row = (name: string, rest: Json): Json => tensor(name, "FP32", [1, 2], rest);
const [inA, inB] = [row("A", part(places.a, 8)), row("B", part(places.b, 8))];
const sum = (a: Json, b: Json, rest: Json = {}): Sequence => [
  r,
  infer({ model_name: "sum", inputs: [a, b], ...rest }),
];
const out = (...outputs: readonly Json[]): Sequence => sum(inA, inB, { outputs });
const echo = (
  model: string,
  datatype: string,
  shape: readonly number[],
  given: Json,
  rest: Json = {},
): Sequence => [r, infer({ model_name: model, inputs: [tensor("X", datatype, shape, given)], ...rest })];
const strings = (offset: number, size: number, shape: readonly number[] = [1, 2]): Sequence =>
  echo("echo_bytes", "BYTES", shape, part(offset, size));
const output = (name: string, rest: Json = {}): Json => ({ name, ...rest });
const toFree = part(places.free, 8);
/** The parameters of the second input, without those that are undefined. */
const b = (parameters: Json): Sequence => sum(inA, row("B", { parameters }));

export const inference: GrpcSequences = {
  "inputs in a region": sum(inA, inB),
  "one input in a region, another raw": sum(inA, row("B", {}), { raw_input_contents: [floats(0.5, -3)] }),
  "one input raw, another in a region": sum(row("A", {}), inB, { raw_input_contents: [floats(1, 2)] }),
  "one input in a region, another with contents": sum(
    inA,
    row("B", { contents: { fp32_contents: [0.5, -3] } }),
  ),
  "contents for an input in a region": sum(inA, { ...inB, contents: { fp32_contents: [0.5, -3] } }),
  "raw contents for no input": sum(inA, inB, { raw_input_contents: [floats(1, 2)] }),
  "no data for the other input": sum(inA, row("B", {})),
  "an output in a region": out(output("SUM", toFree)),
  "an output in a region, another in the answer": out(output("SUM", toFree), output("DIFF")),
  "both outputs in a region": out(output("SUM", toFree), output("DIFF", part(places.free + 8, 8))),
  "an output over an input": out(output("SUM", part(places.a, 8))),
  "an output at the end": out(output("SUM", part(objectSize - 8, 8))),
  "an output with room": out(output("SUM", part(places.free, 100))),
  "an output without room": out(output("SUM", part(places.free, 7))),
  "an output twice": out(output("SUM", toFree), output("SUM", part(places.free + 8, 8))),
  "an unknown output in a region": out(output("NOPE", toFree)),
  "an unknown region for an input": b({
    shared_memory_region: text("q"),
    shared_memory_byte_size: integer(8),
  }),
  "an unknown region for an output": out(
    output("SUM", { parameters: { shared_memory_region: text("q"), shared_memory_byte_size: integer(8) } }),
  ),
  "a region that was unregistered": [r, unregister("r"), infer({ model_name: "sum", inputs: [inA, inB] })],
  "a region that is a number": b({ shared_memory_region: integer(1), shared_memory_byte_size: integer(8) }),
  "a region without a value": b({ shared_memory_region: {}, shared_memory_byte_size: integer(8) }),
  "an empty name of a region": b({ shared_memory_region: text(""), shared_memory_byte_size: integer(8) }),
  "an offset that is text": b({
    shared_memory_region: text("r"),
    shared_memory_offset: text("8"),
    shared_memory_byte_size: integer(8),
  }),
  "an offset that is unsigned": b({
    shared_memory_region: text("r"),
    shared_memory_offset: { uint64_param: 8 },
    shared_memory_byte_size: integer(8),
  }),
  "an offset below 0": sum(inA, row("B", part(-8, 8))),
  "an offset of -1 and a size of 1": sum(inA, row("B", part(-1, 1))),
  "a size that is text": b({ shared_memory_region: text("r"), shared_memory_byte_size: text("8") }),
  "a size below 0 at the start": sum(inA, row("B", part(0, -8))),
  "a size of 0": sum(inA, row("B", part(8, 0))),
  "a size of 0 at the start": sum(inA, row("B", part(0, 0))),
  "no size": b({ shared_memory_region: text("r"), shared_memory_offset: integer(8) }),
  "no offset": sum(
    row("A", { parameters: { shared_memory_region: text("r"), shared_memory_byte_size: integer(8) } }),
    inB,
  ),
  "an offset without a region": b({ shared_memory_offset: integer(8) }),
  "an offset that is text without a region": b({ shared_memory_offset: text("8") }),
  "a size without a region": b({ shared_memory_byte_size: integer(8) }),
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
  "an output without a size": out(output("SUM", { parameters: { shared_memory_region: text("r") } })),
  "an output with a size without a region": out(
    output("SUM", { parameters: { shared_memory_byte_size: integer(8) } }),
  ),
  "an output with a region that is a number": out(
    output("SUM", { parameters: { shared_memory_region: integer(1) } }),
  ),
  "a smaller region": [
    register({ ...whole, byte_size: 16 }),
    infer({ model_name: "sum", inputs: [inA, inB], outputs: [output("SUM", toFree)] }),
  ],
  "a region and classes": out(output("SUM", part(places.free, 8, { classification: integer(1) }))),
  "a region and classes below 0": out(output("SUM", part(places.free, 8, { classification: integer(-1) }))),
  "a wrong dtype in a region": sum(inA, { ...inB, datatype: "INT32" }),
  "a wrong shape in a region": sum(inA, { ...inB, shape: [2, 1] }),
  "two rows in a region": sum(
    { ...inA, ...part(0, 16), shape: [2, 2] },
    { ...inB, ...part(0, 16), shape: [2, 2] },
  ),
  "FP16 in and out": echo("echo_fp16", "FP16", [1, 2], part(places.half, 4), {
    outputs: [output("Y", part(places.free, 4))],
  }),
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
    infer({
      model_name: "sum_twice",
      inputs: [inA, inB],
      outputs: [output("SUM", toFree), output("DIFF", part(places.free + 8, 8))],
    }),
  ],
  "an ensemble's output without room": [
    r,
    infer({ model_name: "sum_twice", inputs: [inA, inB], outputs: [output("SUM", part(places.free, 4))] }),
  ],
  "an unknown model": [r, infer({ model_name: "nope", inputs: [inA, inB] })],
  "unregister after an inference": [
    r,
    infer({ model_name: "sum", inputs: [inA, inB] }),
    unregister("r"),
    status(),
  ],
};
