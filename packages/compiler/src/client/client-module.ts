import { identifierOf, showType, propertyName } from "@tritype/core";
import type { ManifestEnsemble, ManifestTensor } from "@tritype/manifest";
import { inputType, outputType } from "./tensor-types.ts";

/** The ensemble's client as a JavaScript module that browsers and Node load directly. */
export const printClientModule = (ensemble: ManifestEnsemble): string => {
  const id = identifierOf(ensemble.name);
  return `${header(ensemble)}import { createHttpClient } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** The contract between this client and the server. */
export const ${id}Contract = {
  name: ${JSON.stringify(ensemble.name)},
  hash: ${JSON.stringify(ensemble.contractHash)},
  inputs: {
${contractLines(ensemble.inputs)}  },
  outputs: {
${contractLines(ensemble.outputs)}  },
${ensemble.streams === true ? "  streams: true,\n" : ""}${ensemble.sequenceIds === undefined ? "" : `  sequenceIds: ${JSON.stringify(ensemble.sequenceIds)},\n`}};

${clientDoc(ensemble, id)}
export const ${id}Client = (options) => createHttpClient({ ...options, ensemble: ${id}Contract });
`;
};

/** The TypeScript declarations of the client's module. */
export const printClientTypes = (ensemble: ManifestEnsemble): string => {
  const id = identifierOf(ensemble.name);
  const type = `${id[0]?.toUpperCase()}${id.slice(1)}`;
  const inputs = Object.entries(ensemble.inputs).map(([name, tensor]) => ({
    name: `${propertyName(name)}${tensor.optional === true ? "?" : ""}`,
    tensor,
    type: inputType(tensor),
  }));
  const outputs = Object.entries(ensemble.outputs).map(([name, tensor]) => ({
    name: propertyName(name),
    tensor,
    type: outputType(tensor),
  }));
  const client = ensemble.streams === true ? "StreamingClient" : "Client";
  const used = [client, "Contract", "HttpOptions"];
  if (inputs.length > 0) used.push("Elements");
  if (outputs.length > 0) used.push("Tensor");
  return `${header(ensemble)}import type { ${used.toSorted().join(", ")} } from "./core/kserve.js";

export { ClientError } from "./core/kserve.js";

/** Inputs of \`${ensemble.name}\`: nested arrays without the size-1 dims after the first, or elements with their shape. */
export interface ${type}Inputs {
${members(inputs)}}

/** Outputs of \`${ensemble.name}\`. */
export interface ${type}Outputs {
${members(outputs)}}

/** The contract between this client and the server. */
export declare const ${id}Contract: Contract<${type}Inputs, ${type}Outputs${ensemble.streams === true ? ", true" : ""}>;

${clientDoc(ensemble, id)}
export declare const ${id}Client: (options: HttpOptions) => ${client}<${type}Inputs, ${type}Outputs>;
`;
};

const header = ({ name }: ManifestEnsemble): string =>
  `// Written by \`pipeline build\` from \`${name}\`. Do not edit.\n`;

const clientDoc = ({ name }: ManifestEnsemble, id: string): string => `/**
 * A client of \`${name}\` over HTTP, in browsers and Node: \`${id}Client({ url: "http://127.0.0.1:8000" })\`. Over gRPC, in Node:
 * \`createGrpcClient({ address: "127.0.0.1:8001", ensemble: ${id}Contract })\` of ./core/grpc.js, which needs @grpc/grpc-js.
 */`;

const contractLines = (tensors: ManifestEnsemble["inputs"]): string =>
  Object.entries(tensors)
    .map(
      ([name, { dtype, dims, optional }]) =>
        `    ${propertyName(name)}: { dtype: ${JSON.stringify(dtype)}, dims: ${list(dims)}${optional === true ? ", optional: true" : ""} },\n`,
    )
    .join("");

const members = (
  all: readonly { readonly name: string; readonly tensor: ManifestTensor; readonly type: string }[],
): string =>
  all
    .map(
      ({ name, tensor, type }) =>
        `  /** ${showType(tensor).replaceAll("*/", "*\\/")} */\n  readonly ${name}: ${type};\n`,
    )
    .join("");

const list = (dims: ManifestTensor["dims"]): string =>
  `[${dims.map((dim) => JSON.stringify(typeof dim === "string" ? dim.replace(/(?:#\d+)+$/, "") : dim)).join(", ")}]`;
