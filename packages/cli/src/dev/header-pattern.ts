import { type Given, usage } from "../command.ts";

/**
 * `--http-header-forward-pattern` or `--grpc-header-forward-pattern`: matches part of a header name, case-insensitively. Triton reads it as
 * RE2; only expressions that have the same meaning in JavaScript are accepted.
 * @throws PipelineError `usage/invalid` for an invalid pattern; in that case, Triton only logs the error and does not forward anything.
 */
export const headerPatternOf = (given: Given, name: string): RegExp | undefined => {
  const written = given.text(name);
  if (written === undefined) return undefined;
  try {
    if (common.test(written)) return new RegExp(written.replace(/^\(\?i\)/, ""), "i");
  } catch {
    // It is not a valid expression.
  }
  throw usage(
    `--${name} is ${written}`,
    "use a regular expression for header names, such as ^x-trace- or ^(x-user|x-tenant)$; RE2 has neither lookaround nor back references; of its syntax that JavaScript lacks, only a leading (?i) is supported here",
  );
};

const escape = String.raw`\\(?:[dwsDWSbB]|[^\w\s])`;
/** Expressions of characters, classes, groups and quantifiers, which JavaScript and RE2 share. */
const common = new RegExp(
  String.raw`^(?:\(\?i\))?(?:[^\\[\](]|${escape}|\((?:\?:|(?!\?))|\[\^?(?:[^\\[\]]|${escape})+\])*$`,
);
