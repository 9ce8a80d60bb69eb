import { identifierOf, showType } from "@tritype/core";
import type { ManifestEnsemble, ManifestTensor } from "@tritype/manifest";
import { exampleFlatRequest, exampleRequest, exampleResponse } from "./open-api-examples.ts";
import { requestSchema, responseSchema, travelsAsJson } from "./open-api-schemas.ts";
import { flatRequestSchema, flatResponseSchema, streamsOverHttp } from "./open-api-stream.ts";

/** An OpenAPI 3.1 document for every ensemble: inference with JSON and binary tensors or streams, health and metadata. */
export const openApiDocument = (ensembles: readonly ManifestEnsemble[]): object =>
  documentOf(identified(ensembles));

const documentOf = (all: readonly Identified[]): object => ({
  openapi: "3.1.0",
  info: {
    title: all.map(({ name }) => name).join(", "),
    description:
      "KServe v2 inference, as Triton and `pipeline dev` serve it. Written by `pipeline build`; an operation's `x-contract-hash` changes whenever a change could break its clients.",
    version: "2",
  },
  servers: [{ url: "http://127.0.0.1:8000" }],
  paths: {
    "/v2/health/live": probe("live", "Whether the server is up."),
    "/v2/health/ready": probe("ready", "Whether every model is ready."),
    ...Object.fromEntries(all.flatMap(pathsOf)),
  },
  components: {
    schemas: {
      ...Object.fromEntries(
        all.flatMap((ensemble) =>
          waysOf(ensemble).flatMap(({ request, response }) => [
            [schemaName(ensemble, "Request"), request(ensemble)] as const,
            [schemaName(ensemble, "Response"), response(ensemble)] as const,
          ]),
        ),
      ),
      ModelMetadata: modelMetadata,
      Error: {
        type: "object",
        required: ["error"],
        properties: { error: { type: "string", description: "The server's error message." } },
      },
    },
    responses: Object.fromEntries(
      Object.entries(failures).map(([name, [, description]]) => [
        name,
        { description, content: { "application/json": { schema: ref("Error") } } },
      ]),
    ),
  },
});

const failures: Readonly<Record<string, readonly [status: string, description: string]>> = {
  Invalid: ["400", "The request does not fit the model."],
  Unknown: ["404", "The model does not exist."],
  Failed: ["500", "The request is not JSON, or a model failed."],
  Unavailable: ["503", "The model is not ready, or too many requests are waiting. Nothing ran; try again."],
};
const failureResponses = Object.fromEntries(
  Object.entries(failures).map(([name, [status]]) => [status, { $ref: `#/components/responses/${name}` }]),
);

const ref = (schema: string): object => ({ $ref: `#/components/schemas/${schema}` });
const schemaName = ({ id }: Identified, what: string): string =>
  `${id[0]?.toUpperCase()}${id.slice(1)}${what}`;

/** An ensemble, and the identifier that its operations and schemas begin with. */
type Identified = ManifestEnsemble & { readonly id: string };

/**
 * The identifiers of two ensembles still differ if a generator of clients writes them in another case or without `_`: next to
 * `my_total`, `my-total` is `myTotal2`. A name that is an identifier keeps it, whatever other ensembles there are.
 */
const identified = (ensembles: readonly ManifestEnsemble[]): readonly Identified[] => {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  const plain = (id: string): string => id.toLowerCase().replaceAll("_", "");
  for (const { name } of [...ensembles.filter((one) => identifierOf(one.name) === one.name), ...ensembles]) {
    if (ids.has(name)) continue;
    let id = identifierOf(name);
    for (let number = 2; taken.has(plain(id)); number++) id = `${identifierOf(name)}${number}`;
    taken.add(plain(id));
    ids.set(name, id);
  }
  return ensembles.map((ensemble) => ({ ...ensemble, id: ids.get(ensemble.name) ?? "" }));
};

const probe = (name: string, summary: string): object => ({
  get: {
    operationId: name,
    summary,
    responses: { "200": { description: "It is." }, "400": { description: "Not ready." } },
  },
});

const pathsOf = (ensemble: Identified): readonly (readonly [string, object])[] => {
  const { id, name } = ensemble;
  const path = `/v2/models/${name}`;
  return [
    ...waysOf(ensemble).map((way) => [path + way.path, { post: way.operation(ensemble) }] as const),
    [
      `${path}/ready`,
      {
        get: {
          operationId: `${id}Ready`,
          summary: `Whether \`${name}\` is ready.`,
          responses: { "200": { description: "It is." }, "400": { description: "Not ready." } },
        },
      },
    ],
    [
      path,
      {
        get: {
          operationId: `${id}Metadata`,
          summary: `Names, datatypes and shapes of \`${name}\`.`,
          responses: {
            "200": {
              description: "The metadata.",
              content: { "application/json": { schema: ref("ModelMetadata") } },
            },
            "404": { $ref: "#/components/responses/Unknown" },
          },
        },
      },
    ],
    [
      `${path}/config`,
      {
        get: {
          operationId: `${id}Config`,
          summary: `Triton's configuration of \`${name}\`; its parameter \`tritype_contract\` is the contract's hash.`,
          responses: {
            "200": {
              description: "ModelConfig in JSON.",
              content: { "application/json": { schema: { type: "object" } } },
            },
            "404": { $ref: "#/components/responses/Unknown" },
          },
        },
      },
    ],
  ];
};

