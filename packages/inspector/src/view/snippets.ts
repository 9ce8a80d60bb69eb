import { identifierOf } from "@tritype/core";
import type { ModelView } from "../api.ts";
import type { RequestBody, RequestValue } from "./request-body.ts";

export type SnippetLanguage = "curl" | "TypeScript" | "Python";

const longestJson = 2000;

/**
 * A program that sends the same request.
 * @param url Address of the server.
 * @param typed Whether the build has a client for the model.
 */
export const snippetOf = (
  language: SnippetLanguage,
  model: ModelView,
  { values }: RequestBody,
  url: string,
  typed: boolean,
): string => {
  const inputs = [...values];
  if (language === "curl") return curl(model, inputs, url);
  if (language === "Python") return python(model, inputs, url);
  return typed ? typedClient(model, inputs, url) : fetching(model, inputs, url);
};

type Inputs = readonly (readonly [string, RequestValue])[];

/** A string in single quotes for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const jsonOf = ({ json, file }: RequestValue): string =>
  json === undefined
    ? `["the bytes of ${JSON.stringify(file).slice(1, -1)}"]`
    : json.length > longestJson
      ? `${json.slice(0, 60)}…`
      : json;

const bodyText = (inputs: Inputs): string =>
  `{"inputs": [${inputs
    .map(
      ([name, value]) =>
        `{"name": ${JSON.stringify(name)}, "datatype": "${value.dtype}", "shape": [${value.shape.join(", ")}], "data": ${jsonOf(value)}}`,
    )
    .join(", ")}]}`;

const path = ({ name }: ModelView): string => `/v2/models/${encodeURIComponent(name)}`;

const curl = (model: ModelView, inputs: Inputs, url: string): string => {
  if (!model.streams) return `curl ${quoted(`${url}${path(model)}/infer`)} -d ${quoted(bodyText(inputs))}`;
  const flat = `{${inputs.map(([name, value]) => `${JSON.stringify(name)}: ${flattened(value)}`).join(", ")}}`;
  return `curl -N ${quoted(`${url}${path(model)}/generate_stream`)} -d ${quoted(flat)}`;
};

/** `generate` takes a single element without lists. */
const flattened = (value: RequestValue): string =>
  value.shape.every((size) => size === 1) ? jsonOf(value).replaceAll(/^[[\s]+|[\]\s]+$/g, "") : jsonOf(value);

/** Names as they appear in the emitted client. */
const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name);
const key = (name: string): string => (isIdentifier(name) ? name : JSON.stringify(name));

const typedClient = (model: ModelView, inputs: Inputs, url: string): string => {
  const call = inputs.map(([name, value]) => `${key(name)}: ${jsonOf(value)}`).join(", ");
  const names = model.outputs.map(({ name }) => key(name)).join(", ");
  const client = `${identifierOf(model.name)}Client`;
  const head = `import { ${client} } from ${JSON.stringify(`./build/client/${model.name}.js`)};

const client = ${client}({ url: ${JSON.stringify(url)} });
`;
  return model.streams
    ? `${head}for await (const { ${names} } of client.stream({ ${call} })) {
  console.log(${names});
}`
    : `${head}const { ${names} } = await client.infer({ ${call} });`;
};

const fetching = (model: ModelView, inputs: Inputs, url: string): string => {
  const route = model.streams ? "generate_stream" : "infer";
  const body = model.streams
    ? `{ ${inputs.map(([name, value]) => `${key(name)}: ${flattened(value)}`).join(", ")} }`
    : bodyText(inputs);
  return `const response = await fetch(${JSON.stringify(`${url}${path(model)}/${route}`)}, {
  method: "POST",
  body: JSON.stringify(${body}),
});
${model.streams ? "for await (const piece of response.body.pipeThrough(new TextDecoderStream())) console.log(piece);" : "const { outputs } = await response.json();"}`;
};

const numpyTypes: Readonly<Record<string, string>> = {
  BYTES: "np.object_",
  BOOL: "np.bool_",
  FP16: "np.float16",
  FP32: "np.float32",
  FP64: "np.float64",
};

const python = (model: ModelView, inputs: Inputs, url: string): string => {
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
  const outputs = model.outputs.map(({ name }) => `print(result.as_numpy(${JSON.stringify(name)}))`);
  return `import numpy as np
import tritonclient.http as httpclient

client = httpclient.InferenceServerClient(${JSON.stringify(address)})
inputs = []
${lines.join("\n")}
result = client.infer(${JSON.stringify(model.name)}, inputs)
${outputs.join("\n")}`;
};

/** JSON outside its strings. */
const pythonLiteral = (json: string): string =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"|true|false|null/g, (part) =>
    part === "true" ? "True" : part === "false" ? "False" : part === "null" ? "None" : part,
  );
