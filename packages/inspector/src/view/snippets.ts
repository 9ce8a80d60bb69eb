import { identifierOf } from "@tritype/core";
import type { ModelView } from "../api.ts";
import type { RequestBody, RequestParameters, RequestValue } from "./request-body.ts";

export type SnippetLanguage = "curl" | "TypeScript" | "Python";

/** Longer values are left to the reader. */
const longestJson = 20_000;

/**
 * A program that sends the same request.
 * @param url Address of the server.
 * @param typed Whether the build has a client for the model.
 */
export const snippetOf = (
  language: SnippetLanguage,
  model: ModelView,
  { values, parameters }: RequestBody,
  url: string,
  typed: boolean,
): string => {
  const request = { model, inputs: [...values], parameters, url };
  const program =
    language === "curl"
      ? curl(request)
      : language === "Python"
        ? python(request)
        : typed
          ? typedClient(request)
          : fetching(request);
  const comment = language === "TypeScript" ? "//" : "#";
  return [...notesOn(request, language).map((note) => `${comment} ${note}`), program].join("\n");
};

interface Request {
  readonly model: ModelView;
  readonly inputs: Inputs;
  readonly parameters: RequestParameters;
  readonly url: string;
}
type Inputs = readonly (readonly [string, RequestValue])[];

/** The parts of the request that the program lacks. */
const notesOn = ({ model, inputs, parameters }: Request, language: SnippetLanguage): readonly string[] => {
  const files = inputs.filter(([, { file }]) => file !== undefined);
  return [
    ...inputs.flatMap(([name, { json = "" }]) =>
      json.length > longestJson ? [`The value of ${name} is too long to show here: replace …`] : [],
    ),
    ...(model.streams && hasEntries(parameters)
      ? ["Triton's generate_stream has no sequences: use a client over gRPC."]
      : []),
    ...(files.length > 0 && (model.streams || (language === "curl" && inputs.length > 1))
      ? [
          `${model.streams ? "generate_stream" : "This command"} cannot send ${files.map(([, { file }]) => file).join(", ")}: use another client.`,
        ]
      : []),
  ];
};

/** A string in single quotes for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const jsonOf = ({ json, file = "" }: RequestValue): string =>
  json === undefined
    ? `[${JSON.stringify(file)}]`
    : json.length > longestJson
      ? `${json.slice(0, 60)}…`
      : json;

/** @param sizeOf The size of a file, as an expression of the program. */
const bodyText = ({ inputs, parameters }: Request, sizeOf?: (file: number) => string): string => {
  let files = 0;
  const tensors = inputs.map(([name, value]) => {
    const head = `"name": ${JSON.stringify(name)}, "datatype": "${value.dtype}", "shape": [${value.shape.join(", ")}]`;
    return value.json === undefined && sizeOf !== undefined
      ? `{${head}, "parameters": {"binary_data_size": ${sizeOf(files++)}}}`
      : `{${head}, "data": ${jsonOf(value)}}`;
  });
  const more = hasEntries(parameters) ? `"parameters": ${JSON.stringify(parameters)}, ` : "";
  return `{${more}"inputs": [${tensors.join(", ")}]}`;
};

const hasEntries = (parameters: RequestParameters): boolean => Object.keys(parameters).length > 0;

const path = ({ name }: ModelView): string => `/v2/models/${encodeURIComponent(name)}`;

const curl = (request: Request): string => {
  const { model, inputs, url } = request;
  // Triton does not decode names, and curl does not encode them.
  const address = `${url}/v2/models/${model.name}`;
  if (model.streams) {
    const flat = `{${inputs.map(([name, value]) => `${JSON.stringify(name)}: ${flattened(value)}`).join(", ")}}`;
    return `curl -N ${quoted(`${address}/generate_stream`)} -d ${quoted(flat)}`;
  }
  const file = inputs.length === 1 ? inputs[0]?.[1].file : undefined;
  return file === undefined
    ? `curl ${quoted(`${address}/infer`)} -d ${quoted(bodyText(request))}`
    : `curl ${quoted(`${address}/infer`)} -H 'Inference-Header-Content-Length: 0' --data-binary ${quoted(`@${file}`)}`;
};

/** `generate` takes a single element without lists. */
const flattened = (value: RequestValue): string =>
  value.shape.every((size) => size === 1) ? jsonOf(value).replaceAll(/^[[\s]+|[\]\s]+$/g, "") : jsonOf(value);

/** Names as they appear in the emitted client. */
const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name);
const key = (name: string): string => (isIdentifier(name) ? name : JSON.stringify(name));

