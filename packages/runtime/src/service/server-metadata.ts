import { readFileSync } from "node:fs";
import type { ServerMetadata } from "../runtime.ts";

/** Extensions of KServe v2 that are answered. */
const extensions = [
  "binary_tensor_data",
  "classification",
  "model_configuration",
  "model_repository",
  "model_repository(unload_dependents)",
  "parameters",
  "schedule_policy",
  "statistics",
];

export const serverMetadata = (): ServerMetadata => ({
  name: "tritype",
  version: packageVersion(),
  extensions,
});

const packageVersion = (): string => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
};
