import type { Hub, HubRepository, HubSource } from "@tritype/hub";
import { exportCommand } from "./export-command.ts";
import type { ModelSource } from "./model-source.ts";
import type { DownloadMeter } from "./download-meter.ts";

/** A hub repository at the current commit of its revision. */
export const hubModelSource = async (
  hub: Hub,
  source: HubSource,
  meter: DownloadMeter,
): Promise<ModelSource> => {
  const repository = await hub.readRepository(source);
  const byPath = new Map(repository.files.map((file) => [file.path, file]));
  const name = repository.name.split("/").at(-1) ?? repository.name;
  return {
    shown: `hf:${repository.name}@${repository.commit.slice(0, 12)}`,
    written: `hf:${repository.name}`,
    name,
    files: repository.files,
    model: undefined,
    pin: { revision: repository.revision, commit: repository.commit },
    inPlace: undefined,
    exportHelp: exportHelp(repository, source.revision !== undefined, name),
    async fetch({ path }) {
      const file = byPath.get(path);
      if (file === undefined) throw new Error(`${path} is not listed`);
      return meter.during(path, file.size, (progress) => hub.download(repository, file, progress));
    },
    gitBlob(path) {
      const hash = byPath.get(path)?.hash;
      return hash?.kind === "git-sha1" ? hash.hex : undefined;
    },
  };
};

/** `optimum-cli` exports `main`; any other revision is downloaded first. */
const exportHelp = (
  { name: repository, commit, task }: HubRepository,
  pinned: boolean,
  name: string,
): string => {
  const folder = `exports/${name}`;
  const command = pinned
    ? `hf download ${repository} --revision ${commit} --local-dir checkouts/${name} && ${exportCommand(`checkouts/${name}`, task, folder)}`
    : exportCommand(repository, task, folder);
  return `export one (pip install "optimum-onnx[onnxruntime]"), then add it:\n    ${command}\n    pipeline add ${folder}`;
};
