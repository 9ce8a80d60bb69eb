export { type Command, type ExitCode, type Given, type OptionSpec, readArguments } from "./command.ts";
export { commands } from "./commands.ts";
export { main } from "./main.ts";
export { createTerminal, type Terminal } from "./terminal.ts";
export { cliErrors } from "./errors.ts";