const readFile = (name: string): string => `await readFile(${JSON.stringify(name)})`;
const importReadFile = (inputs: Inputs): string =>
  inputs.some(([, { file }]) => file !== undefined) ? 'import { readFile } from "node:fs/promises";\n' : "";

/** A file as one element in lists of its tensor's rank. */
const elementOf = (value: RequestValue): string =>
  value.file === undefined
    ? jsonOf(value)
    : `${"[".repeat(value.shape.length)}${readFile(value.file)}${"]".repeat(value.shape.length)}`;

const typedClient = ({ model, inputs, parameters, url }: Request): string => {
  const call = inputs.map(([name, value]) => `${key(name)}: ${elementOf(value)}`).join(", ");
  const names = model.outputs.map(({ name }) => key(name)).join(", ");
  const client = `${identifierOf(model.name)}Client`;
  const options = hasEntries(parameters) ? `, { parameters: ${JSON.stringify(parameters)} }` : "";
  const head = `${importReadFile(inputs)}import { ${client} } from ${JSON.stringify(`./build/client/${model.name}.js`)};

const client = ${client}({ url: ${JSON.stringify(url)} });
`;
  return model.streams
    ? `${head}for await (const { ${names} } of client.stream({ ${call} })) {
  console.log(${names});
}`
    : `${head}const { ${names} } = await client.infer({ ${call} }${options});`;
};

const fetching = (request: Request): string => {
  const { model, inputs, url } = request;
  const address = JSON.stringify(`${url}${path(model)}/${model.streams ? "generate_stream" : "infer"}`);
  const end = model.streams
    ? "for await (const piece of response.body.pipeThrough(new TextDecoderStream())) console.log(piece);"
    : "const { outputs } = await response.json();";
  const files = inputs.flatMap(([, { file }]) => file ?? []);
  if (!model.streams && files.length > 0)
    return `${importReadFile(inputs)}
const files = [${files.map(readFile).join(", ")}];
const header = JSON.stringify(${bodyText(request, (file) => `files[${file}].length + 4`)});
const response = await fetch(${address}, {
  method: "POST",
  headers: { "Inference-Header-Content-Length": String(Buffer.byteLength(header)) },
  body: new Blob([header, ...files.flatMap((file) => [Uint32Array.of(file.length), file])]),
});
${end}`;
  const body = model.streams
    ? `{ ${inputs.map(([name, value]) => `${key(name)}: ${flattened(value)}`).join(", ")} }`
    : bodyText(request);
  return `const response = await fetch(${address}, {
  method: "POST",
  body: JSON.stringify(${body}),
});
${end}`;
};

const numpyTypes: Readonly<Record<string, string>> = {
  BYTES: "np.object_",
  BOOL: "np.bool_",
  FP16: "np.float16",
  FP32: "np.float32",
  FP64: "np.float64",
};

const python = ({ model, inputs, parameters, url }: Request): string => {
  if (model.streams) {
    const body = inputs.map(([name, value]) => `${JSON.stringify(name)}: ${pythonLiteral(flattened(value))}`);
    return `import requests

url = ${JSON.stringify(`${url}${path(model)}/generate_stream`)}
with requests.post(url, json={${body.join(", ")}}, stream=True) as response:
    for line in response.iter_lines():
        print(line.decode())`;
  }
  const address = url.replace(/^https?:\/\//, "");
  const lines = inputs.flatMap(([name, value], index) => [
    `inputs.append(httpclient.InferInput(${JSON.stringify(name)}, [${value.shape.join(", ")}], "${value.dtype}"))`,
    value.json === undefined
      ? `inputs[${index}].set_data_from_numpy(np.array([open(${JSON.stringify(value.file)}, "rb").read()], np.object_).reshape([${value.shape.join(", ")}]))`
      : `inputs[${index}].set_data_from_numpy(np.array(${pythonLiteral(jsonOf(value))}, ${numpyTypes[value.dtype] ?? `np.${value.dtype.toLowerCase()}`}).reshape([${value.shape.join(", ")}]))`,
  ]);
  const options = Object.entries(parameters)
    .map(([name, value]) => `, ${name}=${pythonLiteral(JSON.stringify(value))}`)
    .join("");
  const outputs = model.outputs.map(({ name }) => `print(result.as_numpy(${JSON.stringify(name)}))`);
  return `import numpy as np
import tritonclient.http as httpclient

client = httpclient.InferenceServerClient(${JSON.stringify(address)})
inputs = []
${lines.join("\n")}
result = client.infer(${JSON.stringify(model.name)}, inputs${options})
${outputs.join("\n")}`;
};

/** JSON outside its strings. */
const pythonLiteral = (json: string): string =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"|true|false|null/g, (part) =>
    part === "true" ? "True" : part === "false" ? "False" : part === "null" ? "None" : part,
  );
