import { bytes, defineEnsemble } from "tritype";
import { shout } from "./shout-kind.ts";

const loud = shout({ name: "loud", ending: "!" });

export const announce = defineEnsemble({
  name: "announce",
  maxBatchSize: 4,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ announcement: loud({ text }).loud }),
});

const chorus = shout({
  name: "chorus",
  versions: { 1: { ending: "!" }, 2: { ending: "!!" } },
  versionPolicy: { all: {} },
});

export const sing = defineEnsemble({
  name: "sing",
  maxBatchSize: 4,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ old: chorus.version(1)({ text }).loud, latest: chorus({ text }).loud }),
});
