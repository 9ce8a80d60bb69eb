import { attempt, identifierOf, propertyName } from "@tritype/core";
import type { ModelView } from "../api.ts";
import { hasNotFinite } from "./not-finite.ts";
import { pictureScalings, type PictureValue } from "./picture-input.ts";
import { halfTypes, type RequestBody, type RequestParameters, type RequestValue } from "./request-body.ts";

export type SnippetLanguage = "curl" | "TypeScript" | "Python";

/** Longer values are left to the reader. */
const longestJson = 20_000;

/**
 * A program that sends the same request.
 * @param url Address of the server.
 * @param hasClient Whether the build has a client for the model. Programs do not use it to send pictures.
 * @param grpc The server's gRPC address, which streams of sequences need; undefined if it is unknown.
 */
export const snippetOf = (
  language: SnippetLanguage,
  model: ModelView,
  { values, parameters, files }: RequestBody,
  url: string,
  hasClient: boolean,
  grpc?: string,
): string => {
  const typed = hasClient && [...values.values()].every(({ picture }) => picture === undefined);
  const request = { model, inputs: [...values], parameters, url, files };
  if (model.streams && hasEntries(parameters)) return streamOfSequence(language, request, grpc);
  const program =
    language === "curl"
      ? curl(request)
      : language === "Python"
        ? python(request)
        : typed
          ? typedClient(request)
          : fetching(request);
  const comment = language === "TypeScript" ? "//" : "#";
  const notes = [
    ...(typed && language === "TypeScript" ? [] : notesOnName(model, language)),
    ...notesOn(request),
    ...(language === "Python" || model.streams ? [] : notesOnPictures(request)),
    ...(language === "Python" || (typed && language === "TypeScript") ? [] : notesOnHalves(request)),
    ...(sendsNotFinite(request) &&
    (model.streams || language !== "Python") &&
    !(typed && language === "TypeScript")
      ? ["NaN and Infinity are not part of JSON, but Triton accepts them. Other servers may not."]
      : []),
  ];
  return [...notes.map((note) => commentLine(comment, note)), program].join("\n");
};

/** Names come from the server: a line break in one must not end the comment, because the rest would be part of the program. */
const commentLine = (comment: string, note: string): string => `${comment} ${note.replaceAll(/\s/g, " ")}`;

interface Request {
  readonly model: ModelView;
  readonly inputs: Inputs;
  readonly parameters: RequestParameters;
  readonly url: string;
  readonly files: RequestBody["files"];
}
type Inputs = readonly (readonly [string, RequestValue])[];

