import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type FixedSize, findFixedSize } from "./fixed-size.ts";
import { readTorchscript } from "./read-torchscript.ts";

const fixture = (name: string): FixedSize | undefined => {
  const file = new URL(`../../../../test/fixtures/torchscript/${name}.pt`, import.meta.url);
  const read = readTorchscript(readFileSync(file));
  return read.problem === undefined ? read.fixedSize : undefined;
};

test("only a file that was traced with `int()` around sizes contains constant sizes", () => {
  expect(fixture("fixed-size")).toEqual({
    sizes: [2, 6, 1],
    line: "mask = torch.reshape(torch.to(attention_mask, 6), [2, 6, 1])",
    where: "__torch__.FixedSize",
  });
  expect(fixture("classify")).toBeUndefined();
});

const classes = {
  "__torch__.nets.Head": `
  query : __torch__.nets.Linear
  def forward(self: __torch__.nets.Head,
    x: Tensor,
    table: Tensor) -> Tensor:
    query = self.query
    q, k, = torch.chunk((query).forward(x, ), 2, -1)
    _0 = torch.matmul(q, torch.transpose(k, -2, -1))
    _1 = [2, 6, 8]
    return torch.view(torch.softmax(_0, -1), _1)
`,
  "__torch__.nets.Linear": `
  def forward(self: __torch__.nets.Linear,
    x: Tensor) -> Tensor:
    weight = self.weight
    return torch.linear(x, weight)
`,
};
const net = (body: string, attributes = ""): string => `
  training : bool
${attributes}
  def forward(self: __torch__.Net,
    ids: Tensor,
    table: Tensor) -> Tensor:
${body
  .split("\n")
  .map((line) => `    ${line}`)
  .join("\n")}
`;
const find = (body: string, attributes?: string): FixedSize | undefined =>
  findFixedSize(
    (path) => new Map(Object.entries({ ...classes, "__torch__.Net": net(body, attributes) })).get(path),
    "__torch__.Net",
  );

test("finds sizes in a module from a list, after operators that keep the batch", () => {
  const found = find(
    `layers = self.layers
_0 = getattr(layers, "0")
x = torch.embedding(weight, ids)
return (_0).forward(torch.select(x, 1, 0), table, )`,
    "  layers : __torch__.List",
  );
  expect(found).toBeUndefined();
  const inside = findFixedSize(
    (path) =>
      new Map(
        Object.entries({
          ...classes,
          "__torch__.List": '\n  __annotations__["0"] = __torch__.nets.Head\n',
          "__torch__.Net": net(
            `layers = self.layers
_0 = getattr(layers, "0")
x = torch.embedding(CONSTANTS.c0, ids)
return (_0).forward(torch.layer_norm(x, [8]), table, )`,
            "  layers : __torch__.List",
          ),
        }),
      ).get(path),
    "__torch__.Net",
  );
  expect(inside).toEqual({
    sizes: [2, 6, 8],
    line: "return torch.view(torch.softmax(_0, -1), _1)",
    where: "__torch__.nets.Head",
  });
});

test.each([
  ["sizes that are read", "_0 = int(torch.size(ids, 0))\nreturn torch.view(ids, [_0, 8])"],
  ["a size left open", "return torch.reshape(ids, [2, -1])"],
  ["a weight", "w = self.weight\nreturn torch.view(w, [1, 8])"],
  ["positions", "p = torch.arange(8, dtype=4)\nreturn torch.view(p, [1, 8])"],
  ["a selected row", "return torch.view(torch.select(ids, 0, 0), [1, 8])"],
  ["a sum of all elements", "return torch.view(torch.sum(ids), [1])"],
  ["an unknown operator", "return torch.view(torch.nonzero(ids), [4])"],
  ["branches", "if bool(ids):\n  x = torch.view(ids, [2, 8])\nelse:\n  x = ids\nreturn x"],
  [
    "a name that was reassigned",
    "ids0 = torch.to(ids, 6)\nids0 = torch.ones([4])\nreturn torch.view(ids0, [2, 2])",
  ],
])("reports nothing for %s", (_, body) => expect(find(body)).toBeUndefined());

test.each([
  ["arithmetic", "x = torch.mul(CONSTANTS.c0, torch.div(ids, 2.5e-05))\nreturn torch.view(x, [2, 8])"],
  ["a mean over tokens", "x = torch.mean(torch.to(ids, 6), [1], True)\nreturn torch.view_(x, [2])"],
  ["keywords", "x = torch.ones_like(ids, dtype=6, pin_memory=False)\nreturn torch.reshape(x, shape=[16])"],
])("finds a constant size after %s", (_, body) => expect(find(body)?.line).toMatch(/torch\.(view|reshape)/));
