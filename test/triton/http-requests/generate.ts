import type { RawRequest } from "../raw-request.ts";
import type { Headers, Requests } from "./infer-message.ts";

/** A generate request. `body`: a value to send as JSON, or text. */
const generate = (model: string, body: unknown, headers: Headers = {}): RawRequest => ({
  path: `/v2/models/${model}/generate`,
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers,
});
const asked = (body: unknown): RawRequest => generate("asked", body);
const sum = (body: unknown, headers: Headers = {}): RawRequest => generate("sum", body, headers);
const pair = { A: [1, 2], B: [0.5, -3] };

/** A value of every JSON type. */
const values: Readonly<Record<string, string>> = {
  null: "null",
  true: "true",
  "0": "0",
  "-1": "-1",
  "1.0": "1.0",
  "1.5": "1.5",
  "1e2": "1e2",
  "2^63": "9223372036854775808",
  "thirty digits": "123456789012345678901234567890",
  NaN: "NaN",
  text: '"x"',
  "empty text": '""',
  "a list": "[]",
  "a list of one": "[1]",
  "a list of a list": "[[1]]",
  "a list of an empty list": "[[]]",
  "a list of null": "[null]",
  "a list of text": '["x"]',
  "an object": "{}",
  "an object of one": '{"x":1}',
};
const everywhere = (place: string, body: (value: string) => RawRequest): Requests =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`generate: ${place} is ${name}`, body(value)]),
  );

/** Flat JSON for models with one response per request. */
const once: Requests = {
  "a flat sum": sum(pair),
  "a flat sum with an id": sum({ ...pair, id: "ü-7" }),
  "a flat batch": sum({ A: [1, 2, 3, 4, 5, 6], B: [1, 1, 1, 1, 1, 1] }),
  "a flat batch that is nested": sum({ A: [[1], [2]], B: [[], [1, 2]] }),
  "batches of two sizes": sum({ A: [1, 2, 3, 4], B: [1, 2] }),
  "a batch beyond the limit": sum({
    A: Array.from({ length: 10 }, () => 1),
    B: Array.from({ length: 10 }, () => 1),
  }),
  "half a row": sum({ A: [1], B: [1, 2] }),
  "a row and a half": sum({ A: [1, 2, 3], B: [1, 2] }),
  "parameters twice": sum('{"A":[1,2],"B":[0.5,-3],"parameters":{"x":1},"parameters":[null]}'),
  "a flat id twice": sum('{"A":[1,2],"B":[0.5,-3],"id":"a","id":1}'),
  "a flat input twice, the second time as text": sum('{"A":[1,2],"B":[0.5,-3],"A":"x"}'),
  "no rows": sum({ A: [], B: [] }),
  "nested rows": sum({ A: [[1, 2]], B: [1, 2] }),
  "two tensors of one name": generate("twice", { ASK: "x" }),
  "two tensors of one name, of an ensemble": generate("twice_inside", { ASK: "x" }),
  "no members": sum({}),
  "one input of two": sum({ A: [1, 2] }),
  "inputs in parameters": sum({ parameters: pair }),
  "one input in parameters": sum({ A: [1, 2], parameters: { B: [0, 0], note: "x" } }),
  "a repeated input, flat": sum('{"A": [1, 2], "A": [3, 4], "B": [0, 0]}'),
  "a repeated member, flat": sum('{"A": [1, 2], "B": [0, 0], "x": 1, "x": 2}'),
  "an input twice, flat": sum({ ...pair, parameters: { A: [1, 2] } }),
  "an unknown member, flat": sum({ ...pair, nope: 1 }),
  "an unknown list, flat": sum({ ...pair, nope: [1] }),
  "members of infer": sum({ inputs: [{ name: "A" }], outputs: [] }),
  "requested outputs, flat": sum({ ...pair, outputs: "SUM" }),
  "a flat ensemble": generate("sum_twice", { ...pair, id: "e" }),
  "an ensemble without an input": generate("sum_twice", { A: [1, 2] }),
  "a flat version": generate("sum/versions/1", pair),
  "a flat unknown version": generate("sum/versions/9", pair),
  "a flat version beyond int64": generate("sum/versions/99999999999999999999", pair),
  "a flat unknown model": generate("nope", pair),
  "a flat unknown model, no JSON": generate("nope", "{"),
  "a reshaped row, flat": generate("scalar", { X: 5 }),
  "reshaped rows, flat": generate("scalar", { X: [5, 6, 7] }),
  "a flat text": generate("text", { X: "é\n\"'\\/\u2028" }),
  "a flat text in a list": generate("text", { X: ["a"] }),
  "two flat texts for one": generate("text", { X: ["a", "b"] }),
  "a flat name that is not ASCII": generate("names", { "größe 日本": 21 }),
  "an optional input alone": generate("optional", { A: 1 }),
  "optional inputs, flat": generate("optional", { A: 1, B: [2] }),
  "a missing input, flat": generate("optional", { B: [2] }),
  "a dynamic batch, flat": generate("batched", { X: [3, 4] }),
  "a failure of the model, flat": generate("failing", { X: 0 }),
  "INVALID_ARG, flat": generate("failing", { X: 1 }),
  "NOT_FOUND, flat": generate("failing", { X: 2 }),
  "UNAVAILABLE, flat": generate("failing", { X: 3 }),
  "INTERNAL, flat": generate("failing", { X: 4 }),
  "a failure within an ensemble, flat": generate("failing_inside", { X: 2, id: "e" }),
  "a model with an input called parameters": generate("keyword", { parameters: "x" }),
  "an input called parameters is missing": generate("keyword", { x: 1 }),
};

