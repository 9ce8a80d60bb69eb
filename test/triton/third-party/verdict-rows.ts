import type { Verdicts } from "./run-published.ts";

/**
 * A row for all tests of a file that pass on both servers, and one for each other test. Tests that ran on only one of the
 * servers differ.
 * @param differ Reasons for different results, by pattern of the test's name.
 */
export const verdictRows = (
  file: string,
  theirs: Verdicts,
  ours: Verdicts,
  differ: Readonly<Record<string, string>> = {},
): readonly (readonly string[])[] => {
  const names = [...new Set([...theirs.keys(), ...ours.keys()])];
  const passed = names.filter((name) =>
    [theirs, ours].every((verdicts) => shown(verdicts, name) === "passes"),
  );
  const others = names.filter((name) => !passed.includes(name));
  return [
    ...(passed.length === 0
      ? []
      : [[`${file}: ${passed.length} of ${names.length}`, "pass", "pass", "alike"]]),
    ...others.map((name) => {
      const [one, other] = [shown(theirs, name), shown(ours, name)];
      const reason = Object.entries(differ).find(([pattern]) => new RegExp(pattern).test(name))?.[1];
      const why = [one, other].includes(missing) ? missing : (theirs.get(name) ?? ours.get(name));
      const result = one === other ? "alike" : (reason ?? `DIFFERS: ${why}`);
      return [`\`${name}\``, one, other, result.replaceAll(/\s+/g, " ")];
    }),
  ];
};

const missing = "did not run";

const shown = (verdicts: Verdicts, name: string): string => {
  if (!verdicts.has(name)) return missing;
  return verdicts.get(name) === undefined ? "passes" : "fails";
};
