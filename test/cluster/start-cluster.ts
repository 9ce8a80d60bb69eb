import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { startDocker } from "./docker.ts";
import { makeBaseImages, registryAddress, registrySettings } from "./images.ts";
import {
  controlGroup,
  type Machine,
  type MachineParts,
  type StartedMachine,
  startMachine,
} from "./start-machine.ts";

const exec = promisify(execFile);
const nodeAddress = "10.66.0.1";
const apiServer = "https://127.0.0.1:6443";

/** A running Kubernetes with one real node. */
export interface Cluster {
  readonly machine: StartedMachine;
  readonly stop: () => Promise<void>;
}

/** Starts Kubernetes: etcd, API server, controllers, scheduler, kube-proxy, kubelet with containerd, DNS, network policies and kwok; and Docker. */
export const startCluster = async (parts: MachineParts, notice: (line: string) => void): Promise<Cluster> => {
  const machine = await startMachine(parts);
  try {
    await startNode(machine, notice);
    return { machine, stop: machine.stop };
  } catch (error) {
    const reason = machine.failed();
    await machine.stop();
    throw reason === undefined ? error : new Error(reason, { cause: error });
  }
};

const startNode = async (machine: StartedMachine, notice: (line: string) => void): Promise<void> => {
  const { start, write } = machine;
  await write("registry.yaml", registrySettings);
  start("registry", "docker-registry", "serve", "/mnt/files/registry.yaml");
  await startDocker(machine);
  start("etcd", "etcd", "--data-dir=/var/lib/etcd", "--unsafe-no-fsync");
  const images = (async (): Promise<void> => {
    await until(machine, "the registry", () => fetchInside(machine, `http://${registryAddress}/v2/`));
    await makeBaseImages(machine, notice);
  })();
  await startControlPlane(machine);
  notice("the API server answers");
  await images;
  await startKubelet(machine);
  await until(machine, "the node", async () =>
    (await kubectlOf(machine, "get", "nodes")).includes(" Ready "),
  );
  await startNetwork(machine);
  start(
    "kwok",
    "kwok",
    "--kubeconfig=/mnt/files/admin.conf",
    "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
    "--node-lease-duration-seconds=40",
  );
  await until(machine, "DNS", async () => (await machine.run("ss", "-lun")).includes(":53 "));
  notice("the node is ready");
};

const startControlPlane = async (machine: StartedMachine): Promise<void> => {
  const { start, write } = machine;
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await write("accounts.key", privateKey);
  await write("accounts.pub", publicKey);
  await write("tokens.csv", "admin,admin,admin,system:masters\nnode,system:node:node,node,system:nodes\n");
  for (const user of ["admin", "node"]) await write(`${user}.conf`, credentials(user));
  // With this, the API server proves to the API of metrics whose request it forwards.
  await machine.run(
    ..."openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=front-proxy".split(" "),
    ..."-keyout /mnt/files/front-proxy.key -out /mnt/files/front-proxy.crt".split(" "),
  );
  start(
    "kube-apiserver",
    "kube-apiserver",
    "--etcd-servers=http://127.0.0.1:2379",
    `--advertise-address=${nodeAddress}`,
    "--secure-port=6443",
    "--kubelet-preferred-address-types=InternalIP",
    "--cert-dir=/mnt/files/certificates",
    "--token-auth-file=/mnt/files/tokens.csv",
    "--authorization-mode=Node,RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-account-key-file=/mnt/files/accounts.pub",
    "--service-account-signing-key-file=/mnt/files/accounts.key",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--requestheader-client-ca-file=/mnt/files/front-proxy.crt",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    "--proxy-client-cert-file=/mnt/files/front-proxy.crt",
    "--proxy-client-key-file=/mnt/files/front-proxy.key",
    "--allow-privileged",
  );
  await until(machine, "the API server", async () =>
    (await kubectlOf(machine, "get", "--raw", "/readyz")).includes("ok"),
  );
  const admin = "--kubeconfig=/mnt/files/admin.conf";
  start(
    "kube-controller-manager",
    "kube-controller-manager",
    admin,
    "--leader-elect=false",
    "--service-account-private-key-file=/mnt/files/accounts.key",
    "--root-ca-file=/mnt/files/certificates/apiserver.crt",
    "--use-service-account-credentials=false",
  );
  start("kube-scheduler", "kube-scheduler", admin, "--leader-elect=false");
};

