import type { ServerResource } from "@tritype/runtime";
import { type Given, usage } from "../command.ts";

/**
 * `--rate-limit` and `--rate-limit-resource`; undefined for no limits. As in Triton, the later of two settings for the same name
 * and device wins.
 * @throws PipelineError `usage/invalid`
 */
export const rateLimitOf = (given: Given): readonly ServerResource[] | undefined => {
  const mode = given.text("rate-limit")?.toLowerCase() ?? "off";
  const resources = given.texts("rate-limit-resource").map(resourceOf);
  if (mode === "execution_count") return resources;
  if (mode !== "off")
    throw usage(`--rate-limit is ${given.text("rate-limit") ?? ""}`, "use off or execution_count");
  if (resources.length > 0)
    throw usage(
      "--rate-limit-resource needs --rate-limit execution_count",
      "add it: without it, Triton has no limits either",
    );
  return undefined;
};

const resourceOf = (written: string): ServerResource => {
  const [, name, count, device] = /^([^:]*):(\d{1,9})(?::(\d{1,9}))?$/.exec(written) ?? [];
  if (name === undefined)
    throw usage(
      `--rate-limit-resource option format is '<resource_name>:<count>:<device>' or '<resource_name>:<count>'. Got ${written}`,
      "for example memory:4, or memory:4:0 for device 0",
    );
  return { name, count: Number(count), ...(device === undefined ? {} : { device: Number(device) }) };
};
