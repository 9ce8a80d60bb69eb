import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { unpackedPackages } from "../environment/debian-tool.ts";
import { makeOnce } from "../environment/make-once.ts";
import { kept } from "./folders.ts";

const exec = promisify(execFile);

/**
 * The Debian release, which determines the versions: etcd 3.4, containerd 1.6, runc 1.1, CNI plugins 1.1, podman 4.3, docker-registry
 * 2.8, Docker 20.10, HAProxy 2.6.
 */
const suite = "bookworm";

/** The programs of a node and of a machine that builds images, which are not made by `goPrograms`. */
const nodePackages: readonly string[] = [
  "busybox",
  "ca-certificates",
  "catatonit",
  "conntrack",
  "containerd",
  "containernetworking-plugins",
  "docker-registry",
  "docker.io",
  "etcd-server",
  "haproxy",
  "iproute2",
  "ipset",
  "iptables",
  "kmod",
  "podman",
  "procps",
  "runc",
];

/** The folder with the system in which the cluster's programs run. Nothing is installed on this machine. */
export const nodeRoot = (notice: (line: string) => void): Promise<string> =>
  debianRoot("node", nodePackages, notice);

/**
 * A Debian system in a folder, made once.
 * @param finish Adds files to it.
 */
export const debianRoot = async (
  name: string,
  packages: readonly string[],
  notice: (line: string) => void,
  finish: (root: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> => {
  const key = createHash("sha256").update(JSON.stringify(packages)).digest("hex").slice(0, 12);
  const folder = kept(`${name}-${key}`);
  await makeOnce(folder, async (staging) => {
    notice(`installing Debian into ${folder}: once, 1 to 4 minutes`);
    const tool = await unpackedPackages(["debootstrap"]);
    const root = join(staging, "root");
    const include = `--include=${packages.join(",")}`;
    // debootstrap mounts /proc, which must not stay mounted if debootstrap is interrupted.
    await exec(
      "unshare",
      [
        "--mount",
        join(tool, "usr/sbin/debootstrap"),
        "--variant=minbase",
        include,
        suite,
        root,
        await debianMirror(),
      ],
      { env: { ...process.env, DEBOOTSTRAP_DIR: join(tool, "usr/share/debootstrap") }, maxBuffer: 2 ** 26 },
    ).catch(async (error: unknown) => {
      const log = await readFile(join(root, "debootstrap/debootstrap.log"), "utf8").catch(() => "");
      throw new Error(`debootstrap failed: ${log.slice(-2000)}`, { cause: error });
    });
    await exec("rm", ["-rf", ...["var/cache/apt", "var/lib/apt/lists"].map((path) => join(root, path))]);
    await finish(root);
  });
  return join(folder, "root");
};

/** Where this machine gets Debian packages from. */
const debianMirror = async (): Promise<string> => {
  const { stdout } = await exec("apt-get", [
    "indextargets",
    "--format",
    "$(SITE)",
    "Created-By: Packages",
    `Codename: ${suite}`,
    "Component: main",
  ]);
  const [mirror] = stdout.split("\n");
  if (mirror === undefined || mirror === "")
    throw new Error(`apt-get knows no source of Debian ${suite}: add one to its sources`);
  return mirror;
};
