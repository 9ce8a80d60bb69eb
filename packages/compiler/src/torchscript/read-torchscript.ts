import { attempt, decodeUtf8 } from "@tritype/core";
import { unzipSync } from "fflate/browser";
import { isZip, strangeFile, type StrangeFile } from "../backends/file-kind.ts";
import { type ClassCode, findFixedSize, type FixedSize } from "./fixed-size.ts";

/** An argument of `forward`, as declared in the file. */
export interface ForwardArgument {
  readonly name: string;
  /** In TorchScript's notation: `Tensor`, `Optional[Tensor]`, `List[str]`. */
  readonly type: string;
}

/** The signature of `forward` in a TorchScript file. */
export interface TorchscriptSignature {
  readonly arguments: readonly ForwardArgument[];
  /** `Tensor`, `Tuple[Tensor, Tensor]`, … */
  readonly returns: string;
  /** The line where tracing turned the batch's sizes into constants; undefined if there is no sign of it. */
  readonly fixedSize: FixedSize | undefined;
  readonly problem?: undefined;
}

/**
 * Reads the signature of `forward` from the code in a TorchScript file, which is a zip archive with the module's class
 * in `data.pkl` and its source under `code/`. TorchScript does not declare the sizes and dtypes of tensors. Source:
 * `torch/csrc/jit/serialization` in PyTorch, and files written by PyTorch 1.13.
 */
export const readTorchscript = (bytes: Uint8Array): TorchscriptSignature | StrangeFile => {
  const strange = strangeFile(bytes);
  if (strange !== undefined) return strange;
  if (!isZip(bytes))
    return {
      problem: "it is not a zip archive",
      help: "save the traced or scripted module with `torch.jit.save`",
    };
  const files = unzip(bytes);
  if (files === undefined)
    return {
      problem: "its zip archive cannot be read",
      help: "the file is truncated or damaged: export it again",
    };
  const names = [...files.keys()];
  if (names.some((name) => /^[^/]+\/(data\/aotinductor|archive_format|models\/)/.test(name)))
    return {
      problem: "it is a torch.export package",
      help: "this step is for TorchScript: export with `torch.jit.trace` or `torch.jit.script`",
    };
  const pickle = names.find((name) => /^[^/]+\/data\.pkl$/.test(name));
  if (!names.some((name) => /^[^/]+\/code\//.test(name)) || pickle === undefined)
    return {
      problem: "it contains weights but no code",
      help: "it was written by `torch.save`: trace or script the module, then save it with `torch.jit.save`",
    };
  return (
    forwardIn(files, pickle) ?? {
      problem: "its module has no `forward`",
      help: "export a module with a `forward` method",
    }
  );
};

/** The code and the module, without the weights; undefined for an unreadable archive. */
const unzip = (bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | undefined => {
  const listed = new Map<string, Uint8Array>();
  return attempt(() => {
    const read = unzipSync(bytes, {
      filter: ({ name }) => {
        listed.set(name, new Uint8Array());
        return /^[^/]+\/(data\.pkl|code\/.*\.py)$/.test(name);
      },
    });
    return new Map([...listed, ...Object.entries(read)]);
  });
};

const forwardIn = (
  files: ReadonlyMap<string, Uint8Array>,
  pickle: string,
): TorchscriptSignature | undefined => {
  // The first class in a pickle is the class of the module itself: opcode `c`, its module and its name.
  const text = decodeUtf8((files.get(pickle) ?? new Uint8Array()).subarray(0, 4096));
  const named = /c(__torch__[\w.]*)\n(\w+)\n/.exec(text);
  if (named === null) return undefined;
  const [, module = "", name = ""] = named;
  const path = `${module}.${name}`;
  const classCode = classesIn(files, pickle.slice(0, pickle.indexOf("/")));
  const found = /^ {2}def forward\(([\s\S]*?)\) -> ([^\n]+):$/m.exec(classCode(path) ?? "");
  if (found === null) return undefined;
  const [, given = "", returns = ""] = found;
  return {
    arguments: splitOutside(given)
      .slice(1)
      .map((one) => {
        const [, argument = "", type = ""] = /^(\w+)\s*:\s*([^=]+?)\s*(?:=.*)?$/s.exec(one) ?? [];
        return { name: argument, type };
      }),
    returns,
    fixedSize: findFixedSize(classCode, path),
  };
};

const classesIn = (files: ReadonlyMap<string, Uint8Array>, root: string): ClassCode => {
  const texts = new Map<string, readonly string[]>();
  return (path) => {
    const dot = path.lastIndexOf(".");
    const file = `${root}/code/${path.slice(0, dot).replaceAll(".", "/")}.py`;
    const lines = texts.get(file) ?? decodeUtf8(files.get(file) ?? new Uint8Array()).split("\n");
    texts.set(file, lines);
    const start = lines.findIndex((line) => line.startsWith(`class ${path.slice(dot + 1)}(`));
    if (start < 0) return undefined;
    const own = lines.slice(start + 1);
    const end = own.findIndex((line) => /^\S/.test(line));
    return own.slice(0, end < 0 ? undefined : end).join("\n");
  };
};

/** The parts of a list, split at commas outside brackets. */
export const splitOutside = (text: string): readonly string[] => {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const letter of text) {
    if ("([{".includes(letter)) depth++;
    if (")]}".includes(letter)) depth--;
    if (letter === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += letter;
  }
  return [...parts, part.trim()].filter((one) => one !== "");
};
