import { createProject, nextSteps, packageManagerOf, templates } from "create-tritype";
import { resolve } from "node:path";
import type { ExitCode, Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline init [template] [folder]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  if (given.flag("list")) {
    const width = Math.max(...templates.map(({ name }) => name.length));
    for (const { name, summary } of templates) terminal.out(`${name.padEnd(width)}  ${summary}`);
    return 0;
  }
  const [template = templates[0]?.name ?? "", where = "."] = given.positionals;
  const folder = resolve(terminal.cwd, where);
  const packageManager = packageManagerOf(folder, terminal.env);
  const project = createProject({ folder, template, packageManager });
  for (const line of nextSteps(project, terminal.cwd, packageManager)) terminal.note(line);
  return 0;
};
