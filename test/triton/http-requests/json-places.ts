import { a, b, infer, type Json, type Requests } from "./infer-message.ts";

/** A value of every JSON type. */
const values: Readonly<Record<string, unknown>> = {
  null: null,
  true: true,
  "0": 0,
  "-1": -1,
  "1.5": 1.5,
  "2^63": 2 ** 63,
  text: "x",
  "empty text": "",
  "a list": [],
  "a list of one": [1],
  "an object": {},
  "an object of one": { x: 1 },
};

/** A request with a value at the given place. */
type Place = (value: unknown) => Json;

const request: Json = { inputs: [a, b] };
const inB =
  (member: string): Place =>
  (value) => ({ inputs: [a, { ...b, [member]: value }] });
const inParameter =
  (name: string): Place =>
  (value) => ({ ...request, parameters: { [name]: value } });
const inOutput = (output: Json): Json => ({ ...request, outputs: [output] });
const inOutputParameter =
  (name: string): Place =>
  (value) =>
    inOutput({ name: "SUM", parameters: { [name]: value } });

const places: Readonly<Record<string, Place>> = {
  "the request": (value) => value as Json,
  "the id": (id) => ({ ...request, id }),
  "the parameters": (parameters) => ({ ...request, parameters }),
  "a parameter": inParameter("p"),
  "the timeout": inParameter("timeout"),
  "the priority": inParameter("priority"),
  "the sequence's id": inParameter("sequence_id"),
  "the sequence's start": inParameter("sequence_start"),
  "the sequence's end": inParameter("sequence_end"),
  binary_data_output: inParameter("binary_data_output"),
  "the inputs": (inputs) => ({ inputs }),
  "an input": (input) => ({ inputs: [a, input] }),
  "an input's name": inB("name"),
  "an input's datatype": inB("datatype"),
  "an input's shape": inB("shape"),
  "an input's dim": (dim) => ({ inputs: [a, { ...b, shape: [1, dim] }] }),
  "an input's data": inB("data"),
  "an input's element": (element) => ({ inputs: [a, { ...b, data: [1, element] }] }),
  "an input's parameters": inB("parameters"),
  "an input's parameter": (p) => ({ inputs: [a, { ...b, parameters: { p } }] }),
  "the outputs": (outputs) => ({ ...request, outputs }),
  "an output": (output) => inOutput(output as Json),
  "an output's name": (name) => inOutput({ name }),
  "an output's parameters": (parameters) => inOutput({ name: "SUM", parameters }),
  "an output's parameter": inOutputParameter("p"),
  binary_data: inOutputParameter("binary_data"),
  classification: inOutputParameter("classification"),
  "an input's size": (binary_data_size) => ({
    inputs: [a, { name: "B", datatype: "FP32", shape: [1, 2], parameters: { binary_data_size } }],
  }),
  "an input's region": (shared_memory_region) => ({
    inputs: [a, { name: "B", datatype: "FP32", shape: [1, 2], parameters: { shared_memory_region } }],
  }),
};

/** A value of every JSON type at every place in a request. */
export const jsonPlaces: Requests = Object.fromEntries(
  Object.entries(places).flatMap(([place, put]) =>
    Object.entries(values).map(([kind, value]) => [`${kind} for ${place}`, infer("sum", put(value))]),
  ),
);
