/** Replaces the package `tritype` in projects that are analyzed but not built: programs take a fraction of the time. */
export const stubPackage = {
  "node_modules/tritype/package.json": '{ "name": "tritype", "version": "1.0.0", "types": "index.d.ts" }\n',
  "node_modules/tritype/index.d.ts": `type Dims = readonly (string | number)[];
interface Texts {
  readonly text: "BYTES";
}
interface Numbers {
  readonly n: "INT32";
}
export declare const bytes: (...dims: Dims) => "BYTES";
export declare const fp32: (...dims: Dims) => "FP32";
export declare const int32: (...dims: Dims) => "INT32";
export declare const step: (options: {
  readonly name: string;
  readonly inputs: Texts;
  readonly outputs: Numbers;
  readonly run: (row: { readonly text: string }) => { readonly n: number };
}) => ((inputs: Texts) => Numbers) & { readonly inputs: Texts };
export declare const defineEnsemble: (options: {
  readonly name: string;
  readonly maxBatchSize: number;
  readonly inputs: Texts;
  readonly run: (inputs: Texts) => Numbers;
}) => unknown;
`,
} as const;