/** Every dtype, with valid and invalid values. */
const dtypes: Requests = Object.fromEntries(
  [
    "bool",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "fp16",
    "fp32",
    "fp64",
    "bf16",
    "bytes",
  ].flatMap((dtype) =>
    (
      [
        ["a number", "1"],
        ["numbers", "[1,2,3]"],
        ["negative numbers", "[-1,-300]"],
        ["large numbers", "[255,256,65536,4294967296]"],
        ["fractions", "[0.1,1e30,-0.0]"],
        ["words", "[true,false]"],
        ["texts", '["a",""]'],
        ["none", "[]"],
        ["64 bits", "[9223372036854775807]"],
      ] as const
    ).map(([name, X]) => [`${name} for ${dtype}`, generate(`echo_${dtype}`, `{"X":${X}}`)]),
  ),
);

const shapes: Requests = {
  "all parameters of a model": asked({ n: 1, d: 1.5, s: "x", t: true, f: false, id: "q" }),
  "parameters in parameters": asked({ n: 1, parameters: { m: 2, triton_x: 3, binary_data_output: true } }),
  "parameters in parameters in parameters": asked({ parameters: { parameters: { m: 2 } } }),
  "two variable dims": asked({ A: [1, 2, 3, 4, 5, 6] }),
  "two variable dims, odd": asked({ A: [1, 2, 3] }),
  "two variable dims, none": asked({ A: [] }),
  "fixed dims": asked({ B: [1, 2, 3, 4, 5, 6] }),
  "fixed dims, twice as many": asked({ B: Array.from({ length: 12 }, () => 1) }),
  "fixed dims, none": asked({ B: [] }),
  "fixed dims, nested": asked({ B: [[], [1, 2], 3, 4, 5, [6]] }),
  "fixed dims, nested twice": asked({ B: [[[[1]]], 2, 3, 4, 5, 6] }),
  "fixed dims, one null": asked({ B: [1, 2, 3, 4, 5, null] }),
  "fixed dims, an object": asked({ B: [1, 2, 3, 4, 5, {}] }),
  "texts, nested": asked({ X: [["a", "b"], ["c"]] }),
  "texts, nested with a gap": asked({ X: [[], ["c"]] }),
  "texts and a number": asked({ X: ["a", 1] }),
  "an id that is an input": asked({ id: "q", X: "a" }),
  "a long list": asked({ X: Array.from({ length: 1000 }, (_, i) => String(i)) }),
};

