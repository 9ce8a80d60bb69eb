import { readFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { readTorchscript } from "./read-torchscript.ts";

/** The fixtures were created with PyTorch by make.py in their folder. */
const fixture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../../test/fixtures/torchscript/${name}.pt`, import.meta.url));

test("reads a traced module", () => {
  expect(readTorchscript(fixture("double"))).toEqual({
    arguments: [{ name: "x", type: "Tensor" }],
    returns: "Tensor",
    fixedSize: undefined,
  });
});

test("reads several arguments, and a tuple", () => {
  expect(readTorchscript(fixture("classify"))).toEqual({
    arguments: [
      { name: "input_ids", type: "Tensor" },
      { name: "attention_mask", type: "Tensor" },
    ],
    returns: "Tuple[Tensor, Tensor]",
    fixedSize: undefined,
  });
});

test("reads a scripted module with a number", () => {
  expect(readTorchscript(fixture("scale"))).toMatchObject({
    arguments: [{ name: "x" }, { name: "factor", type: "float" }],
  });
});

/** An archive in PyTorch's format with the given code. */
const archive = (code: string): Uint8Array =>
  zipSync({
    "m/data.pkl": strToU8("\u0080\u0002c__torch__.nets.___torch_mangle_1\nNet\nq\u0000)"),
    "m/code/__torch__/nets/___torch_mangle_1.py": strToU8(code),
  });

test("handles another class in the file, defaults and nested types", () => {
  const code = [
    "class Other(Module):",
    "  def forward(self: __torch__.Other) -> Tensor:",
    "    return self.x",
    "class Net(Module):",
    "  training : bool",
    "  def forward(self: __torch__.nets.___torch_mangle_1.Net,",
    "    texts: List[str],",
    "    past: Optional[Tuple[Tensor, Tensor]]=None) -> Dict[str, Tensor]:",
    "    return {}",
  ];
  expect(readTorchscript(archive(code.join("\n")))).toEqual({
    arguments: [
      { name: "texts", type: "List[str]" },
      { name: "past", type: "Optional[Tuple[Tensor, Tensor]]" },
    ],
    returns: "Dict[str, Tensor]",
    fixedSize: undefined,
  });
});

describe("files that are not TorchScript", () => {
  test.each<[string, Uint8Array, string]>([
    ["an empty file", new Uint8Array(), "it is empty"],
    ["a Git LFS pointer", strToU8("version https://git-lfs.github.com/spec/v1\n"), "it is a Git LFS pointer"],
    ["an HTML page", strToU8("<!DOCTYPE html><title>Not Found</title>"), "it is an HTML page"],
    ["other bytes", strToU8("model"), "it is not a zip archive"],
    ["half a file", fixture("classify").subarray(0, 900), "its zip archive cannot be read"],
    ["weights alone", fixture("weights"), "it contains weights but no code"],
    [
      "a module without forward",
      archive("class Net(Module):\n  training : bool\n"),
      "its module has no `forward`",
    ],
    ["torch.export", zipSync({ "m/archive_format": strToU8("pt2") }), "it is a torch.export package"],
  ])("%s", (_, bytes, problem) => expect(readTorchscript(bytes)).toMatchObject({ problem }));
});
