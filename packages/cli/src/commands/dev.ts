import type { Runtime } from "@tritype/runtime";
import type { ExitCode, Given } from "../command.ts";
import { deviceOf } from "../project/device.ts";
import { repositoryOf } from "../project/repository-of.ts";
import { shownPath } from "../shown-path.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline dev [repository]`: serves until Ctrl-C. */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const port = given.integer("http-port", [0, 65535]);
  const maxBodyBytes = given.integer("http-max-input-size", [1, Number.MAX_SAFE_INTEGER]);
  const device = deviceOf(given, "auto");
  const built = await repositoryOf(given.positionals[0], given, terminal);
  if (built === undefined) return 1;
  const [{ startRuntime }, { serveHttp }] = await Promise.all([
    import("@tritype/runtime"),
    import("@tritype/server"),
  ]);
  const runtime = await startRuntime({
    repository: built.repository,
    device,
    python: given.flag("python") ? "always" : "twin",
    notice: (text) => terminal.note(`${terminal.colors.dim("note")} ${text}`),
  });
  try {
    const host = given.text("host");
    const server = await serveHttp(runtime, {
      ...(port === undefined ? {} : { port }),
      ...(host === undefined ? {} : { host }),
      ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    });
    const stopped = terminal.untilStopped();
    terminal.note(
      `${terminal.colors.green("serving")} ${shownPath(terminal.cwd, built.repository)} at ${server.url}`,
    );
    for (const line of modelLines(runtime, terminal)) terminal.note(line);
    terminal.note(terminal.colors.dim("stop with Ctrl-C"));
    await stopped;
    await server.close();
  } finally {
    await runtime.close();
  }
  return 0;
};

const modelLines = (runtime: Runtime, { colors }: Terminal): readonly string[] => {
  const models = runtime.models();
  const width = Math.max(0, ...models.map(({ name }) => name.length));
  return models.flatMap(({ name, version, state, reason = "no reason is known", help }) => {
    if (state === "READY")
      return [
        `  ${name.padEnd(width)}  ${colors.green("ready")}${version === undefined ? "" : ` (version ${version})`}`,
      ];
    const [first, ...rest] = reason.trimEnd().split("\n");
    return [
      `  ${name.padEnd(width)}  ${colors.red("unavailable")}: ${first}`,
      ...rest.filter((line) => !/^$|<frozen importlib/.test(line)).map((line) => `      ${line}`),
      ...(help === undefined ? [] : [`      ${colors.dim("=")} ${colors.green("help")}: ${help}`]),
    ];
  });
};
