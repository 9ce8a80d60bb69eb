import { type ParseArgsConfig, parseArgs } from "node:util";
import { didYouMean, type PipelineError } from "@tritype/core";
import type { Terminal } from "./terminal.ts";
import { cliError } from "./errors.ts";

/** 0: success. 1: the pipeline, the request or the comparison has errors. 2: it could not run. 143: SIGTERM ended it early. */
export type ExitCode = 0 | 1 | 2 | 143;

export interface OptionSpec {
  readonly multiple?: boolean;
  readonly short?: string;
  /** The placeholder for the value in the help: `--http-port <port>`. An option without a placeholder is a flag. */
  readonly value?: string;
  readonly summary: string;
  /** Other options, at least one of which must be given with this one. */
  readonly needs?: readonly string[];
  /** If the value is a path: a file or a folder that must exist, or a file to write. It is checked before the command runs. */
  readonly path?: "file" | "folder" | "output";
}

/** An option with a value. */
export const takes = (
  value: string,
  summary: string,
  more: Pick<OptionSpec, "multiple" | "short" | "needs" | "path"> = {},
): OptionSpec => ({ value, summary, ...more });

/** Values of the options on the command line. */
export interface Given {
  readonly positionals: readonly string[];
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  flag(name: string): boolean;
  /** @throws PipelineError `usage/invalid` if the value is not a whole number in the range. */
  integer(name: string, range: readonly [number, number]): number | undefined;
}

/** One command: its help texts and its implementation, which is imported only when the command is called. */
export interface Command {
  /** "build", "triton install" */
  readonly name: string;
  /** "[repository]" */
  readonly positionals: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Options that users may try, and what to do instead. */
  readonly missing?: Readonly<Record<string, string>>;
  readonly load: () => Promise<{ readonly run: (given: Given, terminal: Terminal) => Promise<ExitCode> }>;
}

/** A command line error. */
export const usage = (message: string, help: string): PipelineError =>
  cliError("usage/invalid", { problem: message }, { help });

/** Reads a command's arguments. @throws PipelineError `usage/invalid` */
export const readArguments = (command: Command, args: readonly string[]): Given => {
  const options: NonNullable<ParseArgsConfig["options"]> = Object.fromEntries(
    Object.entries(command.options).map(([name, { value, multiple, short }]) => [
      name,
      {
        type: value === undefined ? "boolean" : "string",
        multiple: multiple ?? false,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    // Its own errors do not say what to do.
    strict: false,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === "option") checkOption(command, token);
  for (const [name, { needs = [] }] of Object.entries(command.options))
    if (values[name] !== undefined && needs.length > 0 && needs.every((other) => values[other] === undefined))
      throw usage(`--${name} needs ${needs.map((other) => `--${other}`).join(" or ")}`, seeHelp(command));
  const most = command.positionals.includes("…")
    ? Infinity
    : command.positionals.split(" ").filter(Boolean).length;
  if (positionals.length > most)
    throw usage(`\`pipeline ${command.name}\` does not accept \`${positionals[most]}\``, seeHelp(command));
  const text = (name: string): string | undefined => values[name] as string | undefined;
  return {
    positionals,
    text,
    texts: (name) => (values[name] ?? []) as readonly string[],
    flag: (name) => values[name] === true,
    integer: (name, [least, most]) => {
      const given = text(name);
      if (given === undefined) return undefined;
      const number = Number(given);
      if (!/^\d+$/.test(given) || number < least || number > most)
        throw usage(`--${name} is ${given}`, `use a whole number from ${least} to ${most}`);
      return number;
    },
  };
};

/** An option on the command line. */
interface WrittenOption {
  readonly name: string;
  /** `--http-port`, `-i` */
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether the value is in the same argument, after "=". */
  readonly inlineValue: boolean | undefined;
}

/** @throws PipelineError `usage/invalid` for an option that does not exist, lacks its value, or has one that it does not take */
const checkOption = (command: Command, { name, rawName, value, inlineValue }: WrittenOption): void => {
  const spec = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (spec === undefined) throw unknownOption(command, name, rawName);
  if (spec.value === undefined) {
    if (value !== undefined) throw usage(`--${name} is ${value}`, `it takes no value: write --${name}`);
    return;
  }
  const form = `--${name} <${spec.value}>`;
  // Probably the next option. Otherwise the value must be part of the argument.
  const isOption = inlineValue === false && /^-./.test(value ?? "");
  if (value === undefined || isOption)
    throw usage(
      `--${name} needs a value${isOption ? `, but ${value} follows` : ""}`,
      `write ${form}${isOption ? `, or --${name}=${value} if that is the value` : ""}`,
    );
  if (value === "")
    throw usage(`--${name} is empty`, `write ${form}, or leave it out; is a shell variable unset?`);
};

const unknownOption = (command: Command, name: string, written: string): PipelineError => {
  const near = didYouMean(name, Object.keys(command.options));
  const text = command.positionals.includes("text…")
    ? "; before a text that begins with a dash, write --"
    : "";
  return usage(
    `\`pipeline ${command.name}\` has no option ${written}`,
    command.missing?.[name] ??
      (near === undefined ? `${seeHelp(command)}${text}` : `did you mean --${near}?`),
  );
};

const seeHelp = ({ name }: Command): string => `see \`pipeline ${name} --help\``;
