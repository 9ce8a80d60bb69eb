import { type DockerOptions, memberProfileFields, type StepKind } from "@tritype/compiler";
import { type Diagnostic, didYouMean } from "@tritype/core";
import { driftLimitNames, driftLimitsSchema } from "@tritype/drift";
import type { PipelineConfig } from "@tritype/dsl";
import { checkProfileName, defaultRelease, profilesSince, releaseOf, releases } from "@tritype/triton";
import { z } from "zod";
import type { BuildInputs } from "./build-inputs.ts";
import { bundleEntries } from "./bundle-entries.ts";
import { ProjectError } from "./project-error.ts";

const isStepKind = (value: unknown): value is StepKind =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  typeof value.kind === "string" &&
  "emit" in value &&
  typeof value.emit === "function";

const digest = z
  .string()
  .regex(/^sha256:[\da-f]{64}$/)
  .optional();
const image = z.strictObject({
  baseImage: z
    .string()
    .regex(/^[a-z\d][\w.:/@-]*$/i)
    .optional(),
  digests: z.strictObject({ image: digest, minImage: digest }).optional(),
});
const instanceGroups = 'must be a list of instance groups, such as [{ kind: "cpu" }]';
const batching = 'must be an object, such as { maxQueueDelay: "2ms" }';
const profile = z.strictObject(
  {
    instanceGroup: z.array(z.looseObject({}), { error: instanceGroups }).nullish(),
    dynamicBatching: z.looseObject({}, { error: batching }).nullish(),
  },
  { error: 'must be an object, such as { instanceGroup: [{ kind: "cpu" }] }' },
);
const isDocker = (value: unknown): value is DockerOptions | false =>
  value === false || image.safeParse(value).success;

const variant = 'must be a folder, or { models: { name: "file.onnx" } }';
const driftGate = z.strictObject({
  reference: z.union([z.string().min(1), z.strictObject({ models: z.record(z.string(), z.string()) })], {
    error: variant,
  }),
  dataset: z.string({ error: "must be a file of requests" }).optional(),
  limits: z.record(z.string(), driftLimitsSchema, {
    error: "must be limits by output: { embedding: { cosine: 0.999 } }",
  }),
});

const range = `a Triton release from "${releases[0]?.container}" to "${releases.at(-1)?.container}"`;
const files = 'a list of at least one file, such as ["pipeline.ts"]';
const entry = z.string({ error: "must be a path" }).min(1, { error: "must be a path" });
const keep = "must be a whole number from 0";
const schema = z.strictObject({
  entries: z
    .array(entry, { error: `must be ${files}` })
    .min(1, { error: `must be ${files}` })
    .optional(),
  output: z
    .string({ error: 'must be a folder, such as "build"' })
    .min(1, { error: "must not be empty" })
    .optional(),
  target: z
    .string({ error: `must be ${range}` })
    .refine((target) => releaseOf(target) !== undefined, {
      error: ({ input }) => `is "${String(input)}"; it must be ${range}`,
    })
    .optional(),
  versions: z
    .union(
      [
        z.enum(["fresh", "append"]),
        z.strictObject({
          append: z.strictObject({ keep: z.int({ error: keep }).nonnegative({ error: keep }) }),
        }),
      ],
      { error: 'must be "fresh", "append" or { append: { keep: 3 } } with a whole number from 0' },
    )
    .optional(),
  profiles: z
    .record(z.string(), profile, { error: "must be an object: what is otherwise in each profile, by name" })
    .superRefine((profiles, context) => {
      for (const name of Object.keys(profiles)) {
        const problem = checkProfileName(name);
        if (problem !== undefined)
          context.addIssue({ code: "custom", message: `has \`${name}\`, and ${problem}` });
      }
    })
    .optional(),
  docker: z
    .custom<DockerOptions | false>(isDocker, {
      error:
        'must be false, { baseImage: "registry/image:tag" } or { digests: { image: "sha256:…", minImage: "sha256:…" } }',
    })
    .optional(),
  drift: z.record(z.string(), driftGate).optional(),
  stepKinds: z
    .array(z.custom<StepKind>(isStepKind, { error: "must be a step kind: { kind, emit }" }), {
      error: "must be a list of step kinds",
    })
    .optional(),
});

/** The project's configuration, checked. @throws ProjectError that names every wrong field. */
export const readConfig = async (
  root: string,
  configFile: string | undefined,
  inputs?: BuildInputs,
): Promise<PipelineConfig> => {
  if (configFile === undefined) return {};
  const [module] = (await bundleEntries(root, [configFile], inputs)).modules;
  const invalid = (
    problems: readonly { readonly message: string; readonly help?: string | undefined }[],
  ): ProjectError =>
    new ProjectError(
      root,
      problems.map(
        ({ message, help }): Diagnostic => ({
          code: "project/invalid",
          severity: "error",
          message: `${configFile}: ${message}`,
          labels: [],
          notes: [],
          help,
        }),
      ),
    );
  const config = module?.["default"];
  if (config === undefined)
    throw invalid([
      { message: "there is no default export", help: "write `export default defineConfig({ … })`" },
    ]);
  const read = schema.safeParse(config);
  if (read.success) {
    const { target = defaultRelease.container, profiles = {} } = read.data;
    if (Object.keys(profiles).length > 0 && target < profilesSince)
      throw invalid([
        {
          message: `\`profiles\` needs Triton ${profilesSince}, the target is ${target}`,
          help: `set \`target\` to "${profilesSince}" or later: an older server has no --model-config-name`,
        },
      ]);
    return read.data as PipelineConfig;
  }
  throw invalid(read.error.issues.flatMap(problemsOf));
};

const problemsOf = (
  issue: z.core.$ZodIssue,
): readonly { readonly message: string; readonly help?: string | undefined }[] => {
  if (issue.code !== "unrecognized_keys") {
    const field = issue.path
      .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
      .join("");
    return [
      {
        message:
          field === "" ? "the default export is no configuration" : `\`${field.slice(1)}\` ${issue.message}`,
      },
    ];
  }
  if (issue.path[0] === "profiles")
    return issue.keys.map((key) => ({
      message: `\`${issue.path.join(".")}\` has no field \`${key}\``,
      help: `it has ${memberProfileFields.join(" and ")}; a step has more under its own \`profiles\``,
    }));
  const known = issue.path.includes("limits")
    ? driftLimitNames
    : issue.path[0] === "drift"
      ? Object.keys(driftGate.shape)
      : Object.keys(schema.shape);
  const of = issue.path.length === 0 ? "" : ` in \`${issue.path.join(".")}\``;
  return issue.keys.map((key) => {
    const near = didYouMean(key, known);
    return {
      message: `there is no field \`${key}\`${of}`,
      help: near === undefined ? `the fields are ${known.join(", ")}` : `did you mean \`${near}\`?`,
    };
  });
};
