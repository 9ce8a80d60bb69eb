import { shellWord } from "@tritype/core";
import { type DeployedBuild, passingNames, preparedPaths } from "./deployed-build.ts";
import { buildName, claimFolder, type ModelStorage } from "./model-storage.ts";

/**
 * `models/upload.sh`: copies the models of the build to their storage, once. Undefined if the models are in the image.
 */
export const uploadScript = (
  { hash, manifest }: DeployedBuild,
  storage: ModelStorage,
): string | undefined => {
  if (storage.kind === "image") return undefined;
  const { program, needs, to, steps } = commandsFor(storage, hash);
  return `#!/bin/sh
# Copies the models of the build ${buildName(hash)} to ${to}. Existing files are never overwritten, so that
# running servers can be restarted. Written by \`pipeline deploy\`, which overwrites it.
#
#   sh deploy/models/upload.sh build
#
# Needs ${needs}
set -eu

build=\${1:-build}
to=${to}
fail() { echo "$1" >&2; exit 1; }
command -v ${program} >/dev/null || fail "${program} is not installed: this script needs ${needs}"
# macOS has sha256sum as of version 15.
command -v sha256sum >/dev/null || sha256sum() { shasum -a 256 "$@"; }
echo "${hash}  $build/manifest.json" | sha256sum --check --quiet ||
  fail "$build is a different build: run pipeline deploy"
(cd "$build" && sed -n '${hashesInManifest}' manifest.json | sha256sum --check --quiet >&2) ||
  fail "these files have changed since the build: run pipeline build"
# Servers would load files that do not belong to the build, too. Those that do are listed twice, so that uniq drops them.
names=$(cd "$build" && sed -n '${hashesInManifest}' manifest.json | cut -c67-)${preparedPaths(manifest)
    .map(
      (path) => `"
"${shellWord(path)}`,
    )
    .join("")}
others=$(cd "$build" && find model_repository ${passingNames.map((name) => `-name ${name} -prune -o `).join("")}! -type d -print)
others=$(printf '%s\\n' "$names" "$names" "$others" | sort | uniq -u)
[ -z "$others" ] || fail "these files do not belong to the build, move them away:
$others"
# Files that the build cannot write, such as engines, must have been created.
[ ! -e "$build/prepare/prepare.sh" ] || sh "$build/prepare/prepare.sh" --check "$build/model_repository"

${steps}
`;
};

/** For sed: the lines of the manifest's `files` as sha256sum reads them. */
const hashesInManifest = String.raw`/^  "files": {/,/^  }/s/^    "\(model_repository\/.*\)": "\([0-9a-f]*\)",*$/\2  \1/p`;

interface Commands {
  readonly program: string;
  readonly needs: string;
  readonly to: string;
  readonly steps: string;
}

const commandsFor = (storage: Exclude<ModelStorage, { readonly kind: "image" }>, hash: string): Commands => {
  if (storage.kind === "claim") return claimCommands(storage.claim, claimFolder(storage, hash), hash);
  if (storage.kind === "oci") return imageCommands(storage.image, `${storage.image}:${buildName(hash)}`);
  const to = `${storage.url}/${buildName(hash)}`;
  const services = { S3: s3Commands, "Google Cloud Storage": googleCommands, Azure: azureCommands };
  return services[storage.service](to);
};

/** Ends the script if the upload is complete. The marker of a complete upload is next to the models and is written last. */
const ifComplete = (condition: string): string => `if ${condition}; then echo "$to is complete"; exit; fi`;

/** The same if `find` succeeds; a failure starts the upload only if its output matches the shell patterns `missing`. */
const unlessMissing = (find: string, missing: string): string => `${ifComplete(`found=$(${find} 2>&1)`)}
case $found in ${missing}) ;; *) fail "$found" ;; esac`;

const googleCommands = (to: string): Commands => ({
  program: "gcloud",
  needs: "gcloud, logged in with access to the bucket.",
  to,
  steps: `${unlessMissing('gcloud storage ls "$to.complete"', '*"matched no objects"*')}
gcloud storage rsync --recursive "$build/model_repository" "$to"
gcloud storage cp "$build/manifest.json" "$to.complete"`,
});

const s3Commands = (to: string): Commands => {
  // In Triton's URLs, the address of an S3 server comes first.
  const [, endpoint = "", path = ""] = /^s3:\/\/(?:(https?:\/\/[^/]+)\/)?(.*)$/.exec(to) ?? [];
  const aws = `aws${endpoint === "" ? "" : ` --endpoint-url ${endpoint}`} s3`;
  return {
    program: "aws",
    needs: "the AWS CLI, with credentials for the bucket.",
    to,
    steps: `${unlessMissing(`${aws} ls "s3://${path}.complete"`, '""')}
