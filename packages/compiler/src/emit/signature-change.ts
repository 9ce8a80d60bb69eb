import { type DType, dtypeOfConfigName, showType, tryDecodeUtf8 } from "@tritype/core";
import { type ModelConfig, type ModelInput, parseModelConfig } from "@tritype/triton";
import { fileBytes, type TreeFile } from "../tree.ts";

/** Why files made for an old configuration do not fit a new one: a clause; undefined if they do. */
export const signatureChange = (file: TreeFile, config: ModelConfig): string | undefined => {
  const text = tryDecodeUtf8(fileBytes(file)) ?? "";
  const read = parseModelConfig(text);
  if ("problem" in read) return `their config.pbtxt cannot be read: ${read.problem.message}`;
  const old = read.config;
  const [was, is] = [runsOn(old), runsOn(config)];
  if (was !== is) return `it runs on ${is}, the old versions on ${was}`;
  for (const side of ["input", "output"] as const) {
    const [before, after] = [tensorsOf(old, side), tensorsOf(config, side)];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [then, now] = [before.get(name), after.get(name)];
      if (then === undefined) return `the ${side} \`${name}\` is new`;
      if (now === undefined) return `the ${side} \`${name}\` is gone`;
      if (then !== now) return `\`${name}\` is ${now}, but ${then} in the old versions`;
    }
  }
  return undefined;
};

const runsOn = ({ platform, backend, default_model_filename: file }: ModelConfig): string =>
  `${backend || platform || "no backend"}${file ? ` (${file})` : ""}`;

/** Name → the property that must not change, in our notation. */
const tensorsOf = (config: ModelConfig, side: "input" | "output"): ReadonlyMap<string, string> =>
  new Map(
    ((config[side] ?? []) as readonly ModelInput[]).map(
      ({ name = "", data_type = "", dims = [], ...rest }) => {
        const dtype: DType | undefined = dtypeOfConfigName(data_type);
        const inside = rest.reshape === undefined ? dims : (rest.reshape.shape ?? []);
        const all = [...((config.max_batch_size ?? 0) > 0 ? ["batch"] : []), ...inside];
        const shown = showType({ dtype: dtype ?? data_type, dims: all });
        return [name, rest.optional === true ? `optional ${shown}` : shown];
      },
    ),
  );
