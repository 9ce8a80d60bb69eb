import { z } from "zod";
import { fuseForm } from "../check/check-option-forms.ts";
import type { OptionForms } from "../step-kind.ts";

const pathForm = 'must be an absolute path, such as "/data/*"';
const paths = z
  .array(z.string(pathForm).regex(/^(?:\/|\*$)/, pathForm), 'must be a list of paths, such as ["/data/*"]')
  .optional();
const flag = z.boolean("must be true or false").optional();
const allow = z.strictObject(
  { fsRead: paths, fsWrite: paths, childProcess: flag, addons: flag },
  "must be an object of permissions",
);

/** The options of a flow: those of a function on Node, and its samples. */
export const flowForms: OptionForms = {
  run: z.unknown(),
  per: z.unknown(),
  warmup: z.unknown(),
  timeLimit: z.unknown(),
  allow,
};

/** The options of a function step. The step kind's own checks read the other options. */
export const functionForms: OptionForms = {
  run: z.unknown(),
  per: z.unknown(),
  timeLimit: z.unknown(),
  engine: z.enum(["python", "node"], 'must be "python" or "node"'),
  ...fuseForm,
  allow,
};
