import { z } from "zod";
import { functionTensors, type FunctionTwinOptions, functionTwinSchema } from "./function-options.ts";

/** Permissions for a function's Node process, in terms of Node's permission model; without any, it may only read its own folder. */
export interface NodePermissions {
  /** Paths that it may read; a `*` at the end covers everything below. Default: its own folder. */
  readonly fsRead?: readonly string[] | undefined;
  /** Paths that it may write. Default: none. */
  readonly fsWrite?: readonly string[] | undefined;
  /** Whether it may start processes. Default false. */
  readonly childProcess?: boolean | undefined;
  /** Whether it may load native addons. Default false. */
  readonly addons?: boolean | undefined;
}

/** The options of a function on Node: in the manifest for the twin, in `function.json` for the emitted files. */
export interface NodeTwinOptions extends FunctionTwinOptions {
  readonly allow: NodePermissions;
  /**
   * The function's position, such as `pipeline.ts:12:3`. It is reported for a request that takes too long, because no line in the function
   * throws.
   */
  readonly writtenAt?: string | undefined;
  /** Whether `model.py` holds back errors for 10 ms, because older releases may hang if a step fails before parallel ones have started. */
  readonly holdErrors?: true | undefined;
  /** For a flow: the models that it calls, by the names that its function uses. */
  readonly calls?: Readonly<Record<string, NodeCallee>> | undefined;
}

/** A model that a flow calls, with its declaration. */
export interface NodeCallee {
  readonly model: string;
  /** Default: the latest. */
  readonly version?: number | undefined;
  readonly inputs: FunctionTwinOptions["inputs"];
  readonly outputs: FunctionTwinOptions["outputs"];
}

const paths = z.array(z.string()).optional();

const callee = z.object({
  model: z.string(),
  version: z.int().positive().optional(),
  inputs: functionTensors,
  outputs: functionTensors,
});

export const nodeTwinSchema: z.ZodType<NodeTwinOptions> = z.intersection(
  functionTwinSchema,
  z.object({
    writtenAt: z.string().optional(),
    holdErrors: z.literal(true).optional(),
    calls: z.record(z.string(), callee).optional(),
    allow: z.object({
      fsRead: paths,
      fsWrite: paths,
      childProcess: z.boolean().optional(),
      addons: z.boolean().optional(),
    }),
  }),
);

/** Files in the version folder of a function on Node, next to `model.py`. */
export const nodeFiles = {
  /** Runs the function. */
  host: "host.mjs",
  /** The function with everything that it imports, as an ES module. */
  module: "run.mjs",
  /** Maps the module to the user's files. */
  map: "run.mjs.map",
  /** Parses the JSON inputs and checks them against their types; only there if one has such a type. */
  inputs: "inputs.mjs",
  /** The options, as JSON. */
  options: "function.json",
} as const;
