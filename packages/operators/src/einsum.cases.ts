import { elementCount } from "@tritype/core";
import * as fc from "fast-check";
import { numbers } from "./dtypes.fixture.ts";
import { dimsOf, size } from "./layouts.fixture.ts";
import { build, product, read, total, unravel } from "./nd-array.fixture.ts";
import { notEmpty } from "./lowered.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

const labels = ["a", "B", "c", "d"];

export const cases: CasesOf = {
  einsum: {
    types: [
      ["FP32[batch, q, 64] ; FP32[batch, k, 64]", { equation: "bqd,bkd->bqk" }, "FP32[batch, q, k]"],
      ["FP32[batch, h, q, 64] ; FP32[k, 64]", { equation: "...qd,kd->...qk" }, "FP32[batch, h, q, k]"],
      ["FP32[batch, 4] ; FP32[4, 3]", { equation: "ba,ac" }, "FP32[batch, 3]"],
      ["FP32[batch, -1] ; FP32[batch, seq]", { equation: "bi,bi->bi" }, "FP32[batch, -1]"],
      ["FP32[batch, -1] ; FP32[batch, 4]", { equation: "bi,bi->bi" }, "FP32[batch, 4]"],
      ["FP32[3, 3]", { equation: "ii" }, "FP32[]"],
    ],
    batch: [
      ["FP32[batch, 4] ; FP32[batch, 4]", { equation: "bi,bi->b" }, ""],
      ["FP32[batch, 2, 4] ; FP32[batch, 3, 4]", { equation: "...qd,...kd->...qk" }, ""],
      ["FP32[batch, 4] ; FP32[5, 4]", { equation: "bi,oi->bo" }, ""],
      ["FP32[batch, 4] ; FP32[batch, 4]", { equation: "bi,bj->ij" }, "0 reduces over, 1 reduces over"],
      ["FP32[batch, 4]", { equation: "bi->ib" }, "0 moves"],
      ["FP32[batch, 4] ; FP32[batch, 4]", { equation: "ai,bi->ab" }, "1 moves"],
      ["FP32[batch, batch]", { equation: "bb->b" }, "0 takes the diagonal of, 0 takes the diagonal of"],
    ],
    ignoresPadding: [
      ["FP32[batch, seq=0] ; FP32[batch, seq, 8]", { equation: "bs,bsh->bh" }, true],
      ["FP32[batch, seq] ; FP32[batch, seq, 8]", { equation: "bs,bsh->bh" }, false],
    ],
    doubts: [
      [
        "UINT8[2, 3] ; UINT8[3]",
        { equation: "ij,j->i" },
        "dtype/wraps-around: the result for UINT8[2, 3] is UINT8 too, and wraps around outside 0 to 255",
      ],
      ["UINT8[3] ; UINT8[3]", { equation: "i,i->i" }, ""],
    ],
    nodes: [
      ["FP32[2, 3] ; FP32[3]", { equation: "ij, j" }, ["Einsum(x0, x1) equation=ij,j->i", "→ %1"]],
      [
        "FP32[batch, 2, 3]",
        { equation: "...ij -> ...ji" },
        [...notEmpty, "Einsum(%6) equation=aij->aji", "→ %7"],
      ],
      [
        "UINT8[2]",
        { equation: "i->" },
        ["Cast(x0) to=7", "Einsum(%1) equation=i->", "Cast(%2) to=2", "→ %3"],
      ],
    ],
    dtypes: numbers,
    layout: fc
      .tuple(
        fc.array(size, { minLength: 4, maxLength: 4 }),
        fc.array(fc.array(fc.constantFrom(...labels), { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        dimsOf(0, 2),
        fc.shuffledSubarray(labels),
        fc.constantFrom("named", "named", "implicit", "ellipsis"),
        fc.array(fc.constantFrom(false, false, true), { minLength: 4, maxLength: 4 }),
      )
      .map(([sizes, terms, outer, wanted, form, ones]) => {
        const ellipsis = form === "ellipsis" ? "..." : "";
        const operands = terms.map((term, i) => ({
          dims: [
            ...(ellipsis === "" ? [] : outer.slice(i % (outer.length + 1))),
            ...term.map((label) => (ones[i] ? 1 : (sizes[labels.indexOf(label)] ?? 1))),
          ],
        }));
        const left = terms.map((term) => ellipsis + term.join("")).join(form === "named" ? "," : " , ");
        const result = ellipsis + wanted.filter((label) => terms.flat().includes(label)).join("");
        return { operands, attributes: { equation: form === "implicit" ? left : `${left}->${result}` } };
      }),
    reference: (operands, { equation }) => {
      const [left = "", right] = (equation as string).replaceAll(" ", "").split("->");
      const labelled = (term: string, outer: number): string[] => {
        const [head = "", tail] = term.split("...");
        const dots = Array.from({ length: tail === undefined ? 0 : outer }, (_, i) => `.${outer - i}`);
        return [...head.split(""), ...dots, ...(tail ?? "").split("")];
      };
      const written = left.split(",");
      const outer = written.map(
        (term, i) => (operands[i]?.dims.length ?? 0) - term.replace("...", "").length,
      );
      const terms = written.map((term, i) => labelled(term, outer[i] ?? 0));
      const once = terms.flat().filter((label, _, all) => all.indexOf(label) === all.lastIndexOf(label));
      const result = right === undefined ? once.toSorted() : labelled(right, Math.max(...outer));
      const sizes = new Map<string, number>();
      terms.forEach((term, i) =>
        term.forEach((label, axis) =>
          sizes.set(label, Math.max(sizes.get(label) ?? 1, operands[i]?.dims[axis] ?? 1)),
        ),
      );
      const sizeOf = (label: string): number => sizes.get(label) ?? 1;
      const inner = [...sizes.keys()].filter((label) => !result.includes(label));
      return build(result.map(sizeOf), (index) => {
        const products = Array.from({ length: elementCount(inner.map(sizeOf)) }, (_, flat) => {
          const rest = unravel(flat, inner.map(sizeOf));
          const at = (label: string): number =>
            (result.includes(label) ? index[result.indexOf(label)] : rest[inner.indexOf(label)]) ?? 0;
          return product(operands.map((x, i) => read(x, (terms[i] ?? []).map(at))));
        });
        return total(products);
      });
    },
    odd: [-0, Number.NaN],
    example: ({ hidden, weights }, { einsum }) => einsum("bsh,bhk->bsk", hidden, weights),
  },
};