const jsonContent = (schema: string, example: object | undefined): object => ({
  schema: ref(schema),
  ...(example === undefined ? {} : { example }),
});

/** A way to run an ensemble over HTTP. */
interface Way {
  /** The end of its path. */
  readonly path: string;
  operation(ensemble: Identified): object;
  /** The JSON Schemas of its bodies. */
  request(ensemble: ManifestEnsemble): object;
  response(ensemble: ManifestEnsemble): object;
}

/** Triton refuses `/infer` for a model that streams. A stream that JSON cannot represent is only available over gRPC. */
const waysOf = (ensemble: ManifestEnsemble): readonly Way[] => {
  if (ensemble.streams !== true) return [once];
  return streamsOverHttp(ensemble) ? [streamed] : [];
};

const commonOf = (ensemble: Identified): object => ({
  description: [signatureText("Inputs", ensemble.inputs), signatureText("Outputs", ensemble.outputs)].join(
    "\n\n",
  ),
  "x-contract-hash": ensemble.contractHash,
});

const inferOperation = (ensemble: Identified): object => {
  const binary = { schema: { type: "string", contentMediaType: "application/octet-stream" } };
  const binaryHeader = {
    description: "Size in bytes of the JSON before the binary data. Required if there is binary data.",
    schema: { type: "integer", minimum: 0 },
  };
  return {
    operationId: `${ensemble.id}Infer`,
    summary: `Runs \`${ensemble.name}\`.`,
    ...commonOf(ensemble),
    parameters: [{ name: "Inference-Header-Content-Length", in: "header", required: false, ...binaryHeader }],
    requestBody: {
      required: true,
      description:
        "JSON with the tensors in `data`, or the same JSON with `binary_data_size` instead of `data`, followed by the tensors, little-endian.",
      content: {
        ...(travelsAsJson(ensemble.inputs)
          ? { "application/json": jsonContent(schemaName(ensemble, "Request"), exampleRequest(ensemble)) }
          : {}),
        "application/octet-stream": binary,
      },
    },
    responses: {
      "200": {
        description: "The outputs.",
        headers: { "Inference-Header-Content-Length": binaryHeader },
        content: {
          ...(travelsAsJson(ensemble.outputs)
            ? { "application/json": jsonContent(schemaName(ensemble, "Response"), exampleResponse(ensemble)) }
            : {}),
          "application/octet-stream": binary,
        },
      },
      ...failureResponses,
    },
  };
};

const streamOperation = (ensemble: Identified): object => ({
  operationId: `${ensemble.id}Stream`,
  summary: `Runs \`${ensemble.name}\`, and streams its answers.`,
  ...commonOf(ensemble),
  requestBody: {
    required: true,
    description: "Each input under its name. The server computes shapes from the number of elements.",
    content: {
      "application/json": jsonContent(schemaName(ensemble, "Request"), exampleFlatRequest(ensemble)),
    },
  },
  responses: {
    "200": {
      description: `Server-sent events, any number of them. The data of each is JSON: an answer (\`${schemaName(ensemble, "Response")}\`), or an error that ends the stream (\`Error\`).`,
      content: { "text/event-stream": { schema: { type: "string" } } },
    },
    ...failureResponses,
  },
});

const once: Way = {
  path: "/infer",
  operation: inferOperation,
  request: requestSchema,
  response: responseSchema,
};

const streamed: Way = {
  path: "/generate_stream",
  operation: streamOperation,
  request: flatRequestSchema,
  response: flatResponseSchema,
};

const signatureText = (title: string, tensors: Readonly<Record<string, ManifestTensor>>): string =>
  [
    `${title}:`,
    ...Object.entries(tensors).map(
      ([name, tensor]) => `- \`${name}\` ${showType(tensor)}${tensor.optional === true ? ", optional" : ""}`,
    ),
  ].join("\n");

const tensorMetadata = {
  type: "array",
  items: {
    type: "object",
    required: ["name", "datatype", "shape"],
    properties: {
      name: { type: "string" },
      datatype: { type: "string" },
      shape: { type: "array", items: { type: "integer", minimum: -1 } },
    },
  },
};
const modelMetadata = {
  type: "object",
  required: ["name", "inputs", "outputs"],
  properties: {
    name: { type: "string" },
    versions: { type: "array", items: { type: "string" } },
    platform: { type: "string" },
    inputs: tensorMetadata,
    outputs: tensorMetadata,
  },
};
