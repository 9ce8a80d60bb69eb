import { usage } from "../command.ts";
import { unknownName } from "../unknown-name.ts";

/**
 * The named ensemble, or the only one. @param done The command's action, such as "tested"
 * @throws PipelineError `usage/invalid`
 */
export const ensembleOf = (named: string | undefined, ensembles: readonly string[], done: string): string => {
  const [only, ...others] = ensembles;
  if (named === undefined && only !== undefined && others.length === 0) return only;
  if (named === undefined)
    throw usage(`which ensemble should be ${done}?`, `name one: ${ensembles.join(", ")}`);
  if (ensembles.includes(named)) return named;
  throw unknownName("ensemble", named, ensembles);
};
