import type { Verdicts } from "./run-published.ts";

/**
 * A row for all tests of a file that pass on both servers, and one for each other test.
 * @param differ Reasons for different results, by pattern of the test's name.
 */
export const verdictRows = (
  file: string,
  theirs: Verdicts,
  ours: Verdicts,
  differ: Readonly<Record<string, string>> = {},
): readonly (readonly string[])[] => {
  const shown = (verdict: string | undefined): string => (verdict === undefined ? "passes" : "fails");
  const names = [...theirs.keys()];
  const passed = names.filter((name) => theirs.get(name) === undefined && ours.get(name) === undefined);
  const others = names.filter((name) => !passed.includes(name));
  return [
    [`${file}: ${passed.length} of ${names.length}`, "pass", "pass", "alike"],
    ...others.map((name) => {
      const [one, other] = [theirs.get(name), ours.get(name)];
      const reason = Object.entries(differ).find(([pattern]) => new RegExp(pattern).test(name))?.[1];
      const result = shown(one) === shown(other) ? "alike" : (reason ?? `DIFFERS: ${one ?? other}`);
      return [`\`${name}\``, shown(one), shown(other), result.replaceAll(/\s+/g, " ")];
    }),
  ];
};
