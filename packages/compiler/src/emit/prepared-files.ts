import { encodeUtf8, shellWord } from "@tritype/core";
import type { CompilerHost } from "../compiler-host.ts";
import type { PreparedFile } from "../step-kind.ts";
import { hashFile, textFile, type Tree, type TreeFile } from "../tree.ts";
import type { EmittedModel } from "./emitted-model.ts";

/** A prepared file, and its version folder. */
interface Placed {
  readonly folder: string;
  readonly file: PreparedFile;
}

/** Images used to create prepared files, without duplicates. */
export const preparingImages = (models: readonly EmittedModel[]): readonly string[] => [
  ...new Set(placedIn(models).map(({ file }) => file.image)),
];

/** The script `prepare/prepare.sh` for files that a build cannot write, and their sources; empty without such files. */
export const emitPrepared = (models: readonly EmittedModel[], host: CompilerHost): Tree => {
  const placed = placedIn(models);
  if (placed.length === 0) return new Map();
  const sources = placed.flatMap(({ folder, file }) =>
    [...file.sources].map(([path, source]): [string, TreeFile] => [`prepare/${folder}/${path}`, source]),
  );
  return new Map([["prepare/prepare.sh", textFile(script(placed, host))], ...sources]);
};

const placedIn = (models: readonly EmittedModel[]): readonly Placed[] =>
  models.flatMap(({ name, versions }) =>
    [...versions].flatMap(([number, { prepared = [] }]) =>
      prepared.map((file) => ({ folder: `${name}/${number}`, file })),
    ),
  );

const script = (placed: readonly Placed[], host: CompilerHost): string => `\
#!/bin/sh
# Creates the files of the model repository that depend on the server's GPU. Written by \`pipeline build\`, which overwrites it.
#
#   sh prepare/prepare.sh [model_repository]            on a machine with the server's GPU, in an image that has the tools:
${[...new Set(placed.map(({ file }) => file.image))].map((image) => `#                                                       ${image}\n`).join("")}\
#   sh prepare/prepare.sh --check [model_repository]    checks whether they exist and belong to this build
#
# Files that were built from the same sources in the same way on the same kind of GPU are kept. Next to each file, the script
# records its sources and, if nvidia-smi is available, the GPU.
set -eu
sources=$(cd "$(dirname "$0")" && pwd)
check=
if [ "\${1:-}" = --check ]; then
  check=yes
  shift
fi
repository=$(cd "\${1:-$sources/../model_repository}" && pwd)
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null) || gpu=
gpu=$(echo "$gpu" | sort -u | paste -sd , -)

# prepare FOLDER FILE KEY TOOL ARGUMENT...    with {path} in the arguments for the file
prepare() {
  folder=$1 file=$repository/$1/$2 key=$3
  shift 3
  if [ -f "$file" ] && [ "$(sed -n 1p "$file.made-of" 2>/dev/null)" = "$key" ]; then
    on=$(sed -n 's/^on //p' "$file.made-of")
    if [ -z "$gpu" ] || [ -z "$on" ] || [ "$gpu" = "$on" ]; then
      echo "$file is up to date"
      return
    fi
    why="was built on $on, but this machine has $gpu"
  else
    why="does not exist, or belongs to another build"
  fi
  if [ -n "$check" ]; then
    echo "$file $why: run prepare.sh" >&2
    exit 1
  fi
  rm -f "$file" "$file.made-of"
  for argument; do
    shift
    case $argument in *"{path}"*) argument=\${argument%%"{path}"*}$file.part\${argument#*"{path}"} ;; esac
    set -- "$@" "$argument"
  done
  mkdir -p "$repository/$folder"
  (cd "$sources/$folder" && "$@")
  mv "$file.part" "$file"
  printf '%s\\n' "$key" \${gpu:+"on $gpu"} >"$file.made-of"
}

${placed.map((one) => call(one, host)).join("\n")}`;

const call = ({ folder, file }: Placed, host: CompilerHost): string =>
  [
    `prepare ${[folder, file.path, keyOf(file, host)].map(shellWord).join(" ")}`,
    ...file.command.map((argument) => `  ${shellWord(argument)}`),
  ].join(" \\\n") + "\n";

/** A key that is equal for equal sources and commands. */
const keyOf = ({ sources, command, image }: PreparedFile, host: CompilerHost): string =>
  host
    .sha256(
      encodeUtf8(
        JSON.stringify([image, command, ...[...sources].map(([path, file]) => [path, hashFile(file, host)])]),
      ),
    )
    .slice(0, 16);
