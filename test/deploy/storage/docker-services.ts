import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { freePort } from "../../cli/free-port.ts";
import { unpackedPackages } from "../../environment/debian-tool.ts";
import { background } from "./background.ts";
import { filesIn, sha256, type StorageService } from "./upload-in-steps.ts";

const exec = promisify(execFile);
/** The user "test" with the password "test". */
const password = "test:$2b$04$bUryUYY5jQVE0a9ChYAt2uRUA8Xm8KX2O8Tu8zqC6uJcSfJY1pG5C\n";
const credentials = Buffer.from("test:test").toString("base64");

/** A registry without TLS that needs a login, and Docker with a daemon of its own. */
export interface DockerService extends StorageService {
  readonly docker: (...args: readonly string[]) => Promise<string>;
  /** Extracts the files of an image's layers. Returns a folder for each layer. */
  readonly layers: (build: string) => Promise<readonly string[]>;
}

/** Docker from Debian 12, which uses BuildKit only on request. The daemon runs as root. @param folder A new folder. */
export const startDocker = async (folder: string): Promise<DockerService> => {
  await mkdir(folder);
  const root = await unpackedPackages([
    "docker.io",
    "containerd",
    "runc",
    "docker-registry",
    "busybox-static",
  ]);
  const path = [...["usr/bin", "usr/sbin"].map((bin) => join(root, bin)), process.env["PATH"] ?? ""];
  const registry = `127.0.0.1:${await freePort()}`;
  const image = `${registry}/team/embed`;
  const env = {
    ...process.env,
    PATH: path.join(delimiter),
    DOCKER_HOST: `unix://${folder}/docker.sock`,
    DOCKER_CONFIG: join(folder, "config"),
  };
  const docker = async (...args: readonly string[]): Promise<string> =>
    (await exec("docker", args, { env })).stdout;
  await mkdir(env.DOCKER_CONFIG);
  await writeFile(
    join(env.DOCKER_CONFIG, "config.json"),
    JSON.stringify({ auths: { [registry]: { auth: credentials } } }),
  );
  startDaemon(folder, env);
  await expect.poll(() => docker("info", "--format", "{{.ServerVersion}}").catch(() => "")).toMatch(/^\d/);
  await importBusybox(folder, join(root, "bin/busybox"), docker);
  const { pid } = await startRegistry(folder, registry, env);
  const get = (path: string): Promise<Response> =>
    fetch(`http://${registry}/v2/team/embed/${path}`, {
      headers: {
        authorization: `Basic ${credentials}`,
        accept: "application/vnd.docker.distribution.manifest.v2+json",
      },
    });
  const layers = async (build: string): Promise<readonly string[]> => {
    const manifest = (await (await get(`manifests/${build}`)).json()) as {
      readonly layers: readonly { readonly digest: string }[];
    };
    return await Promise.all(
      manifest.layers.map(async ({ digest }, index) => {
        const into = join(folder, `layer-${index}`);
        await rm(into, { recursive: true, force: true });
        await mkdir(into);
        await writeFile(`${into}.tar.gz`, new Uint8Array(await (await get(`blobs/${digest}`)).arrayBuffer()));
        await exec("tar", ["-x", "--preserve-permissions", "-f", `${into}.tar.gz`, "-C", into]);
        return into;
      }),
    );
  };
  return {
    url: `oci://${image}`,
    env,
    docker,
    layers,
    begun: async () => {
      if (!existsSync(join(folder, "registry/docker/registry/v2/repositories/team/embed/_uploads")))
        return false;
      // Pauses the registry, so that the upload cannot end before the test kills the script.
      process.kill(pid, "SIGSTOP");
      return true;
    },
    stored: async (build) => {
      process.kill(pid, "SIGCONT");
      const { status, headers } = await get(`manifests/${build}`);
      if (status === 404) return {};
      const models = join((await layers(build)).at(-1) ?? "", "models");
      return Object.fromEntries([
        ...filesIn(models).map((file) => [file, sha256(readFileSync(join(models, file)))]),
        [".complete", headers.get("docker-content-digest")],
      ]);
    },
    refusals: [
      { url: `oci://127.0.0.1:${await freePort()}/team/embed`, says: /connection refused/ },
      { env: { DOCKER_CONFIG: join(folder, "logged-out") }, says: /no basic auth credentials/ },
      { env: { DOCKER_HOST: `unix://${folder}/none.sock` }, says: /cannot connect to the Docker daemon/i },
    ],
  };
};

const startDaemon = (folder: string, env: NodeJS.ProcessEnv): void => {
  const places = ["--host", env["DOCKER_HOST"] ?? "", "--data-root", join(folder, "data")];
  const files = ["--exec-root", join(folder, "run"), "--pidfile", join(folder, "docker.pid")];
  const options = ["--iptables=false", "--bridge=none", "--storage-driver=vfs"];
  background("dockerd", [...places, ...files, ...options], env);
};

/** The image on which the script builds, from Debian's busybox. */
const importBusybox = async (
  folder: string,
  busybox: string,
  docker: DockerService["docker"],
): Promise<void> => {
  const bin = join(folder, "busybox/bin");
  await mkdir(bin, { recursive: true });
  await cp(busybox, join(bin, "busybox"));
  for (const name of ["sh", "cat", "ln"]) await symlink("busybox", join(bin, name));
  await exec("tar", ["-c", "-f", join(folder, "busybox.tar"), "-C", join(folder, "busybox"), "."]);
  await docker("import", join(folder, "busybox.tar"), "busybox:1.37.0");
};

const startRegistry = async (
  folder: string,
  address: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly pid: number }> => {
  await writeFile(join(folder, "passwords"), password);
  await writeFile(
    join(folder, "registry.yaml"),
    `version: 0.1
storage: { filesystem: { rootdirectory: ${join(folder, "registry")} } }
auth: { htpasswd: { realm: test, path: ${join(folder, "passwords")} } }
http: { addr: "${address}" }
`,
  );
  const started = background("docker-registry", ["serve", join(folder, "registry.yaml")], env);
  onTestFinished(() => void process.kill(started.pid, "SIGCONT"));
  await expect
    .poll(() =>
      fetch(`http://${address}/v2/`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(401);
  return started;
};
