import { type Given, usage } from "../command.ts";

/** `--strict-readiness`; true if it is not given. @throws PipelineError `usage/invalid` */
export const strictReadinessOf = (given: Given): boolean => {
  const written = given.text("strict-readiness") ?? "true";
  if (/^(?:true|1)$/i.test(written)) return true;
  if (/^(?:false|0)$/i.test(written)) return false;
  throw usage(`--strict-readiness is ${written}`, "use true or false");
};
