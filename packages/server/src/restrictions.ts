import type { IncomingMessage } from "node:http";
import type { Metadata } from "@grpc/grpc-js";
import { foreignError } from "@tritype/core";

/** The parts of Triton's API that can be restricted, by its names. */
export const restrictable = [
  "health",
  "metadata",
  "inference",
  "shared-memory",
  "model-config",
  "model-repository",
  "statistics",
  "trace",
  "logging",
] as const;
export type Restrictable = (typeof restrictable)[number];

/** The header, with its value, that requests to each part of the API need. */
export type Restrictions = ReadonlyMap<Restrictable, { readonly header: string; readonly value: string }>;

/**
 * The reason why a request over HTTP is refused; undefined if it is not. As in Triton, the first header with that name
 * counts.
 */
export const httpRefusal = (
  restrictions: Restrictions | undefined,
  api: Restrictable,
  { rawHeaders }: Pick<IncomingMessage, "rawHeaders">,
): string | undefined => {
  const restriction = restrictions?.get(api);
  if (restriction === undefined) return undefined;
  const { header, value } = restriction;
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === header.toLowerCase());
  return at >= 0 && rawHeaders[at + 1] === value
    ? undefined
    : `This API is restricted, expecting header '${header}'`;
};

/**
 * As in Triton, metadata names are case-sensitive. gRPC sends lower case, so a header with capitals never matches.
 * @throws PipelineError `model/unavailable` with Triton's message.
 */
export const requireGrpcHeader = (
  restrictions: Restrictions | undefined,
  method: string,
  metadata: Metadata,
): void => {
  const restriction = restrictions?.get(apiOf(method));
  if (restriction === undefined) return;
  const name = `triton-grpc-protocol-${restriction.header}`;
  if (metadata.getMap()[name] !== restriction.value)
    throw foreignError("model/unavailable", `This protocol is restricted, expecting header '${name}'`);
};

/** The part of the API that a method of the gRPC service belongs to. */
const apiOf = (method: string): Restrictable =>
  grpcApis.find(([names]) => names.test(method))?.[1] ?? "inference";

const grpcApis: readonly (readonly [RegExp, Restrictable])[] = [
  [/^(?:Server|Model)(?:Live|Ready)$|^Check$/, "health"],
  [/Metadata$/, "metadata"],
  [/SharedMemory/, "shared-memory"],
  [/^ModelConfig$/, "model-config"],
  [/^Repository/, "model-repository"],
  [/^ModelStatistics$/, "statistics"],
  [/^TraceSetting$/, "trace"],
  [/^LogSettings$/, "logging"],
];