${aws} sync --only-show-errors "$build/model_repository" "s3://${path}"
${aws} cp --only-show-errors "$build/manifest.json" "s3://${path}.complete"`,
  };
};

const azureCommands = (to: string): Commands => {
  const [, account, container, path] = /^as:\/\/([^/]+)\/([^/]+)\/(.*)$/.exec(to) ?? [];
  const names = `--account-name ${account} --auth-mode login --only-show-errors`;
  return {
    program: "az",
    needs: "the Azure CLI, logged in with access to the storage account.",
    to,
    steps: `exists=$(az storage blob exists ${names} --container-name ${container} --name "${path}.complete" --query exists --output tsv)
${ifComplete('[ "$exists" = true ]')}
az storage blob upload-batch ${names} --destination ${container} --destination-path "${path}" --source "$build/model_repository" --overwrite --no-progress --output none
az storage blob upload ${names} --container-name ${container} --name "${path}.complete" --file "$build/manifest.json" --no-progress --output none`,
  };
};

const imageCommands = (image: string, to: string): Commands => ({
  program: "docker",
  needs: "Docker with BuildKit, logged in to the registry.",
  to,
  steps: `${busybox}
${insecureRegistry(image.replace(/\/.*/, ""))}
${unlessMissing('docker manifest inspect $insecure "$to"', '*"no such manifest"* | *"manifest unknown"*')}
# KServe runs a shell of this image, and mounts its folder /models. Only BuildKit knows --chmod.
printf 'FROM %s\\nCOPY --chmod=555 model_repository /models\\n' "$busybox" |
  DOCKER_BUILDKIT=1 docker build --platform linux/amd64 --file - --tag "$to" "$build"
docker push "$to"`,
});

/** The image with a shell for scripts that need one. */
const busybox = `# A tag can move: set BUSYBOX_IMAGE to an image with a digest.
busybox=\${BUSYBOX_IMAGE:-busybox:1.37.0}`;

/** Docker reports every image of a registry without TLS as missing, unless `--insecure` is set. */
const insecureRegistry = (host: string): string => {
  if (/^(localhost|127\.[\d.]+)(:\d+)?$/.test(host)) return "insecure=--insecure";
  const registries =
    "{{range $name, $one := .RegistryConfig.IndexConfigs}}{{if not $one.Secure}} {{$name}} {{end}}{{end}}";
  return `insecure=
case $(docker info --format ' ${registries}' 2>/dev/null) in *" ${host} "*) insecure=--insecure ;; esac`;
};

const claimCommands = (claim: string, folder: string, hash: string): Commands => {
  const name = `upload-${buildName(hash)}`;
  const image = "$busybox";
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  const volumeMounts = [{ name: "models", mountPath: "/claim" }];
  // The user of the chart's servers, so that restricted namespaces admit the pod and the servers can read its files.
  const user = { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 };
  const spec = {
    securityContext: { ...user, seccompProfile: { type: "RuntimeDefault" } },
    automountServiceAccountToken: false,
    containers: [{ name, image, command: ["sleep", "3600"], securityContext, volumeMounts }],
    volumes: [{ name: "models", persistentVolumeClaim: { claimName: claim } }],
  };
  // In the shell, the variable is outside of the single quotes.
  const overrides = JSON.stringify({ spec }).replace(image, () => `'"${image}"'`);
  const path = `/claim/${folder}`;
  return {
    program: "kubectl",
    needs: `kubectl with the namespace of the claim ${claim}; it starts a pod that mounts the claim.`,
    to: `pvc://${claim}/${folder}`,
    steps: `${busybox}
kubectl get pvc ${claim} >/dev/null
archive=$(mktemp)
trap 'rm -f "$archive"; kubectl delete pod ${name} --now --ignore-not-found' EXIT
trap 'exit 130' HUP INT TERM
kubectl delete pod ${name} --now --ignore-not-found
kubectl run ${name} --image="$busybox" --restart=Never --overrides='${overrides}'
kubectl wait --for=condition=Ready pod/${name} --timeout=300s || { kubectl describe pod ${name} >&2; exit 1; }
state=$(kubectl exec ${name} -- sh -c 'if test -e ${path}.complete; then echo complete; fi')
${ifComplete('[ "$state" = complete ]')}
# A pipe would hide that tar has failed. The marker is the end of the archive, so that an archive cut short has none.
COPYFILE_DISABLE=1 tar -c -f "$archive" -C "$build" model_repository manifest.json
kubectl exec --stdin ${name} -- sh -ec '
  rm -rf ${path} ${path}.part; mkdir -p ${path}.part; cd ${path}.part
  tar -x -o; chmod -R a+rX .
  test -e manifest.json || { echo "only a part of the models has arrived: run this script again" >&2; exit 1; }
  mv model_repository ${path}; mv manifest.json ${path}.complete
  cd /; rmdir ${path}.part' <"$archive"`,
  };
};