const startKubelet = async (machine: StartedMachine): Promise<void> => {
  const { start, write } = machine;
  await write("containerd.toml", containerdSettings);
  await write("10-pods.conflist", JSON.stringify(podNetwork));
  await machine.run("sh", "-ec", "mkdir -p /etc/cni/net.d && cp /mnt/files/10-pods.conflist /etc/cni/net.d/");
  start("containerd", "containerd", "--config=/mnt/files/containerd.toml");
  await until(machine, "containerd", async () => (await machine.run("ctr", "version")).includes("Server:"));
  await write("kubelet.json", JSON.stringify(kubeletSettings));
  start(
    "kubelet",
    "kubelet",
    "--config=/mnt/files/kubelet.json",
    "--kubeconfig=/mnt/files/node.conf",
    "--hostname-override=node",
    `--node-ip=${nodeAddress}`,
    "--node-labels=tritype-test=real",
  );
};

const startNetwork = async (machine: StartedMachine): Promise<void> => {
  const { start, write } = machine;
  await write("kube-proxy.json", JSON.stringify(proxySettings));
  start("kube-proxy", "kube-proxy", "--config=/mnt/files/kube-proxy.json");
  await write(
    "Corefile",
    `.:53 {
  errors
  kubernetes cluster.local {
    endpoint ${apiServer}
    kubeconfig /mnt/files/admin.conf
    ttl 5
  }
}
`,
  );
  start("coredns", "coredns", "-conf", "/mnt/files/Corefile");
  // Enforces network policies, which the CNI plugins do not.
  start(
    "kube-router",
    "kube-router",
    "--kubeconfig=/mnt/files/admin.conf",
    "--hostname-override=node",
    "--run-firewall=true",
    "--run-router=false",
    "--run-service-proxy=false",
    "--run-loadbalancer=false",
    "--health-port=0",
  );
};

const credentials = (user: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "cluster",
    clusters: [{ name: "cluster", cluster: { server: apiServer, "insecure-skip-tls-verify": true } }],
    users: [{ name: user, user: { token: user } }],
    contexts: [{ name: "cluster", context: { cluster: "cluster", user } }],
  });

/** Works without CAP_SYS_RESOURCE and with control groups of version 1. */
const containerdSettings = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.example/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  disable_hugetlb_controller = true
  tolerate_missing_hugetlb_controller = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".registry.mirrors."registry.example"]
    endpoint = ["http://${registryAddress}"]
`;

/** Every packet between pods is routed, so that kube-proxy and network policies see it. */
const podNetwork = {
  cniVersion: "0.4.0",
  name: "pods",
  plugins: [
    {
      type: "ptp",
      ipMasq: false,
      ipam: {
        type: "host-local",
        ranges: [[{ subnet: "10.244.0.0/24" }]],
        routes: [{ dst: "0.0.0.0/0" }],
        dataDir: "/var/lib/cni",
      },
    },
  ],
};

const kubeletSettings = {
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: "AlwaysAllow" },
  containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
  cgroupDriver: "cgroupfs",
  cgroupRoot: `/${controlGroup}`,
  enforceNodeAllocatable: [],
  failCgroupV1: false,
  failSwapOn: false,
  featureGates: { KubeletInUserNamespace: true },
  localStorageCapacityIsolation: false,
  clusterDNS: [nodeAddress],
  clusterDomain: "cluster.local",
  // The disk's free space belongs to the machine, not to the test.
  evictionHard: { "memory.available": "100Mi", "nodefs.available": "0%", "imagefs.available": "0%" },
  imageGCHighThresholdPercent: 100,
  serializeImagePulls: false,
};

const proxySettings = {
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  clientConnection: { kubeconfig: "/mnt/files/admin.conf" },
  hostnameOverride: "node",
  mode: "iptables",
  clusterCIDR: "10.244.0.0/16",
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
};

/** Runs kubectl as the cluster's administrator. */
export const kubectlOf = (machine: Machine, ...args: readonly string[]): Promise<string> =>
  machine.run("kubectl", "--kubeconfig=/mnt/files/admin.conf", ...args);

/** Asks until the answer is true; rejects when one of the machine's programs has ended, or after 3 minutes. */
const until = async (machine: StartedMachine, what: string, ask: () => Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 180_000; ; ) {
    const failed = machine.failed();
    if (failed !== undefined) throw new Error(failed);
    const problem = await ask().then(
      (yes) => (yes ? undefined : "not yet"),
      (error: Error) => error.message,
    );
    if (problem === undefined) return;
    if (performance.now() > end) throw new Error(`${what}: ${problem}`);
    await sleep(500);
  }
};

/** From this machine's files, in the cluster's network. */
const fetchInside = (machine: Machine, url: string): Promise<boolean> =>
  exec("nsenter", [`--net=/proc/${machine.pid}/ns/net`, "curl", "--silent", "--fail", url]).then(
    () => true,
    () => false,
  );
