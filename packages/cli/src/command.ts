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
}

/** An option with a value. */
export const takes = (
  value: string,
  summary: string,
  more: Pick<OptionSpec, "multiple" | "short" | "needs"> = {},
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
  let parsed: { readonly values: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] };
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const unknown = /Unknown option '(--?[^']+)'/.exec(String(error))?.[1];
    if (unknown === undefined)
      throw usage(
        String(error).replace(/^\w+(?: \[\w+\])?: /, ""),
        `see \`pipeline ${command.name} --help\``,
      );
    const name = unknown.replace(/^-+/, "");
    const near = didYouMean(name, Object.keys(command.options));
    throw usage(
      `\`pipeline ${command.name}\` has no option ${unknown}`,
      command.missing?.[name] ??
        (near === undefined ? `see \`pipeline ${command.name} --help\`` : `did you mean --${near}?`),
    );
  }
  const { values, positionals } = parsed;
  for (const [name, { needs = [] }] of Object.entries(command.options))
    if (values[name] !== undefined && needs.length > 0 && needs.every((other) => values[other] === undefined))
      throw usage(
        `--${name} needs ${needs.map((other) => `--${other}`).join(" or ")}`,
        `see \`pipeline ${command.name} --help\``,
      );
  const most = command.positionals.includes("…")
    ? Infinity
    : command.positionals.split(" ").filter(Boolean).length;
  if (positionals.length > most)
    throw usage(
      `\`pipeline ${command.name}\` does not accept \`${positionals[most]}\``,
      `see \`pipeline ${command.name} --help\``,
    );
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
