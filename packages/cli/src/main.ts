import { didYouMean, inBackticks, type PipelineError } from "@tritype/core";
import { checkPaths } from "./checked-paths.ts";
import { type Command, type ExitCode, readArguments, usage } from "./command.ts";
import { commands } from "./commands.ts";
import { printCommandHelp, printHelp } from "./help.ts";
import { describeError, exitCodeOf, printErrorJson } from "./describe-error.ts";
import type { Terminal } from "./terminal.ts";

/** Runs `pipeline` with the arguments after its name. Never throws; the result is the exit code. */
export const main = async (
  args: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<ExitCode> => {
  const [first] = args;
  // After "--", everything is a text.
  const options = new Set(args.includes("--") ? args.slice(0, args.indexOf("--")) : args);
  const asksHelp = options.has("--help") || options.has("-h");
  if (first === "--version" || first === "-v") {
    terminal.out(version);
    return 0;
  }
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    terminal.out(printHelp(commands));
    return first === undefined ? 2 : 0;
  }
  const found = findCommand(args);
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (found === undefined && group.length > 0 && asksHelp) {
    terminal.out(printHelp(group));
    return 0;
  }
  if (found === undefined) {
    terminal.note(describeError(unknownCommand(args), terminal.colors, version));
    return 2;
  }
  const { command, rest } = found;
  if (asksHelp) {
    terminal.out(printCommandHelp(command));
    return 0;
  }
  try {
    const given = readArguments(command, rest);
    checkPaths(command, given, terminal.cwd);
    const { run } = await command.load();
    return await run(given, terminal);
  } catch (error) {
    terminal.note(describeError(error, terminal.colors, version));
    // Programs that parse JSON read stdout, even if the only output is an error.
    if (options.has("--json") && Object.hasOwn(command.options, "json")) terminal.out(printErrorJson(error));
    return exitCodeOf(error);
  }
};

const findCommand = (
  args: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined => {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(" ");
    const command = commands.find((candidate) => candidate.name === name);
    if (command !== undefined) return { command, rest: args.slice(words) };
  }
  return undefined;
};

const unknownCommand = ([first = "", second = ""]: readonly string[]): PipelineError => {
  const names = commands.map(({ name }) => name);
  const group = names.filter((name) => name.startsWith(`${first} `));
  const given = group.length > 0 && second !== "" ? `${first} ${second}` : first;
  const near = didYouMean(given, names);
  return usage(
    group.length > 0 && second === ""
      ? `\`pipeline ${first}\` needs a second word`
      : `there is no command \`pipeline ${given}\``,
    near === undefined
      ? `use ${inBackticks(group.length > 0 ? group : names)}`
      : `did you mean \`pipeline ${near}\`?`,
  );
};
