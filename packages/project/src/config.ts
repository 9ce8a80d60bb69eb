import {
  type FormFault,
  formFaults,
  knownNames,
  nodeMajors,
  pluginKind,
  type StepKind,
} from "@tritype/compiler";
import { guessHelp, isObject, type OptionPath } from "@tritype/core";
import { modelStorageForm, readModelStorage, splittingPlatforms } from "@tritype/deploy/diagnostics";
import { driftLimitsSchema } from "@tritype/drift";
import type { PipelineConfig } from "@tritype/dsl";
import {
  checkProfileName,
  defaultRelease,
  lowerDuration,
  profilesSince,
  releaseOf,
  releases,
} from "@tritype/triton";
import { z } from "zod";
import type { BuildInputs } from "./build-inputs.ts";
import { bundleEntries } from "./load/bundle-entries.ts";
import { configPlaces, placeIn } from "./config-places.ts";
import { createSiteReader } from "./load/site-reader.ts";
import { projectFile } from "./node-host.ts";
import { mistake, ProjectError, sourceReader } from "./project-error.ts";

const isStepKind = (value: unknown): value is StepKind =>
  isObject(value) && typeof value["kind"] === "string" && typeof value["read"] === "function";

/** A text with this form. */
const text = (error: string, form: RegExp | ((given: string) => boolean)) =>
  z
    .string({ error })
    .refine((given) => (form instanceof RegExp ? form.test(given) : form(given)), { error })
    .optional();

const digest = text('must be "sha256:" and 64 hexadecimal digits', /^sha256:[\da-f]{64}$/);
const image = z.strictObject({
  baseImage: text('must be an image, such as "registry/image:tag"', /^[a-z\d][\w.:/@-]*$/i),
  digests: z
    .strictObject(
      { image: digest, minImage: digest },
      { error: 'must be digests, such as { image: "sha256:…", minImage: "sha256:…" }' },
    )
    .optional(),
});
const instanceGroups = 'must be a list of instance groups, such as [{ kind: "cpu" }]';
const batching = 'must be an object, such as { maxQueueDelay: "2ms" }';
const cores = "must be a number of processors, such as 16";
const profile = z.strictObject(
  {
    instanceGroup: z.array(z.looseObject({}), { error: instanceGroups }).nullish(),
    dynamicBatching: z.looseObject({}, { error: batching }).nullish(),
    cores: z.int({ error: cores }).positive({ error: cores }).optional(),
  },
  { error: 'must be an object, such as { instanceGroup: [{ kind: "cpu" }] }' },
);

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

const engine = 'must be "python" or "node"';
const node = `must be ${nodeMajors.join(" or ")}, a major version of Node`;
const functions = z.strictObject(
  {
    engine: z.enum(["python", "node"], { error: engine }).optional(),
    node: z
      .union(
        nodeMajors.map((major) => z.literal(major)),
        { error: node },
      )
      .optional(),
  },
  { error: 'must be an object, such as { engine: "node", node: 24 }' },
);

const time = text(
  'must be a time in whole seconds, such as "10s"',
  (given) => (lowerDuration(given) ?? 1) % 1_000_000 === 0 && lowerDuration(given) !== 0,
);
const atLeast = (least: number): z.ZodOptional<z.ZodInt> => {
  const error = `must be a whole number of at least ${least}`;
  return z.int({ error }).min(least, { error }).optional();
};
const deploy = z.strictObject(
  {
    image: text(
      'must be an image without tag, in lower case, such as "registry.example/embed"',
      /^[a-z\d][a-z\d._-]*(?:(?::\d+)?(?:\/[a-z\d._-]+)+)?$/,
    ),
    models: z
      .string({ error: modelStorageForm("") })
      .refine((given) => readModelStorage(given) !== undefined, {
        error: ({ input }) => modelStorageForm(String(input)),
      })
      .optional(),
    output: z
      .string({ error: 'must be a folder, such as "deploy"' })
      .min(1, { error: "must not be empty" })
      .optional(),
    replicas: atLeast(1),
    rollout: z
      .strictObject({
        maxUnavailable: atLeast(0),
        maxSurge: atLeast(0),
        drain: time,
        grpcMaxConnectionAge: time,
        exitTimeout: time,
        longestRequest: time,
        grace: time,
        slowestLoad: time,
        startupProbe: z.strictObject({ period: time, failures: atLeast(1) }).optional(),
      })
      .optional(),
    platforms: z
      .array(
        z.enum(["kserve", "gateway", ...splittingPlatforms], { error: 'must be "kserve" or "gateway"' }),
        {
          error: 'must be a list of "kserve" and "gateway"',
        },
      )
      .optional(),
    proxy: z.enum(["haproxy", "envoy"], { error: 'must be "haproxy" or "envoy"' }).optional(),
  },
  { error: "must be an object, such as { replicas: 3 }" },
);

