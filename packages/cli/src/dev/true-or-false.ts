import { type Given, usage } from "../command.ts";

/** An option that is true or false, as in Triton. @throws PipelineError `usage/invalid` */
export const trueOrFalse = (given: Given, name: string, byDefault: boolean): boolean => {
  const written = given.text(name);
  if (written === undefined) return byDefault;
  if (/^(?:true|1)$/i.test(written)) return true;
  if (/^(?:false|0)$/i.test(written)) return false;
  throw usage(`--${name} is ${written}`, "use true or false");
};
