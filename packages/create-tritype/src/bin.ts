import { parseArgs } from "node:util";
import { PipelineError } from "@tritype/core";
import { createProject } from "./create-project.ts";
import { nextSteps } from "./next-steps.ts";
import { packageManagerOf } from "./package-manager.ts";
import { templates } from "./templates.ts";
import { createError } from "./errors.ts";

const folderByDefault = "my-pipeline";

const help = [
  "Usage: npm create tritype [folder] -- [--template <name>]",
  "",
  `Creates a pipeline project in the folder (default: ${folderByDefault}).`,
  "",
  ...templates.map(({ name, summary }) => `  ${name.padEnd(16)}${summary}`),
  "",
  `  --template      the template (default: ${templates[0]?.name})`,
  "  --list          print the templates' names",
  "  --help          show this",
].join("\n");

const usage = (message: string): PipelineError => createError("create/command-line", { problem: message });

const read = (): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
} => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        template: { type: "string", short: "t" },
        list: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw usage((error as Error).message);
  }
};

const run = (): string => {
  const { values, positionals } = read();
  if (values["help"] === true) return help;
  if (values["list"] === true) return templates.map(({ name }) => name).join("\n");
  const [folder = folderByDefault, extra] = positionals;
  if (extra !== undefined) throw usage(`unexpected argument \`${extra}\``);
  const packageManager = packageManagerOf(folder, process.env);
  const template = (values["template"] as string | undefined) ?? templates[0]?.name ?? "";
  return nextSteps(createProject({ folder, template, packageManager }), process.cwd(), packageManager).join(
    "\n",
  );
};

try {
  process.stdout.write(`${run()}\n`);
} catch (error) {
  if (!PipelineError.is(error)) throw error;
  const advice = error.help === undefined ? "" : `  = help: ${error.help}\n`;
  process.stderr.write(`error[${error.reason}]: ${error.message}\n${advice}`);
  process.exitCode = 2;
}
