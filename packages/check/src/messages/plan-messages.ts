import type { ServerMessage } from "./server-message.ts";

const anew =
  "build the plan on this machine with the TensorRT version of the server's release: `sh prepare/prepare.sh` for a plan that `pipeline build` describes";

/** Messages from TensorRT while it reads a plan; the backend passes them on. Source: public reports. */
export const planMessages: readonly ServerMessage[] = [
  {
    says: [
      "The engine plan file is not compatible with this version of TensorRT, expecting library version {expected} got {found}, please rebuild",
      "not compatible with this version of TensorRT, expecting library version {expected} got {found}",
    ],
    means: "the plan was built by TensorRT {found}, but the server has {expected}",
    why: "A plan only works with the TensorRT version that built it.",
    help: anew,
  },
  {
    says: "Version tag does not match{gap}Current Version: {expected:n}, Serialized Engine Version: {found:n}",
    means:
      "the plan was built by a different TensorRT version: it has format {found}, but the server's TensorRT reads {expected}",
    why: "A plan only works with the TensorRT version that built it; these are format numbers, not releases.",
    help: anew,
  },
  {
    says: [
      "The engine plan file is generated on an incompatible device, expecting compute {expected} got compute {found}, please rebuild",
      "generated on an incompatible device, expecting compute {expected} got compute {found}",
    ],
    means: "the plan was built on a GPU with compute capability {found}, but this one has {expected}",
    why: "A plan contains machine code for the kind of GPU that it was built on.",
    help: anew,
  },
  {
    says: [
      "magicTag == rt::kPLAN_MAGIC_TAG failed",
      "Serialization assertion magicTagRead == kMAGIC_TAG failed",
      "Serialization Error in verifyHeader: 0 (Magic tag does not match)",
    ],
    means: "the file is not a plan that the server's TensorRT can read",
    why: "It is a different kind of file, was written by a much older or newer TensorRT, or has extra bytes before the plan, as Ultralytics' exports do.",
    help: anew,
  },
  {
    says: "Using an engine plan file across different models of devices is not recommended",
    means: "the plan was built on a different GPU model; it runs here, but may be slow or fail",
    why: "TensorRT measures which of its kernels are fastest on the GPU.",
    help: anew,
  },
];
