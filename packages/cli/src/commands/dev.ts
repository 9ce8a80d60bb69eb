import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Diagnostic } from "@tritype/core";
import type { Runtime } from "@tritype/runtime";
import type { Restrictions } from "@tritype/server";
import { closeAll } from "../close-all.ts";
import type { ExitCode, Given } from "../command.ts";
import type { BuildOutcome } from "../dev/build-messages.ts";
import { type BuildThread, openBuildThread } from "../dev/build-thread.ts";
import { allowedCallersOf } from "../dev/allowed-callers.ts";
import { cacheConfigOf } from "../dev/cache-config.ts";
import { headerPatternOf } from "../dev/header-pattern.ts";
import { bodyLimitOf } from "../dev/body-limit.ts";
import { momentNow } from "../dev/edited-since.ts";
import { endAtSignal } from "../dev/end-at-signal.ts";
import { metricsOf } from "../dev/metrics-options.ts";
import { type ModelControlMode, modelControlOf, runtimeControl } from "../dev/model-control.ts";
import { givenChat } from "../dev/given-chat.ts";
import { letHeapGrow } from "../dev/let-heap-grow.ts";
import { pythonLimitOf } from "../dev/python-limit.ts";
import { pollRepository } from "../dev/poll-repository.ts";
import { rateLimitOf } from "../dev/rate-limit.ts";
import { reasonText } from "../dev/reload-report.ts";
import { traceConfigOf } from "../dev/trace-config.ts";
import { createServedBuild, type ServedBuild } from "../dev/served-build.ts";
import { trueOrFalse } from "../dev/true-or-false.ts";
import type { Watching } from "../dev/watch-project.ts";
import { editorOf } from "../inspector/open-editor.ts";
import { comparedServer } from "../inspector/page-options.ts";
import { configNameOf } from "../project/config-name.ts";
import { deviceOf } from "../project/device.ts";
import { projectOf } from "../project/project-of.ts";
import { shownPath } from "../shown-path.ts";
import { noticeOf, type Terminal } from "../terminal.ts";

/** The served repository, and how changes to it are followed. */
interface Source {
  readonly repository: string;
  /** Whether the repository may have no models yet. */
  readonly mayBeEmpty?: boolean;
  /** The folder of the project from which the repository was built, if any. */
  readonly root?: string;
  /** The compiler's warnings about the project. */
  readonly warnings?: () => readonly Diagnostic[];
  /** @param onFailure Called with the report on a failed build. */
  watch?(served: ServedBuild, onFailure: (text: string) => void): Watching;
  close(): Promise<void>;
  /** As in `BuildThread`. Default: nothing is built. */
  readonly endCommits?: BuildThread["endCommits"];
}

