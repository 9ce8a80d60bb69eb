import { z } from "zod";
import { type FunctionTwinOptions, functionTwinSchema } from "./function-options.ts";

/** Permissions of a function's Node process, in terms of Node's permission model; without any, it reads its own folder. */
export interface NodePermissions {
  /** Paths that it may read; `*` at the end for all below. Default: its own folder. */
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
}

const paths = z.array(z.string()).optional();

export const nodeTwinSchema: z.ZodType<NodeTwinOptions> = z.intersection(
  functionTwinSchema,
  z.object({
    allow: z.object({
      fsRead: paths,
      fsWrite: paths,
      childProcess: z.boolean().optional(),
      addons: z.boolean().optional(),
    }),
  }),
);

/** Files in the version folder of a function on Node, beside `model.py`. */
export const nodeFiles = {
  /** Runs the function. */
  host: "host.mjs",
  /** The function with all that it imports, as an ES module. */
  module: "run.mjs",
  /** Maps the module to the author's files. */
  map: "run.mjs.map",
  /** The options, as JSON. */
  options: "function.json",
} as const;
