import { dirname } from "node:path";
import { serverName } from "@tritype/deploy/diagnostics";
import { openListened, openRemote } from "@tritype/endpoint";
import { readManifest } from "@tritype/project";
import { parseTarget } from "@tritype/tune";
import { timeoutMsOf } from "../bench/bench-plan.ts";
import { type ExitCode, type Given, usage } from "../command.ts";
import { buildHash } from "../deploy/read-deployed-build.ts";
import { givenHeaders } from "../given-headers.ts";
import { chosenEnsembles } from "../project/chosen-ensembles.ts";
import { repositoryOf } from "../project/repository-of.ts";
import { kserveMetadata } from "../kserve-server.ts";
import { serverUrl } from "../server-url.ts";
import {
  checkBuild,
  checkedWithoutSamples,
  checkEnsemble,
  checkReady,
  type ServerCheck,
  type SmokeOptions,
  whyNotSent,
} from "../smoke/check-server.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { toleranceOf } from "../verify/tolerance.ts";

/** `pipeline smoke [ensemble…] --url <url>` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const url = given.text("url");
  if (url === undefined)
    throw usage("`pipeline smoke` needs a server", "pass its HTTP address: --url http://localhost:8000");
  const { href } = serverUrl(url, "url");
  const headers = givenHeaders(given, terminal);
  const options = optionsOf(given);
  const timeoutMs = timeoutMsOf(given);
  const built = await repositoryOf(undefined, given, terminal);
  const manifest = built === undefined ? undefined : readManifest(dirname(built.repository));
  if (built === undefined || manifest === undefined) return 1;
  const chosen = chosenEnsembles(
    given.positionals,
    manifest.ensembles.map(({ name }) => name),
  );
  const ensembles = manifest.ensembles.filter(({ name }) => chosen.includes(name));
  const unsent = ensembles.filter((ensemble) => {
    const why = whyNotSent(ensemble, built);
    if (why !== undefined)
      terminal.note(
        `${terminal.colors.dim("note")} \`${ensemble.name}\` ${why}: only its ${checkedWithoutSamples(manifest, ensemble.name)} can be checked`,
      );
    return why !== undefined;
  });
  // Without names, the limit applies to the ensembles that can be measured.
  const mustMeasure =
    options.limit !== undefined && (given.positionals.length > 0 || unsent.length === ensembles.length);
  const server = await openRemote("the server", { http: href }, { headers, timeoutMs });
  const { name } = await kserveMetadata(server.client, href);
  const wantedName = serverName({ manifest, hash: buildHash(dirname(built.repository)) });
  const checks: ServerCheck[] = [await checkReady(server), ...checkBuild(name, wantedName)];
  const build = await openListened("the build", {
    repository: built.repository,
    device: "cpu",
    python: "twin",
    pythonCommand: terminal.env["TRITYPE_PYTHON"],
    notice: noticeOf(terminal),
  });
  try {
    const wanted = { ...options, mustMeasure };
    for (const ensemble of ensembles)
      checks.push(...(await checkEnsemble(ensemble, { ...built, manifest }, { build, server }, wanted)));
  } finally {
    await build.close();
    await server.close();
  }
  terminal.out(given.flag("json") ? JSON.stringify(checks, null, 2) : shown(checks, terminal));
  return checks.every(({ ok }) => ok) ? 0 : 1;
};

const optionsOf = (given: Given): SmokeOptions => {
  const text = given.text("limit");
  const limit = text === undefined ? undefined : parseTarget(text);
  if (text !== undefined && limit?.kind !== "within")
    throw usage(`--limit is ${text}`, "use a percentile and a time, such as p99<200ms");
  return {
    tolerance: toleranceOf(given, "1e-3"),
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