/** `pipeline dev [repository]`: serves until Ctrl-C, and reloads whenever something changes. */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const mode = modelControlOf(given);
  const metrics = metricsOf(given);
  const serving = await serverOptionsOf(given);
  const running = runtimeOptionsOf(given, mode);
  const { configName } = running;
  const exitTimeout = (given.integer("exit-timeout-secs", [0, 86_400]) ?? 30) * 1000;
  const chat = await givenChat(given, terminal.cwd);
  const other = await comparedServer(given, terminal);
  const [source, { startRuntime }, { openServers }, { openOpenAi, openAiLines }, inspecting] =
    await Promise.all([
      openSource(given, mode, terminal),
      import("@tritype/runtime"),
      import("../dev/open-servers.ts"),
      import("../dev/open-ai.ts"),
      given.flag("no-inspector") ? undefined : import("../inspector/open-inspector.ts"),
    ]);
  if (typeof source === "number") return source;
  const tellFindings = await findingsReport(given, source.repository, configName, terminal);
  const resources: (() => unknown)[] = [() => source.close(), async () => other?.close()];
  letHeapGrow();
  try {
    const runtime = await startRuntime({
      ...running,
      repository: source.repository,
      mayBeEmpty: source.mayBeEmpty,
      summaryQuantiles: metrics.summaryQuantiles,
      notice: noticeOf(terminal),
    });
    // Once the servers are closed, no client is waiting for the requests that are still running.
    resources.push(() => runtime.close(true));
    const openAi = openOpenAi(runtime, source.repository, chat, noticeOf(terminal));
    let grpc: string | undefined;
    const inspector = inspecting?.openInspector({
      runtime,
      repository: source.repository,
      root: source.root,
      cwd: terminal.cwd,
      configName,
      tensors: !given.flag("no-tensors"),
      buildWarnings: source.warnings,
      openEditor: editorOf(given, [source.root ?? terminal.cwd, terminal.cwd]),
      other,
      grpcAddress: () => grpc,
    });
    const servers = await openServers(
      runtime,
      {
        ...serving,
        limits: { ...serving.limits, http: serving.limits.http ?? bodyLimitOf(source.repository) },
        metrics: metrics.shown,
        apis: inspector === undefined ? [openAi] : [openAi, inspector.api],
      },
      terminal,
    );
    ({ grpc } = servers);
    resources.push(() => servers.close(exitTimeout));
    const stopped = terminal.untilStopped();
    terminal.note(
      `${terminal.colors.green("serving")} ${shownPath(terminal.cwd, source.repository)} at ${servers.url}`,
    );
    if (servers.others.length > 0) terminal.note(`  ${servers.others.join(", ")}`);
    if (inspector !== undefined) terminal.note(`  inspector at ${servers.url}${inspector.api.path}`);
    for (const line of modelLines(runtime, terminal)) terminal.note(line);
    for (const line of await openAiLines(openAi, servers.url, terminal)) terminal.note(line);
    tellFindings();
    const afterReload = (): void => {
      inspector?.changed();
      tellFindings();
    };
    const served = createServedBuild(runtime, terminal, () => new Date(), afterReload);
    const watching = source.watch?.(served, (text) => inspector?.failed(text));
    if (watching !== undefined) resources.push(() => watching.close());
    terminal.note(terminal.colors.dim(`${follows(mode)}stop with Ctrl-C`));
    await stopped;
    if (source.endCommits !== undefined) resources.unshift(endAtSignal(source.endCommits));
    terminal.exitAfter(exitTimeout + longestStop, 0);
  } finally {
    await closeAll(resources);
  }
  return 0;
};

/** The options of the servers. */
const serverOptionsOf = async (given: Given) => ({
  host: given.text("host"),
  ports: {
    http: given.integer("http-port", [0, 65535]),
    grpc: given.integer("grpc-port", [0, 65535]),
    metrics: given.integer("metrics-port", [0, 65535]),
  },
  limits: {
    http: given.integer("http-max-input-size", [1, Number.MAX_SAFE_INTEGER]),
    grpc: given.integer("grpc-max-message-size", [1, longestGrpcMessage]),
  },
  callers: allowedCallersOf(given),
  headers: {
    http: {
      forwardedNames: headerPatternOf(given, "http-header-forward-pattern"),
      restrictions: await restrictions(given, "http-restricted-api"),
    },
    grpc: {
      forwardedNames: headerPatternOf(given, "grpc-header-forward-pattern"),
      restrictions: await restrictions(given, "grpc-restricted-protocol"),
    },
  },
  logVerbose: verbosityOf(given),
  trace: traceConfigOf(given),
});

/** The options of the models. */
const runtimeOptionsOf = (given: Given, mode: ModelControlMode) => ({
  device: deviceOf(given, "auto"),
  control: runtimeControl(mode),
  configName: configNameOf(given),
  python: given.flag("python") ? ("always" as const) : ("twin" as const),
  pythonLimit: pythonLimitOf(given),
  strictReadiness: trueOrFalse(given, "strict-readiness", true),
  rateLimit: rateLimitOf(given),
  responseCache: cacheConfigOf(given),
});

/** Loading the server takes a long time, so it is only loaded if an option needs its names. */
const restrictions = async (given: Given, name: string): Promise<Restrictions | undefined> =>
  given.texts(name).length === 0
    ? undefined
    : (await import("../dev/restricted.ts")).restrictionsOf(given, name);

/** A repository that the user specified has not been checked by a build. */
const findingsReport = async (
  given: Given,
  repository: string,
  configName: string | undefined,
  terminal: Terminal,
): Promise<() => void> => {
  if (given.positionals.length === 0) return () => {};
  const { createFindingsReport } = await import("../dev/repository-findings.ts");
  return createFindingsReport(repository, configName, terminal);
};

/** The time in milliseconds that models and a build get to finish after the last request. */
const longestStop = 15_000;

/** gRPC stores the size of a message in 32 bits. */
const longestGrpcMessage = 2 ** 32 - 1;

