import { type Given, readArguments } from "./command.ts";
import { commands } from "./commands.ts";

/** The arguments of a command, as it gets them. */
export const givenTo = (name: string, ...args: readonly string[]): Given => {
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw new Error(`there is no ${name}`);
  return readArguments(command, args);
};