/** Whether a program sends a name as it is: `fetch` and Python's libraries encode some characters, which Triton does not decode. */
const reaches: Readonly<Record<SnippetLanguage, (name: string) => boolean>> = {
  curl: (name) => /^[!-~]+$/.test(name) && !/[?#/]/.test(name),
  TypeScript: (name) => /^[\w.~!$&'()*+,;=:@-]+$/.test(name),
  Python: (name) => /^[\w.~-]+$/.test(name),
};

const notesOnName = ({ name }: ModelView, language: SnippetLanguage): readonly string[] =>
  reaches[language](name)
    ? []
    : ["Triton does not decode addresses, so the model's name does not reach it: use a client over gRPC."];

const notesOnHalves = ({ inputs }: Request): readonly string[] =>
  inputs
    .filter(([, { dtype, picture }]) => halfTypes.has(dtype) && picture === undefined)
    .map(
      ([name, { dtype }]) => `JSON cannot contain ${dtype}, the type of ${name}: use the program in Python.`,
    );

const notesOnPictures = ({ inputs }: Request): readonly string[] =>
  inputs.flatMap(([, { dtype, shape, file, picture }]) => {
    const text = `${file} contains ${JSON.stringify(picture?.name)} as ${dtype}[${shape.join(", ")}], in little-endian bytes.`;
    return picture ? [`${text} The program in Python makes this tensor.`] : [];
  });

/** Whether a number of the request is NaN or infinite. */
const sendsNotFinite = ({ inputs }: Pick<Request, "inputs">): boolean =>
  inputs.some(([, { dtype, json = "" }]) => dtype !== "BYTES" && hasNotFinite(json));

/** The parts of the request that the program lacks. */
const notesOn = ({ model, inputs }: Request): readonly string[] => {
  const files = inputs.filter(([, { file }]) => file !== undefined);
  return [
    ...notesOnLength({ inputs }),
    ...(files.length > 0 && model.streams
      ? [`generate_stream cannot send ${files.map(([, { file }]) => file).join(", ")}: use another client.`]
      : []),
  ];
};

const notesOnLength = ({ inputs }: Pick<Request, "inputs">): readonly string[] =>
  inputs.flatMap(([name, { json = "" }]) =>
    json.length > longestJson ? [`The value of ${name} is too long to show here: replace …`] : [],
  );

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

const sizeIn =
  ({ files }: Request) =>
  (file: number): string =>
    String(files[file]?.length ?? 0);

const hasEntries = (parameters: RequestParameters): boolean => Object.keys(parameters).length > 0;

const addressOf = ({ model: { name, streams }, url }: Request): string =>
  `${url}/v2/models/${name}/${streams ? "generate_stream" : "infer"}`;

const curl = (request: Request): string => {
  const { model, inputs, files } = request;
  const globs = /[[\]{}]/.test(model.name) ? "-g " : "";
  const start = `curl ${globs}${model.streams ? "-N " : ""}${quoted(addressOf(request))}`;
  if (model.streams) return `${start} -d ${quoted(flatBody(inputs))}`;
  if (files.length === 0) return `${start} -d ${quoted(bodyText(request))}`;
  const header = bodyText(request, sizeIn(request));
  const sent = inputs.filter(([, { file }]) => file !== undefined);
  const pieces = sent.map(([, { file = "", picture }], index) => {
    const start = picture === undefined ? `printf '${lengthOf(files[index])}'; ` : "";
    return `${start}cat ${quoted(file)}`;
  });
  return `(printf %s ${quoted(header)}; ${pieces.join("; ")}) |
  ${start} -H 'Inference-Header-Content-Length: ${new TextEncoder().encode(header).byteLength}' --data-binary @-`;
};

/** The length at the start of an element, for `printf`. */
const lengthOf = (element: Uint8Array = new Uint8Array()): string =>
  Array.from(element.subarray(0, 4), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

/** The body of `generate_stream`, in which a tensor is one element, or a flat list. */
const flatBody = (inputs: Inputs, write = (json: string): string => json): string =>
  `{${inputs.map(([name, value]) => `${JSON.stringify(name)}: ${write(flattened(value))}`).join(", ")}}`;

const flattened = (value: RequestValue): string => {
  const list = jsonOf(value).replaceAll(
    /("[^"\\]*(?:\\.[^"\\]*)*")|[[\]]/g,
    (_, text?: string) => text ?? "",
  );
  return value.shape.every((size) => size === 1) ? list.trim() : `[${list}]`;
};

const readFile = (name: string): string => `await readFile(${JSON.stringify(name)})`;
const importReadFile = (inputs: Inputs): string =>
  inputs.some(([, { file }]) => file !== undefined) ? 'import { readFile } from "node:fs/promises";\n' : "";

/** A value for the emitted client, which expects no lists for sizes of 1 after the first, and `bigint` for large integers. */
const clientValue = (value: RequestValue, dims: readonly (number | string)[]): string => {
  const keeps = (axis: number): boolean => axis === 0 || dims[axis] !== 1;
  const brackets = (text: string, to: number): string =>
    Array.from({ length: to }, (_, axis) => (keeps(axis) ? text : "")).join("");
  const rank = value.shape.length;
  if (value.file !== undefined) return `${brackets("[", rank)}${readFile(value.file)}${brackets("]", rank)}`;
  const json = jsonOf(value);
  const missing = rank - (/^[[\s]*/.exec(json)?.[0].replaceAll(/\s/g, "").length ?? 0);
  let axis = missing;
  const kept = json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]]/g, (token) => {
    if (token === "[") return keeps(axis++) ? token : "";
    if (token === "]") return keeps(--axis) ? token : "";
    return token;
  });
  const exact = /^U?INT64$/.test(value.dtype) ? kept.replaceAll(/\d{16,}/g, "$&n") : kept;
  return `${brackets("[", missing)}${exact}${brackets("]", missing)}`;
};

/** An expression for a JSON text: a string if JavaScript would change a large integer or NaN. */
const jsonText = (json: string): string => (isExact(json) ? `JSON.stringify(${json})` : JSON.stringify(json));

/** Whether JavaScript writes the values of a JSON text unchanged. */
const isExact = (json: string): boolean => !/(?<![.\d])\d{16}/.test(json) && !hasNotFinite(json);

const namesOf = ({ outputs }: ModelView): string => outputs.map(({ name }) => propertyName(name)).join(", ");
const callOf = ({ model, inputs }: Request): string => {
  const dimsOf = (name: string) => model.inputs.find((input) => input.name === name)?.dims ?? [];
  return inputs
    .map(([name, value]) => `${propertyName(name)}: ${clientValue(value, dimsOf(name))}`)
    .join(", ");
};

const typedClient = (request: Request): string => {
  const { model, inputs, parameters, url } = request;
  const [call, names] = [callOf(request), namesOf(model)];
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
  const { model, inputs } = request;
  const address = JSON.stringify(addressOf(request));
  const end = model.streams
    ? "for await (const piece of response.body.pipeThrough(new TextDecoderStream())) console.log(piece);"
    : sendsNotFinite(request)
      ? `// JavaScript does not parse NaN and Infinity, which the answer may contain: they become strings.
const text = await response.text();
const quote = (token) => (token.startsWith('"') ? token : \`"\${token}"\`);
const { outputs } = JSON.parse(text.replace(/"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|NaN|-?Infinity/g, quote));`
      : "const { outputs } = await response.json();";
  const sent = inputs.filter(([, { file }]) => file !== undefined);
  const isPicture = (index: number): boolean => sent[index]?.[1].picture !== undefined;
  const parts = sent.map((_, index) =>
    isPicture(index) ? `files[${index}]` : `Uint32Array.of(files[${index}].length), files[${index}]`,
  );
  const sized = bodyText(request, sizeIn(request));
  if (!model.streams && sent.length > 0)
    return `${importReadFile(inputs)}
const files = [${sent.map(([, { file = "" }]) => readFile(file)).join(", ")}];
const header = ${isExact(sized) ? `JSON.stringify(${bodyText(request, (file) => `files[${file}].length${isPicture(file) ? "" : " + 4"}`)})` : JSON.stringify(sized)};
const response = await fetch(${address}, {
  method: "POST",
  headers: { "Inference-Header-Content-Length": String(Buffer.byteLength(header)) },
  body: new Blob([header, ${parts.join(", ")}]),
});
${end}`;
  return `const response = await fetch(${address}, {
  method: "POST",
  body: ${jsonText(model.streams ? flatBody(inputs) : bodyText(request))},
});
${end}`;
};

const numpyTypes: Readonly<Record<string, string>> = {
  BYTES: "np.object_",
  BOOL: "np.bool_",
  FP16: "np.float16",
  BF16: "np.float32",
  FP32: "np.float32",
  FP64: "np.float64",
};

/** The values of a picture as `x`, with Pillow. */
const pictureLines = (picture: PictureValue): readonly string[] => {
  const { name, form, pixels, scaling, isScaled, isTransparent } = picture;
  const resize = isScaled ? `.resize((${pixels.width}, ${pixels.height}), Image.BILINEAR)` : "";
  const opened = `picture = ImageOps.exif_transpose(Image.open(${JSON.stringify(name)}))`;
  const onWhite = 'Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)';
  const array = `np.asarray(picture${form.channels === 1 ? '.convert("L")' : ""}, np.float64)`;
  return [
    ...(isTransparent
      ? [`${opened}.convert("RGBA")`, `picture = ${onWhite}.convert("RGB")${resize}`]
      : [`${opened}.convert("RGB")${resize}`]),
    `x = ${pictureScalings[scaling].python.replace("x", array)}`,
    ...(form.layout === "channels first" && form.channels === 3 ? ["x = x.transpose(2, 0, 1)"] : []),
  ];
};

const python = (request: Request): string => {
  const { model, inputs, parameters, url } = request;
  if (model.streams) {
    const body = sendsNotFinite(request)
      ? `data=${JSON.stringify(flatBody(inputs))}.encode()`
      : `json=${flatBody(inputs, pythonLiteral)}`;
    return `import requests

url = ${JSON.stringify(addressOf(request))}
with requests.post(url, ${body}, stream=True) as response:
    for line in response.iter_lines():
        print(line.decode())`;
  }
  const address = url.replace(/^https?:\/\//, "");
  const secure = url.startsWith("https:") ? ", ssl=True" : "";
  const outputs = model.outputs.map(({ name }) => `print(result.as_numpy(${JSON.stringify(name)}))`);
  return `import numpy as np
import tritonclient.http as httpclient${pillowImport(inputs)}

client = httpclient.InferenceServerClient(${JSON.stringify(address)}${secure})
inputs = []
${numpyInputs("httpclient", inputs)}
result = client.infer(${JSON.stringify(model.name)}, inputs${pythonOptions(parameters)})
${outputs.join("\n")}`;
};

const pythonOptions = (parameters: RequestParameters): string =>
  Object.entries(parameters)
    .map(([name, value]) => `, ${name}=${pythonLiteral(JSON.stringify(value))}`)
    .join("");

const numpyInputs = (library: "httpclient" | "grpcclient", inputs: Inputs): string => {
  const lines = inputs.flatMap(([name, value], index) => {
    const { dtype, file, picture } = value;
    const shape = `[${value.shape.join(", ")}]`;
    const type = numpyTypes[dtype] ?? `np.${dtype.toLowerCase()}`;
    const array = picture
      ? `x.astype(${type})`
      : file === undefined
        ? `np.array(${pythonLiteral(jsonOf(value))}, ${type})`
        : `np.array([open(${JSON.stringify(file)}, "rb").read()], np.object_)`;
    return [
      `inputs.append(${library}.InferInput(${JSON.stringify(name)}, ${shape}, "${dtype}"))`,
      ...(picture ? pictureLines(picture) : []),
      `inputs[${index}].set_data_from_numpy(${array}.reshape(${shape}))`,
    ];
  });
  return lines.join("\n");
};

const pillowImport = (inputs: Inputs): string =>
  inputs.some(([, { picture }]) => picture) ? "\nfrom PIL import Image, ImageOps" : "";

/** Triton's `generate_stream` has no sequences, so these programs use gRPC. */
const streamOfSequence = (language: SnippetLanguage, request: Request, grpc: string | undefined): string => {
  const { model, inputs, parameters } = request;
  const comment = language === "TypeScript" ? "//" : "#";
  if (language === "curl" || grpc === undefined)
    return `${comment} There is no program: Triton's HTTP streams have no sequences, ${
      language === "curl"
        ? "and curl has no gRPC. Use the program in Python or TypeScript."
        : "and this page does not know the server's gRPC address."
    }`;
  if (language === "TypeScript" && inputs.some(([, { picture }]) => picture))
    return `${comment} There is no program with a picture. Use the program in Python.`;
  const notes = notesOnLength(request).map((note) => `${commentLine(comment, note)}\n`);
  const address = JSON.stringify(grpc.replace(/^\w+:\/\//, ""));
  if (language === "Python") {
    const results = model.outputs.map(({ name }) => `result.as_numpy(${JSON.stringify(name)})`);
    return `${notes.join("")}import numpy as np
import tritonclient.grpc as grpcclient${pillowImport(inputs)}

client = grpcclient.InferenceServerClient(${address})
inputs = []
${numpyInputs("grpcclient", inputs)}
client.start_stream(lambda result, error: print(error or [${results.join(", ")}]))
client.async_stream_infer(${JSON.stringify(model.name)}, inputs${pythonOptions(parameters)})
client.stop_stream()  # waits for the responses`;
  }
  return `${notes.join("")}${importReadFile(inputs)}import { createGrpcClient } from "tritype/client/grpc";

const client = createGrpcClient({ address: ${address}, ensemble: ${JSON.stringify(model.name)} });
const options = { parameters: ${JSON.stringify(parameters)} };
for await (const { ${namesOf(model)} } of client.stream({ ${callOf(request)} }, options)) {
  console.log(${namesOf(model)});
}
client.close();`;
};

/** JSON as Python: other names for constants, and no escapes that only JSON has, such as those of surrogate pairs. */
const pythonLiteral = (json: string): string =>
  json.replaceAll(
    /"[^"\\]*(?:\\.[^"\\]*)*"|true|false|null|NaN|Infinity/g,
    (part) => constants[part] ?? rewritten(part),
  );

const constants: Readonly<Record<string, string>> = {
  true: "True",
  false: "False",
  null: "None",
  NaN: 'float("nan")',
  Infinity: 'float("inf")',
};

const rewritten = (text: string): string => attempt(() => JSON.stringify(JSON.parse(text))) ?? text;