/** The part of the startup line that says how changes are noticed. */
const follows = (mode: ModelControlMode): string => {
  if (mode.kind === "watch") return "watching for changes; ";
  if (mode.kind === "poll" && mode.seconds > 0) return `looking for changes every ${mode.seconds} s; `;
  return mode.kind === "explicit" ? "loading models on request; " : "";
};

/**
 * The repository that was specified or built; an exit code if there is none. The compiler takes a long time to load, so this thread does
 * not load it if another thread runs the builds.
 */
const openSource = async (
  given: Given,
  mode: ModelControlMode,
  terminal: Terminal,
): Promise<Source | ExitCode> => {
  const [folder] = given.positionals;
  const close = async (): Promise<void> => {};
  if (mode.kind !== "watch") {
    const { repositoryOf } = await import("../project/repository-of.ts");
    const built = await repositoryOf(folder, given, terminal);
    if (built === undefined) return 1;
    const { repository } = built;
    const source = {
      repository,
      close,
      ...(folder === undefined ? { root: projectOf(given, terminal).root } : {}),
    };
    if (mode.kind !== "poll") return source;
    return { ...source, watch: (served) => pollRepository(mode.seconds, served) };
  }
  if (folder === undefined) return openProject(given, terminal);
  const repository = resolve(terminal.cwd, folder);
  const { watchRepository } = await import("../dev/watch-repository.ts");
  return { repository, watch: (served) => watchRepository(repository, served, terminal), close };
};

const openProject = async (given: Given, terminal: Terminal): Promise<Source | ExitCode> => {
  const { root } = projectOf(given, terminal);
  const startedAt = momentNow();
  const { cwd, colors } = terminal;
  const thread = openBuildThread({ root, cwd, color: colors.isColorSupported });
  const [first, { watchProject }] = await Promise.all([
    untilSignal(thread.build(), thread),
    import("../dev/watch-project.ts"),
  ]);
  for (const note of first.notes) terminal.note(note);
  if (first.kind === "moved" || (first.kind === "failed" && first.exitCode !== 1)) {
    await thread.close();
    return first.kind === "failed" ? first.exitCode : 1;
  }
  const { output = join(root, "build") } = first;
  const repository = join(output, "model_repository");
  if (first.kind === "built") terminal.note(first.summary);
  else {
    const served = existsSync(repository)
      ? "the models of an earlier build are served"
      : "no models are served";
    mkdirSync(repository, { recursive: true });
    terminal.note(`the build failed: ${served} until a change fixes it`);
  }
  let warnings = first.kind === "built" ? first.warnings : [];
  const build = async (output: string): Promise<BuildOutcome> => {
    const outcome = await thread.build(output);
    if (outcome.kind === "built") ({ warnings } = outcome);
    return outcome;
  };
  return {
    repository,
    mayBeEmpty: first.kind === "failed",
    root,
    warnings: () => warnings,
    watch: (served, onFailure) => {
      const watching = watchProject({
        root,
        build,
        first: { ...first, output },
        startedAt,
        served,
        terminal,
        onFailure,
      });
      return { close: async () => void (await Promise.all([watching.close(), thread.close()])) };
    },
    close: () => thread.close(),
    endCommits: () => thread.endCommits(),
  };
};

/** Runs a build. The first Ctrl-C or SIGTERM ends the process after `close`, the second one after `endCommits`. */
const untilSignal = async <T>(build: Promise<T>, { close, endCommits }: BuildThread): Promise<T> => {
  const release = endAtSignal(() => {
    endAtSignal(endCommits);
    return close();
  });
  return await build.finally(release);
};

/** Triton accepts a level, `true` or `false`. */
const verbosityOf = (given: Given): number => {
  const text = given.text("log-verbose")?.toLowerCase();
  return text === "true" ? 1 : text === "false" ? 0 : (given.integer("log-verbose", [0, 2 ** 31 - 1]) ?? 0);
};

const modelLines = (runtime: Runtime, { colors }: Terminal): readonly string[] => {
  const models = runtime.models();
  const width = Math.max(0, ...models.map(({ name }) => name.length));
  return models.flatMap(({ name, version, state, reason = "reason unknown", help }) => {
    const which = version === undefined ? "" : ` (version ${version})`;
    if (state === "READY") return [`  ${name.padEnd(width)}  ${colors.green("ready")}${which}`];
    return [
      `  ${name.padEnd(width)}  ${colors.red("unavailable")}${which}: ${reasonText(reason)}`,
      ...(help === undefined ? [] : [`      ${colors.dim("=")} ${colors.green("help")}: ${help}`]),
    ];
  });
};
