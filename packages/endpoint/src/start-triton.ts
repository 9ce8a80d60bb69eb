import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type {
  Environment,
  PrintedLine,
  ServeOptions,
  TritonInstallation,
  TritonServer,
} from "@tritype/tritonserver";
import { fittingProfile } from "./fitting-profile.ts";
import type { Addresses } from "./open-remote.ts";

/** The repository that a real Triton serves, and the callbacks for messages. */
export interface TritonOptions
  extends Pick<ServeOptions, "httpPort" | "grpcPort" | "metricsPort" | "strict" | "extraArguments"> {
  readonly repository: string;
  /**
   * Uses every model's `configs/<name>.pbtxt`; undefined means the only profile that this Triton can load, if it needs
   * one.
   */
  readonly configName: string | undefined;
  readonly env: Environment;
  /** Called for each slow step of an installation. */
  readonly progress: (line: string) => void;
  /** Called with messages for the user. */
  readonly notice: (text: string) => void;
  /** Called with each line that a function on Node prints. */
  readonly onPrinted?: (line: PrintedLine) => void;
}

/** A Triton that is listening; models may be unavailable. */
export interface StartedTriton {
  readonly server: TritonServer;
  readonly installation: TritonInstallation;
  /** The profile that it serves. */
  readonly configName: string | undefined;
}

/** A server that this process started. */
export interface OwnServer extends Addresses {
  /** Resolves to how the server exited, if it exits without being stopped. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** A Triton that serves every model. */
export interface OwnTriton extends OwnServer {
  readonly http: string;
  readonly grpc: string;
  /** A Python with the packages that emitted models import; undefined in a container. */
  readonly python: string | undefined;
  /** undefined in a container. */
  readonly pid: number | undefined;
  readonly configName: string | undefined;
}

/**
 * Installs a real Triton with the packages that the Python code of the repository imports, and starts it with
 * a profile that it can load.
 * @throws PipelineError `tool/missing`; `model/unavailable` for models whose backends Triton lacks; and the errors of `serveTriton`.
 */
export const startTriton = async ({
  configName: asked,
  env,
  progress,
  notice,
  onPrinted,
  ...options
}: TritonOptions): Promise<StartedTriton> => {
  const { cacheFolder, installTriton, readPrinted, serveTriton, withRequirements } = await import(
    "@tritype/tritonserver"
  );
  const installed = await installTriton({ cache: cacheFolder(env), notice: progress, env });
  const { repository } = options;
  const configName =
    installed.kind === "wheel"
      ? fittingProfile(repository, asked, readdirSync(installed.backends), notice)
      : asked;
  const requirements = join(dirname(repository), "requirements.txt");
  const installation = existsSync(requirements)
    ? await withRequirements(installed, readFileSync(requirements, "utf8"), { notice: progress })
    : installed;
  const onLine =
    onPrinted &&
    ((line: string): void => {
      const printed = readPrinted(line);
      if (printed !== undefined) onPrinted(printed);
    });
  const server = await serveTriton(installation, { ...options, configName, onLine });
  return { server, installation, configName };
};

/**
 * Like `startTriton`, but waits until the models are ready.
 * @throws PipelineError `model/unavailable` with Triton's reasons if a model is not ready in time.
 */
export const openTriton = async (options: TritonOptions): Promise<OwnTriton> => {
  const { server, installation, configName } = await startTriton(options);
  try {
    await server.waitReady();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    http: server.httpUrl,
    grpc: server.grpcAddress,
    python: installation.kind === "wheel" ? installation.python : undefined,
    pid: server.pid,
    configName,
    ended: server.ended,
    close: () => server.stop(),
  };
};
