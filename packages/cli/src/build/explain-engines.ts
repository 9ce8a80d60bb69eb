import { nodeMajors } from "@tritype/compiler";
import type { CompiledProject, Project, StepEngine } from "@tritype/project";

/** One line for each function step: its name, the engine that runs it in Triton, and why. */
export const explainEngines = (
  { engines }: Pick<CompiledProject, "engines">,
  { configFile = "pipeline.config.ts" }: Pick<Project, "configFile">,
): readonly string[] => {
  const width = Math.max(...engines.map(({ step }) => step.length));
  return engines.map(
    (found) => `${found.step.padEnd(width)}  ${found.engine.padEnd(6)}  ${whyOf(found, configFile)}`,
  );
};

const whyOf = ({ engine, by, at }: StepEngine, configFile: string): string => {
  if (by === "default") return "translated";
  if (by === "flow") return "a flow that calls models";
  if (by === "project") return `functions.engine in ${configFile}`;
  const place = at === undefined ? "" : ` in ${at.file}:${at.line}`;
  return `${engine === "python" ? "translated, " : ""}engine: "${engine}"${place}`;
};

/**
 * A note if functions run on a different major version of Node here than in Triton; undefined otherwise. @param version The Node
 * version that runs here, such as "24.19.0".
 */
export const noteOtherNode = (
  { engines, settings }: Pick<CompiledProject, "engines" | "settings">,
  version: string,
): string | undefined => {
  const { node } = settings.functions;
  const here = Number(version.split(".")[0]);
  if (here === node || engines.every(({ engine }) => engine !== "node")) return undefined;
  const choice = nodeMajors.some((major) => major === here)
    ? `, or set \`functions: { node: ${here} }\` in pipeline.config.ts`
    : "";
  return `functions run on Node ${node} in Triton and on Node ${here} here: their results may differ; use Node ${node} here${choice}`;
};
