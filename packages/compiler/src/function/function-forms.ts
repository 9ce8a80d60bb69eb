import { z } from "zod";
import type { OptionForm, OptionForms } from "../step-kind.ts";

const pathForm = 'must be an absolute path, such as "/data/*"';
const paths = z
  .array(z.string(pathForm).regex(/^(?:\/|\*$)/, pathForm), 'must be a list of paths, such as ["/data/*"]')
  .optional();
const flag = z.boolean("must be true or false").optional();
const permissions = { fsRead: paths, fsWrite: paths, childProcess: flag, addons: flag };

const allow: OptionForm = z.strictObject(permissions, {
  error: ({ code, keys = [] }) =>
    code === "unrecognized_keys"
      ? `has no field \`${(keys as readonly string[]).join("`, `")}\`; its fields are ${Object.keys(permissions).join(", ")}`
      : "must be an object of permissions",
});

/** The options of a flow: those of a function on Node, and its samples. */
export const flowForms: OptionForms = {
  run: z.unknown(),
  per: z.unknown(),
  warmup: z.unknown(),
  timeLimit: z.unknown(),
  allow,
};

/** The options of a function step. Its own checks read the others. */
export const functionForms: OptionForms = {
  run: z.unknown(),
  per: z.unknown(),
  timeLimit: z.unknown(),
  engine: z.enum(["python", "node"], 'must be "python" or "node"'),
  allow,
};
