import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { builtProject } from "../deploy/deployed-project.ts";
import { askTotal, serveBuild } from "../deploy/serve-build.ts";
import { filesIn, sha256, type StorageService, uploadInSteps } from "../deploy/storage/upload-in-steps.ts";
import { unpackedPackages } from "../environment/debian-tool.ts";
import { apply, machine, restrictedNamespace } from "./cluster.ts";
import { goPrograms } from "./go-programs.ts";
import { sharedFolder } from "./start-machine.ts";

const namespace = "storage";

/** A claim for a folder that this test sees, and a kubectl for the claim's namespace. @param folder A new folder */
const startClaim = async (folder: string): Promise<StorageService & { readonly claim: string }> => {
  await importBusybox();
  const claim = join(sharedFolder(), "claim");
  mkdirSync(claim);
  chownSync(claim, 1000, 1000);
  await restrictedNamespace(namespace);
  const spec = { storageClassName: "", accessModes: ["ReadWriteOnce"] };
  const storage = "1Gi";
  await apply(
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "models" },
      spec: { ...spec, capacity: { storage }, hostPath: { path: "/mnt/files/claim" } },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "models", namespace },
      spec: { ...spec, volumeName: "models", resources: { requests: { storage } } },
    },
  );
  mkdirSync(folder);
  const kubectl = join(await goPrograms(() => undefined), "kubectl");
  const network = `--net=/proc/${machine().pid}/ns/net`;
  writeFileSync(join(folder, "kubectl"), `#!/bin/sh\nexec nsenter ${network} ${kubectl} "$@"\n`, {
    mode: 0o755,
  });
  return {
    claim,
    url: "pvc://models/prod",
    env: {
      ...process.env,
      PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}`,
      KUBECONFIG: kubeconfig(folder, "admin"),
    },
    begun: async (build) => existsSync(join(claim, `prod/${build}.part/model_repository`)),
    stored: async (build) => {
      const models = join(claim, "prod", build);
      const marker = `${models}.complete`;
      return Object.fromEntries([
        ...(existsSync(models) ? filesIn(models) : []).map((path) => [
          path,
          sha256(readFileSync(join(models, path))),
        ]),
        ...(existsSync(marker) ? [[".complete", sha256(readFileSync(marker))]] : []),
      ]);
    },
    refusals: [
      { url: "pvc://other/prod", says: /persistentvolumeclaims "other" not found/ },
      { env: { KUBECONFIG: kubeconfig(folder, "stranger") }, says: /provide credentials|Unauthorized/ },
    ],
  };
};

/** The settings of a kubectl whose namespace is the claim's. */
const kubeconfig = (folder: string, user: string): string => {
  const config = JSON.parse(readFileSync(join(sharedFolder(), "admin.conf"), "utf8")) as object;
  const file = join(folder, `${user}.conf`);
  writeFileSync(
    file,
    JSON.stringify({
      ...config,
      users: [{ name: "admin", user: { token: user } }],
      contexts: [{ name: "cluster", context: { cluster: "cluster", user: "admin", namespace } }],
    }),
  );
  return file;
};

/** Gives the node the image of the script's pod, made from Debian's busybox. */
const importBusybox = async (): Promise<void> => {
  const packages = await unpackedPackages(["busybox-static"]);
  const bin = join(sharedFolder(), "busybox/bin");
  mkdirSync(bin, { recursive: true });
  cpSync(join(packages, "bin/busybox"), join(bin, "busybox"));
  chmodSync(join(bin, "busybox"), 0o755);
  for (const name of ["chmod", "mkdir", "mv", "rm", "rmdir", "sh", "sleep", "tar", "test"])
    symlinkSync("busybox", join(bin, name));
  const name = "docker.io/library/busybox:1.37.0";
  const podman = "CONTAINERS_CONF=/mnt/files/containers.conf podman";
  const steps = [
    `tar -C /mnt/files/busybox -c . | ${podman} import --change 'ENV PATH=/bin' - ${name}`,
    `${podman} save --format docker-archive --output /mnt/files/busybox.tar ${name}`,
    `${podman} rmi ${name}`,
    "ctr --namespace k8s.io images import /mnt/files/busybox.tar",
  ];
  await machine().run("sh", "-ec", steps.join("\n"));
};

test("kubectl uploads a build once to a claim in a restricted namespace, and a real Triton loads it", async () => {
  const made = await builtProject();
  const service = await startClaim(made.path("kubectl"));
  const address = await uploadInSteps(made, service);
  expect(address).toMatch(/^pvc:\/\/models\/prod\/[\da-f]{12}$/);

  const server = await serveBuild(made, [], address.replace("pvc://models", service.claim));
  expect(await askTotal(server, [1, 2, 3, 4])).toMatchObject({ outputs: [{ name: "sum", data: [20] }] });
}, 900_000);
