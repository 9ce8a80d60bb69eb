import { it } from "vitest";
import { execFileSync } from "node:child_process";
import { programOf, diagnosticsOf, messageOf } from "./type-check.ts";
const names = ["tensor","functions","onnx","tokenizer","dims","wires","step"];
const head = Object.fromEntries(names.map(n => [`packages/dsl/src/${n}.ts`, execFileSync("git", ["show", `4916209:packages/dsl/src/${n}.ts`], {encoding:"utf8"})]));
const wrap = (defs: string, body: string) => `
import { bytes, defineEnsemble, fp32, int64, onnx, tokenizer } from "tritype";
${defs}
export const ensemble = defineEnsemble({ name: "ensemble", inputs: { a: fp32("batch", "seq", 384), m: int64("batch", "seq") },
  run({ a, m }) {
${body}
    return { out: a };
  },
});`;
const cost = (text: string, over: Record<string,string>) => { const p = programOf([], { ...over, "test/types/f.ts": text }, { stableTypeOrdering: false }); const d = diagnosticsOf(p, "test/types/f.ts"); if (d.length) console.log(d.map(messageOf)); return p.getInstantiationCount(); };
const cases: [string, string, string][] = [
 ["mul", "", "a.mul(2)"], ["add","","a.add(a)"], ["mean","",`a.mean("seq")`], ["softmax","","a.softmax(-1)"], ["tanh","","a.tanh()"], ["unsqueeze","",`a.unsqueeze(-1)`],["transpose","",`a.transpose(0,2,1)`], ["transpose2","",`a.transpose(0,2,1).transpose(0,2,1)`],
 ["gather","",`a.gather(1,0)`], ["def","export const s = onnx({ name: 's', file: 'f', inputs: { x: fp32('batch', 't', 384), mask: int64('batch', 't')}, outputs: {y: fp32('batch', 't', 384), z: fp32('batch', 10)}});", ""],
 ["tok","export const s = tokenizer({ name: 's', from: 'f', maxLength: 4, padding: 'longest' });", ""],
];
const defs = (n: number) => Array.from({ length: n }, (_, i) => `export const s${i} = onnx({ name: "s${i}", file: "f.onnx", inputs: { x: fp32("batch", "t${i}", 384), mask: int64("batch", "t${i}") }, outputs: { y: fp32("batch", "t${i}", 384), z: fp32("batch", ${10 + i}) } });`).join("\n");
const ops = [
  (x) => `${x}.mul(2)`,
  (x) => `${x}.add(${x})`,
  (x) => `${x}.sub(${x}.mean("seq", { keepDims: true }))`,
  (x) => `${x}.softmax(-1)`,
  (x) => `${x}.tanh()`,
  (x) => `${x}.mul(m.cast(fp32).unsqueeze(-1))`,
  (x) => `${x}.transpose(0, 2, 1).transpose(0, 2, 1)`,
  (x) => `${x}.div(${x}.max(-1, { keepDims: true }))`,
];
const math = (n) => Array.from({length: n}, (_, i) => `const x${i} = ${ops[i % 8](i ? "x" + (i-1) : "a")};`).join("\n");
cases.push(["def100", defs(100), ""], ["tra math40", "", math(40)], ["tra math200", "", math(200)]);
const many = (n: number, f: (i: number) => string) => Array.from({ length: n }, (_, i) => f(i)).join("\n");
cases.push(["tra fp32x100", many(100, i => `export const t${i} = fp32("batch", "t${i}", 384);`), ""]);
cases.push(["tra fp32same", many(100, i => `export const t${i} = fp32("batch", "t", 384);`), ""]);
cases.push(["tra onnxsame", many(100, i => `export const s${i} = onnx({ name: "s${i}", file: "f.onnx", inputs: { x: fp32("batch", "t", 384), mask: int64("batch", "t") }, outputs: { y: fp32("batch", "t", 384), z: fp32("batch", 10) } });`), ""]);
cases.push(["tra onnxprebuilt", "const t = fp32('b',1);" + many(100, i => `export const s${i} = onnx({ name: "s${i}", file: "f.onnx", inputs: { x: t }, outputs: { y: t } });`), ""]);
it("x", () => {
  const bh = cost(wrap("",""), head), bn = cost(wrap("",""), {});
  console.log("base", bh, bn);
  for (const [n, d, b] of cases) console.log(n, cost(wrap(d,b), head) - bh, cost(wrap(d,b), {}) - bn);
}, 60000);
