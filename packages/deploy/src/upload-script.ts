import type { DeployedBuild } from "./deployed-build.ts";
import { buildName, claimFolder, type ModelStorage } from "./model-storage.ts";

/**
 * `models/upload.sh`: copies the models of the build to their storage, once. Undefined if the models are in the image.
 */
export const uploadScript = ({ hash }: DeployedBuild, storage: ModelStorage): string | undefined => {
  if (storage.kind === "image") return undefined;
  const { needs, to, steps } = commandsFor(storage, hash);
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
echo "${hash}  $build/manifest.json" | sha256sum --check --quiet ||
  { echo "$build is a different build: run pipeline deploy"; exit 1; }
# Files that the build cannot write, such as engines, must have been created.
[ ! -e "$build/prepare/prepare.sh" ] || sh "$build/prepare/prepare.sh" --check "$build/model_repository"

${steps}
`;
};

interface Commands {
  readonly needs: string;
  readonly to: string;
  readonly steps: string;
}

/**
 * The marker is next to the models and is written last. If the marker is missing, an interrupted upload is continued.
 */
const oncePerMarker = (exists: string, copy: string, mark: string): string => `if ${exists}; then
  echo "$to is complete"
  exit
fi
${copy}
${mark}`;

const commandsFor = (storage: Exclude<ModelStorage, { readonly kind: "image" }>, hash: string): Commands => {
  if (storage.kind === "claim") {
    const folder = claimFolder(storage, hash);
    return {
      needs: `kubectl with the namespace of the claim \`${storage.claim}\`; it starts a pod that mounts the claim.`,
      to: `pvc://${storage.claim}/${folder}`,
      steps: claimSteps(storage.claim, folder, hash),
    };
  }
  if (storage.kind === "oci")
    return {
      needs: "Docker, logged in to the registry.",
      to: `${storage.image}:${buildName(hash)}`,
      steps: `if found=$(docker manifest inspect "$to" 2>&1); then
  echo "$to is complete"
  exit
fi
case $found in
  *"no such manifest"* | *"manifest unknown"* | *"not found"*) ;;
  *) echo "$found"; exit 1 ;;
esac
# KServe runs a shell of this image, and mounts its folder /models.
printf 'FROM busybox:1.37\\nCOPY --chmod=555 model_repository /models\\n' |
  docker build --platform linux/amd64 --file - --tag "$to" "$build"
docker push "$to"`,
    };
  const to = `${storage.url}/${buildName(hash)}`;
  return storage.service === "S3"
    ? s3Commands(to)
    : storage.service === "Azure"
      ? azureCommands(to)
      : {
          needs: "gcloud, logged in with access to the bucket.",
          to,
          steps: oncePerMarker(
            'gcloud storage ls "$to.complete" >/dev/null 2>&1',
            'gcloud storage rsync --recursive "$build/model_repository" "$to"',
            'gcloud storage cp "$build/manifest.json" "$to.complete"',
          ),
        };
};

const s3Commands = (to: string): Commands => {
  // Triton's URL of an S3 server names its address first.
  const [, endpoint = "", path = ""] = /^s3:\/\/(?:(https?:\/\/[^/]+)\/)?(.*)$/.exec(to) ?? [];
  const aws = `aws${endpoint === "" ? "" : ` --endpoint-url ${endpoint}`}`;
  return {
    needs: "the AWS CLI, with credentials for the bucket.",
    to,
    steps: oncePerMarker(
      `${aws} s3 ls "s3://${path}.complete" >/dev/null 2>&1`,
      `${aws} s3 sync --only-show-errors "$build/model_repository" "s3://${path}"`,
      `${aws} s3 cp --only-show-errors "$build/manifest.json" "s3://${path}.complete"`,
    ),
  };
};

const azureCommands = (to: string): Commands => {
  const [, account, container, path] = /^as:\/\/([^/]+)\/([^/]+)\/(.*)$/.exec(to) ?? [];
  const names = `--account-name ${account} --auth-mode login --only-show-errors`;
  return {
    needs: "the Azure CLI, logged in with access to the storage account.",
    to,
    steps: oncePerMarker(
      `[ "$(az storage blob exists ${names} --container-name ${container} --name "${path}.complete" --query exists)" = true ]`,
      `az storage blob upload-batch ${names} --destination ${container} --destination-path "${path}" --source "$build/model_repository" --overwrite`,
      `az storage blob upload ${names} --container-name ${container} --name "${path}.complete" --file "$build/manifest.json"`,
    ),
  };
};

const claimSteps = (claim: string, folder: string, hash: string): string => {
  const name = `upload-${buildName(hash)}`;
  const spec = {
    spec: {
      containers: [
        {
          name,
          image: "busybox:1.37",
          command: ["sleep", "3600"],
          volumeMounts: [{ name: "models", mountPath: "/claim" }],
        },
      ],
      volumes: [{ name: "models", persistentVolumeClaim: { claimName: claim } }],
    },
  };
  const run = `kubectl exec ${name} --`;
  return `trap 'kubectl delete pod ${name} --now --ignore-not-found' EXIT
trap 'exit 130' HUP INT TERM
kubectl delete pod ${name} --now --ignore-not-found
kubectl run ${name} --image=busybox:1.37 --restart=Never --overrides='${JSON.stringify(spec)}'
kubectl wait --for=condition=Ready pod/${name} --timeout=300s
${oncePerMarker(
  `${run} test -e "/claim/${folder}.complete"`,
  `${run} mkdir -p "/claim/${folder}"
# A pipe would hide that tar has failed.
archive=$(mktemp)
tar -c -f "$archive" -C "$build/model_repository" .
kubectl exec --stdin ${name} -- tar -x -C "/claim/${folder}" <"$archive"
rm "$archive"`,
  `${run} touch "/claim/${folder}.complete"`,
)}`;
};
