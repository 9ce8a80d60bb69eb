import { type DockerImage, hasSlimImage, profileStage } from "./dockerfile.ts";

/** The Compose file next to the Dockerfile: one service, and another one for GPUs if the build also runs without them. */
export const composeFile = (image: DockerImage, ensembles: readonly string[]): string => {
  const { needs } = image;
  const slim = (target: string) => (hasSlimImage(image) ? { target } : {});
  const services = needs.gpu
    ? [
        service(image, { name: "triton", gpu: true }),
        ...image.unprepared.map((one) => {
          const name = `triton-${one.profile}`;
          // Compose does not allow profile names of one letter or with a leading "_".
          return service(image, { name, gpu: one.gpu, profile: name, target: profileStage(one) });
        }),
      ]
    : [
        service(image, { name: "triton", gpu: false, ...slim("cpu") }),
        service(image, { name: "triton-gpu", gpu: true, profile: "gpu", ...slim("gpu") }),
      ];
  return [
    "# Serves the model repository next to this file. Written by `pipeline build`, which overwrites it.",
    "#",
    needs.gpu
      ? "#   docker compose up --build               on NVIDIA GPUs, which a model needs"
      : "#   docker compose up --build               on CPUs",
    ...(needs.gpu ? [] : ["#   docker compose up --build triton-gpu    on NVIDIA GPUs"]),
    ...image.unprepared.map(
      ({ profile, gpu }) =>
        `#   docker compose up --build triton-${profile}    with the profile ${profile}, ${gpu ? "on NVIDIA GPUs" : "on CPUs"}`,
    ),
    "#",
    "# The server answers every client that can reach it: by default only this machine; with TRITON_ADDRESS=0.0.0.0, others too.",
    `# To use mirrors, set these in the environment: ${mirrors(image).join(", ")}.`,
    `name: ${projectName(ensembles)}`,
    "",
    "services:",
    services.join("\n"),
    ...cacheVolumes(image),
    "",
  ].join("\n");
};

const cacheVolumes = ({ needs: { caches } }: DockerImage): readonly string[] =>
  caches.length === 0
    ? []
    : [
        "",
        "# Volumes for what models build when they are loaded, such as TensorRT engines.",
        "volumes:",
        ...caches.map((_, index) => `  cache-${index + 1}:`),
      ];

/** Dockerfile arguments that Compose takes from the environment if they are set. */
const mirrors = (image: DockerImage): readonly string[] => [
  "TRITON_IMAGE",
  ...(hasSlimImage(image) ? ["TRITON_MIN_IMAGE"] : []),
  ...(image.packages === undefined ? [] : ["PIP_INDEX_URL"]),
  ...(image.nativeFolders.length === 0 ? [] : ["NPM_CONFIG_REGISTRY"]),
];

interface Service {
  readonly name: string;
  readonly gpu: boolean;
  /** The Compose profile with which the service starts. If absent, the service always starts. */
  readonly profile?: string;
  /** A Dockerfile stage. Default: the last stage. */
  readonly target?: string;
}

const service = (image: DockerImage, { name, gpu, profile, target }: Service): string => {
  return [
    `  ${name}:`,
    "    build:",
    "      context: .",
    "      args:",
    ...mirrors(image).map((argument) => `        - ${argument}`),
    ...(target === undefined ? [] : [`      target: ${target}`]),
    ...(image.needs.caches.length === 0
      ? []
      : ["    volumes:", ...image.needs.caches.map((path, index) => `      - cache-${index + 1}:${path}`)]),
    "    ports:",
    ...ports.map(([port, what]) => `      - '\${TRITON_ADDRESS:-127.0.0.1}:${port}:${port}' # ${what}`),
    "    restart: unless-stopped",
    "    cap_drop:",
    "      - ALL",
    ...(gpu
      ? [
          "    deploy:",
          "      resources:",
          "        reservations:",
          "          devices:",
          "            - driver: nvidia",
          "              count: all",
          "              capabilities:",
          "                - gpu",
        ]
      : []),
    "    init: true",
    ...(profile === undefined ? [] : ["    profiles:", `      - ${profile}`]),
    "    read_only: true # except /tmp and shared memory",
    "    security_opt:",
    "      - no-new-privileges:true",
    ...(image.needs.backends.includes("python")
      ? ["    shm_size: 1gb # tensors go to and from Python in shared memory"]
      : []),
    "    stop_grace_period: 45s # after SIGTERM the server finishes running requests for up to 30 s",
    "    tmpfs:",
    "      - /tmp:exec # packed Python environments are unpacked there",
  ].join("\n");
};

const ports: readonly (readonly [port: number, what: string])[] = [
  [8000, "HTTP"],
  [8001, "gRPC"],
  [8002, "metrics"],
];

/** Containers and images are named after the ensembles; Compose allows lower-case letters, digits, "-" and "_". */
const projectName = (ensembles: readonly string[]): string => {
  const [first = "", ...others] = ensembles;
  const name = `triton-${first}${others.length === 0 ? "" : `-and-${others.length}-more`}`;
  return name.toLowerCase().replaceAll(/[^a-z\d_-]+/g, "-");
};
