import { readFileSync } from "node:fs";
import { defaultRelease } from "@tritype/triton";
import type { ServerMetadata } from "../runtime.ts";

/** Supported extensions of KServe v2, in Triton's order. */
const extensions = [
  "classification",
  "model_repository",
  "model_repository(unload_dependents)",
  "schedule_policy",
  "model_configuration",
  "binary_tensor_data",
  "parameters",
  "statistics",
];

/**
 * Triton's own examples and tests abort if the name is not "triton". The version is that of the Triton whose behavior
 * is reproduced, with the version of Tritype appended: `2.51.0+tritype.0.1.0`.
 */
export const serverMetadata = (): ServerMetadata => ({
  name: "triton",
  version: `${defaultRelease.server}+tritype.${packageVersion()}`,
  extensions,
});

const packageVersion = (): string => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
};
