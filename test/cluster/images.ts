import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serverBaseSettings } from "./server-base.ts";
import { type Machine, sharedFolder } from "./start-machine.ts";

/** The cluster's registry. In the cluster, its images are called `registry.example/<name>`. */
export const registryAddress = "127.0.0.1:5000";

const baseImage = "localhost/tritonserver:24.10-debian";
const pauseImage = "localhost/pause:1";

/** podman's settings for a machine where limits cannot be raised and both versions of control groups are in use. */
const podmanSettings = `[containers]
default_ulimits = ["nofile=20000:20000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[engine.runtimes]
runc = ["/usr/sbin/runc", "/usr/bin/runc"]
`;

const podman = async (machine: Machine, ...args: readonly string[]): Promise<string> => {
  const settings = "CONTAINERS_CONF=/mnt/files/containers.conf";
  return await machine.run("env", settings, "podman", ...args);
};

/** Makes the image for pods' sandboxes, and the base of the servers' images, unless an earlier run did. */
export const makeBaseImages = async (machine: Machine, notice: (line: string) => void): Promise<void> => {
  await machine.write("containers.conf", podmanSettings);
  const settings = serverBaseSettings.flatMap((line) => ["--change", line]);
  if (!(await hasImage(machine, baseImage))) {
    notice("importing the servers' base image: once");
    const tar = `tar -C /mnt/server-base -c . | CONTAINERS_CONF=/mnt/files/containers.conf podman import ${settings.map((part) => `'${part}'`).join(" ")} - ${baseImage}`;
    await machine.run("sh", "-ec", tar);
  }
  if (!(await hasImage(machine, pauseImage))) {
    const tar = `tar -C /usr/bin -c catatonit | CONTAINERS_CONF=/mnt/files/containers.conf podman import --change 'ENTRYPOINT ["/catatonit","-P"]' - ${pauseImage}`;
    await machine.run("sh", "-ec", tar);
  }
  await push(machine, pauseImage, "pause:1");
};

const hasImage = (machine: Machine, name: string): Promise<boolean> =>
  podman(machine, "image", "exists", name).then(
    () => true,
    () => false,
  );

/**
 * Builds a build's unchanged Dockerfile on Debian instead of NVIDIA's base, with the options that docs/container.md recommends for equal
 * images; pushes the image, returns its digest.
 * @param more More options of `podman build`
 */
export const buildImage = async (
  machine: Machine,
  build: string,
  name: string,
  tag: string,
  ...more: readonly string[]
): Promise<string> => {
  const context = `${name}-${tag}`;
  const folder = join(sharedFolder(), context);
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  cpSync(build, folder, { recursive: true });
  const options = ["--timestamp=0", "--build-arg=SOURCE_DATE_EPOCH=0", "--target=gpu"];
  return await buildAndPush(machine, context, `${name}:${tag}`, [
    ...options,
    `--build-arg=TRITON_IMAGE=${baseImage}`,
    ...more,
  ]);
};

/** Makes an image with programs in its PATH; pushes it, returns its digest. @param programs Names and files */
export const programImage = async (
  machine: Machine,
  name: string,
  programs: Readonly<Record<string, string>>,
): Promise<string> => {
  const folder = join(sharedFolder(), name);
  mkdirSync(folder);
  for (const [program, file] of Object.entries(programs)) copyFileSync(file, join(folder, program));
  const names = Object.keys(programs).join(" ");
  writeFileSync(
    join(folder, "Dockerfile"),
    `FROM ${baseImage}\nCOPY --chmod=555 ${names} /usr/local/bin/\nUSER 1000:1000\n`,
  );
  return await buildAndPush(machine, name, `${name}:1`, []);
};

/** @param context A folder with a Dockerfile, in the shared folder */
const buildAndPush = async (
  machine: Machine,
  context: string,
  name: string,
  options: readonly string[],
): Promise<string> => {
  const image = `localhost/${name}`;
  const always = ["--pull-never", "--format=oci", "--network=host", `--tag=${image}`];
  await podman(machine, "build", ...always, ...options, `/mnt/files/${context}`);
  return await push(machine, image, name);
};

const push = async (machine: Machine, image: string, name: string): Promise<string> => {
  const digest = "/mnt/files/digest";
  await podman(
    machine,
    "push",
    "--quiet",
    "--tls-verify=false",
    `--digestfile=${digest}`,
    image,
    `${registryAddress}/${name}`,
  );
  return (await machine.run("cat", digest)).trim();
};

/** docker-registry's configuration. It stores everything in a folder that is kept: base layers are pushed only once. */
export const registrySettings = `version: 0.1
storage:
  filesystem:
    rootdirectory: /var/lib/registry
http:
  addr: ${registryAddress}
`;