const range = `a Triton release from "${releases[0]?.container}" to "${releases.at(-1)?.container}"`;
const files = 'a list of at least one file, such as ["pipeline.ts"]';
const entry = z.string({ error: "must be a path" }).min(1, { error: "must be a path" });
const keep = "must be a whole number of at least 0";
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
    .record(z.string(), profile, { error: "must be an object: profile name → the fields that it overrides" })
    .superRefine((profiles, context) => {
      const inLowerCase = new Map<string, string>();
      for (const name of Object.keys(profiles)) {
        const other = inLowerCase.get(name.toLowerCase());
        const problem =
          other === undefined
            ? checkProfileName(name)
            : `it differs from \`${other}\` only in upper and lower case, which the names of Dockerfile stages ignore`;
        inLowerCase.set(name.toLowerCase(), name);
        if (problem !== undefined)
          context.addIssue({ code: "custom", path: [name], message: `has an invalid name: ${problem}` });
      }
    })
    .optional(),
  docker: z
    .union([z.literal(false), image], {
      error:
        'must be false, { baseImage: "registry/image:tag" } or { digests: { image: "sha256:…", minImage: "sha256:…" } }',
    })
    .optional(),
  functions: functions.optional(),
  drift: z.record(z.string(), driftGate).optional(),
  deploy: deploy.optional(),
  stepKinds: z
    .array(z.custom<StepKind>(isStepKind, { error: "must be a step kind: { kind, read }" }), {
      error: "must be a list of step kinds",
    })
    .optional(),
});

/** The validated configuration of a project. @throws ProjectError that lists every invalid field and its position. */
export const readConfig = async (
  root: string,
  configFile: string | undefined,
  inputs?: BuildInputs,
): Promise<PipelineConfig> => {
  if (configFile === undefined) return {};
  const {
    modules: [module],
    mapStack,
  } = await bundleEntries(root, [configFile], inputs);
  const placesOf = () => configPlaces(sourceReader(root)(configFile) ?? "", configFile);
  const invalid = (problems: readonly Problem[]): ProjectError => {
    const places = placesOf();
    return new ProjectError(
      root,
      problems.map(({ at, message, help }) =>
        places === undefined
          ? mistake(`${configFile}: ${message}`, [], help)
          : mistake(message, [{ span: placeIn(places, at), text: "" }], help),
      ),
    );
  };
  const config = module?.["default"];
  if (config === undefined)
    throw invalid([{ at: [], message: "there is no default export", help: exported }]);
  const read = schema.safeParse(config);
  if (read.success) {
    const { target = defaultRelease.container, profiles = {} } = read.data;
    if (Object.keys(profiles).length > 0 && target < profilesSince)
      throw invalid([
        {
          at: ["profiles"],
          message: `\`profiles\` needs Triton ${profilesSince}, but the target is ${target}`,
          help: `set \`target\` to "${profilesSince}" or later: an older server has no --model-config-name`,
        },
      ]);
    const { stepKinds: kinds, ...rest } = read.data;
    if (kinds === undefined) return rest as PipelineConfig;
    const places = placesOf();
    const siteOf = createSiteReader(projectFile(root), mapStack);
    const stepKinds = kinds.map((kind, index) => {
      const listed =
        places === undefined ? [] : [{ span: placeIn(places, ["stepKinds", index]), text: "listed here" }];
      return pluginKind(kind, { listed, siteOf });
    });
    return { ...rest, stepKinds } as PipelineConfig;
  }
  throw invalid(formFaults(schema, config).map((fault) => problemOf(fault, config)));
};

const exported = "write `export default defineConfig({ … })`";

interface Problem {
  /** The field that the issue is about. */
  readonly at: OptionPath;
  readonly message: string;
  readonly help?: string | undefined;
}

const problemOf = ({ path, reason }: FormFault, config: unknown): Problem => {
  const at = path.map((key) => (typeof key === "symbol" ? String(key) : key));
  const nameOf = (inside: OptionPath): string =>
    inside
      .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
      .join("")
      .slice(1);
  if (reason !== undefined)
    return at.length === 0
      ? { at, message: "the default export is not a configuration", help: exported }
      : { at, message: `\`${nameOf(at)}\` ${reason}` };
  const around = at.slice(0, -1);
  const name = String(at.at(-1));
  const known = knownNames(schema, config, around);
  const more = at[0] === "profiles" ? "; a step can override more under its own `profiles`" : "";
  const fields = `${known.length === 1 ? "the field is" : "the fields are"} ${known.join(", ")}${more}`;
  return {
    at,
    message: `${around.length === 0 ? "there is no" : `\`${nameOf(around)}\` has no`} field \`${name}\``,
    help: guessHelp(name, known, fields),
  };
};
