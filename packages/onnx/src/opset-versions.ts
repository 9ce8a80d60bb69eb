import type { OperatorSetIdProto } from "./model-proto.ts";

/** A domain by its shortest name: `""` for ONNX's own. */
export const domainOf = (domain = ""): string => (domain === "ai.onnx" ? "" : domain);

/** The version of each domain. */
export const opsetVersions = (imported: readonly OperatorSetIdProto[]): ReadonlyMap<string, number> =>
  new Map(imported.map(({ domain, version = 0 }) => [domainOf(domain), Number(version)]));
