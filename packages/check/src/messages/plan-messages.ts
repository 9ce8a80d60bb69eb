import type { ServerMessage } from "./server-message.ts";

const anew =
  "build the plan on this machine with the TensorRT of the server's release: `sh prepare/prepare.sh` for a plan that `pipeline build` describes";

/** TensorRT, while it reads a plan. Source: the library's messages in public reports, which the backend passes on. */
export const planMessages: readonly ServerMessage[] = [
  {
    says: [
      "The engine plan file is not compatible with this version of TensorRT, expecting library version {expected} got {found}, please rebuild",
      "not compatible with this version of TensorRT, expecting library version {expected} got {found}",
    ],
    means: "the plan was made by TensorRT {found}, and the server has {expected}",
    why: "A plan fits the version of TensorRT that made it.",
    help: anew,
  },
  {
    says: "Version tag does not match{gap}Current Version: {expected:n}, Serialized Engine Version: {found:n}",
    means:
      "the plan was made by another TensorRT: it has format {found}, and the server's TensorRT reads {expected}",
    why: "A plan fits the version of TensorRT that made it; these are format numbers, not releases.",
    help: anew,
  },
  {
    says: [
      "The engine plan file is generated on an incompatible device, expecting compute {expected} got compute {found}, please rebuild",
      "generated on an incompatible device, expecting compute {expected} got compute {found}",
    ],
    means: "the plan was made on a GPU of compute capability {found}, and this one has {expected}",
    why: "A plan contains machine code for the kind of GPU that it was made on.",
    help: anew,
  },
  {
    says: [
      "magicTag == rt::kPLAN_MAGIC_TAG failed",
      "Serialization assertion magicTagRead == kMAGIC_TAG failed",
      "Serialization Error in verifyHeader: 0 (Magic tag does not match)",
    ],
    means: "the file is not a plan that the server's TensorRT can read",
    why: "It is another kind of file, was written by a much older or newer TensorRT, or has something in front of the plan, as in Ultralytics' exports.",
    help: anew,
  },
  {
    says: "Using an engine plan file across different models of devices is not recommended",
    means: "the plan was made on another model of GPU; it runs here, but may be slow or fail",
    why: "TensorRT measures on the GPU which of its kernels are fastest there.",
    help: anew,
  },
];