const texts: Requests = Object.fromEntries(
  Object.entries({
    "": "nothing",
    " ": "white space",
    "{": "an open object",
    "[]": "a list",
    "5": "a number",
    null: "null",
    '{"X":"a"': "an object that does not end",
    '{"X":"a",}': "a comma too many",
    '{"X":"a"}x': "something behind",
    '{"X":"\\ud800"}': "half a surrogate",
    "{'X':'a'}": "single quotes",
    '{"X":01}': "a zero in front",
  }).map(([body, name]) => [`flat ${name}`, asked(body)]),
);

const headers: Requests = {
  "a flat body in gzip": sum("{", { "Content-Encoding": "gzip" }),
  "a flat body in deflate": sum("{", { "Content-Encoding": "deflate" }),
  "a flat body in br": sum("{", { "Content-Encoding": "br" }),
  "a flat body in identity": sum(pair, { "Content-Encoding": "identity" }),
  "a flat body in gzip to an unknown model": generate("nope", "{", { "Content-Encoding": "gzip" }),
  "a flat answer in gzip": sum(pair, { "Accept-Encoding": "gzip" }),
  "a flat answer as XML": sum(pair, { Accept: "application/xml", "Content-Type": "text/html" }),
  "a header length, flat": sum(pair, { "Inference-Header-Content-Length": "5" }),
  "GET of generate": { path: "/v2/models/sum/generate" },
  "PUT of generate": { ...sum(pair), method: "PUT" },
  "a query behind generate": { ...sum(pair), path: "/v2/models/sum/generate?x=1" },
  "a chunked flat body": { ...sum(pair), chunked: true },
};

const tell = (...ASK: readonly string[]): RawRequest => generate("teller", { ASK, id: "q" });
const told = (...ASK: readonly string[]): RawRequest => generate("told", { ASK, n: 1 });

/** Requests to decoupled models. */
const decoupled: Requests = {
  "one response": tell("say a"),
  "a marked response": tell("last a"),
  "two responses": tell("say a", "say b"),
  "a hundred responses": tell("repeat 100"),
  "no response": tell("end"),
  "no words": tell(),
  "an error alone": tell("fail x"),
  "an error first": tell("fail x", "say a"),
  "an error last": tell("say a", "fail x"),
  "an error amid": tell("say a", "fail x", "last b"),
  "a list of three": tell("many 3"),
  "an empty list": tell("many 0"),
  "an exception": tell("raise x"),
  "an exception after a response": tell("say a", "raise x"),
  "a refused request": generate("teller", {}),
  "a decoupled ensemble": told("say a"),
  "a decoupled ensemble, twice": told("say a", "say b"),
  "a decoupled ensemble that fails": told("fail x"),
  "a decoupled ensemble that fails later": told("say a", "fail x"),
  "a decoupled ensemble without a response": told("end"),
};

/** Requests with flat JSON, by subject. */
export const generateRequests: Readonly<Record<string, Requests>> = {
  "flat JSON": once,
  "dtypes in flat JSON": dtypes,
  "shapes of flat JSON": shapes,
  "texts of flat JSON": texts,
  "kinds of flat JSON": {
    ...everywhere("a text", (value) => asked(`{"X":${value}}`)),
    ...everywhere("a double", (value) => asked(`{"Z":${value}}`)),
    ...everywhere("a parameter", (value) => asked(`{"p":${value}}`)),
    ...everywhere("parameters", (value) => asked(`{"parameters":${value}}`)),
    ...everywhere("a nested parameter", (value) => asked(`{"parameters":{"p":${value}}}`)),
    ...everywhere("a nested input", (value) => asked(`{"parameters":{"Z":${value}}}`)),
    ...everywhere("the id", (value) => sum(`{"id":${value},"A":[1,2],"B":[1,2]}`)),
  },
  "headers of flat requests": headers,
  "decoupled models": decoupled,
};

/** The same request with server-sent events as the answer. */
export const streamed = (request: RawRequest): RawRequest => ({
  ...request,
  path: request.path.replace("/generate", "/generate_stream"),
});
