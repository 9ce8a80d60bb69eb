import type { Command } from "./command.ts";

/** The text of `pipeline --help`. */
export const printHelp = (commands: readonly Command[]): string =>
  [
    "pipeline: typed TypeScript pipelines for NVIDIA Triton",
    "",
    "Usage: pipeline <command> [options]",
    "",
    ...columns(commands.map(({ name, positionals, summary }) => [`${name} ${positionals}`.trim(), summary])),
    "",
    "`pipeline <command> --help` shows a command's options.",
    "Exit codes: 0 success, 1 errors found, 2 could not run.",
  ].join("\n");

/** The text of `pipeline <command> --help`. */
export const printCommandHelp = ({ name, positionals, summary, options }: Command): string =>
  [
    `Usage: pipeline ${`${name} ${positionals}`.trim()} [options]`,
    "",
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    "",
    ...columns([
      ...Object.entries(options).map(([option, { short, value, summary: text }]): [string, string] => [
        `${short === undefined ? "" : `-${short}, `}--${option}${value === undefined ? "" : ` <${value}>`}`,
        text,
      ]),
      ["--help", "show this"],
    ]),
  ].join("\n");

const columns = (rows: readonly (readonly [string, string])[]): readonly string[] => {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
};
