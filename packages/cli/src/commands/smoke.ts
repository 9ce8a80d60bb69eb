import { dirname } from "node:path";
import { openLocal, openRemote } from "@tritype/endpoint";
import { readManifest } from "@tritype/project";
import { parseTarget } from "@tritype/tune";
import { type ExitCode, type Given, usage } from "../command.ts";
import { repositoryOf } from "../project/repository-of.ts";
import { unknownEnsemble } from "../project/unknown-ensemble.ts";
import { serverUrl } from "../server-url.ts";
import { checkEnsemble, checkReady, type ServerCheck, type SmokeOptions } from "../smoke/check-server.ts";
import { noticeOf, type Terminal } from "../terminal.ts";

/** `pipeline smoke [ensemble…] --url <url>` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const url = given.text("url");
  if (url === undefined)
    throw usage("no server is named", "pass its HTTP address: --url http://localhost:8000");
  const { href } = serverUrl(url, "url");
  const options = optionsOf(given);
  const built = await repositoryOf(undefined, given, terminal);
  const manifest = built === undefined ? undefined : readManifest(dirname(built.repository));
  if (built === undefined || manifest === undefined) return 1;
  const names = manifest.ensembles.map(({ name }) => name);
  const unknown = given.positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownEnsemble(unknown, names);
  const server = await openRemote("the server", { http: href });
  const checks: ServerCheck[] = [await checkReady(server)];
  const build = await openLocal("the build", {
    repository: built.repository,
    device: "cpu",
    python: "twin",
    pythonCommand: terminal.env["TRITYPE_PYTHON"],
    notice: noticeOf(terminal),
  });
  try {
    for (const ensemble of manifest.ensembles)
      if (given.positionals.length === 0 || given.positionals.includes(ensemble.name))
        checks.push(...(await checkEnsemble(ensemble, { ...built, manifest }, { build, server }, options)));
  } finally {
    await build.close();
    await server.close();
  }
  terminal.out(given.flag("json") ? JSON.stringify(checks, null, 2) : shown(checks, terminal));
  return checks.every(({ ok }) => ok) ? 0 : 1;
};

const optionsOf = (given: Given): SmokeOptions => {
  const tolerance = Number(given.text("tolerance") ?? "1e-3");
  if (!(tolerance >= 0))
    throw usage(`--tolerance is ${given.text("tolerance") ?? ""}`, "use a number, such as 1e-4");
  const text = given.text("limit");
  const limit = text === undefined ? undefined : parseTarget(text);
  if (text !== undefined && limit?.kind !== "within")
    throw usage(`--limit is ${text}`, "use a percentile and a time, such as p99<200ms");
  return {
    tolerance,
    repeats: given.integer("repeats", [1, 10_000]) ?? 20,
    limit: limit?.kind === "within" ? limit : undefined,
  };
};

const shown = (checks: readonly ServerCheck[], { outColors }: Terminal): string => {
  const width = Math.max(...checks.map(({ model = "server" }) => model.length));
  return checks
    .map(({ model = "server", what, ok, text }) =>
      [
        model.padEnd(width),
        what.padEnd("contract".length),
        ok ? outColors.green("ok    ") : outColors.red("FAILED"),
        text,
      ].join("  "),
    )
    .join("\n");
};
