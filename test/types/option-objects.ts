import ts from "typescript";
import { programOf, sourceOf } from "./type-check.ts";

/** Options in which one name is misspelt. */
export interface Misspelling {
  /** The path of the misspelt name: `["instanceGroup", "0", "countx"]`. */
  readonly path: readonly string[];
  /** The right name. */
  readonly meant: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The types of the options by constructor, for steps with an input `x` and an output `y`. */
const declarations = `import type {
  AnyHandles, BackendOptions, CustomOptions, DetokenizerOptions, EnsembleOptions, FlowOptions, FunctionOptions, GenerateOptions,
  OpenvinoOptions, PipelineConfig, PythonOptions, Signature, TensorrtOptions, TensorType, TokenizerOptions, TorchscriptOptions, Uses,
} from "@tritype/dsl";
type I = { readonly x: TensorType<"FP32", ["batch", "seq"]> };
type O = { readonly y: TensorType<"FP32", ["batch", "seq"]> };
type Run = () => unknown;
export interface Options {
  readonly onnx: BackendOptions<I, O>;
  readonly custom: CustomOptions<I, O>;
  readonly defineConfig: PipelineConfig;
  readonly defineEnsemble: EnsembleOptions<I, AnyHandles>;
  readonly detokenizer: DetokenizerOptions;
  readonly flow: FlowOptions<I, O, Uses, Run>;
  readonly generate: GenerateOptions;
  readonly openvino: OpenvinoOptions<I, O>;
  readonly python: PythonOptions<I, O>;
  readonly step: FunctionOptions<I, O, Run>;
  readonly tensorrt: TensorrtOptions<I, O>;
  readonly tokenizer: TokenizerOptions;
  readonly torchscript: TorchscriptOptions<I, O>;
}
`;

const path = "test/types/options.ts";

/** Options that every definition needs, and options whose values are not written in place. */
const declaration: ReadonlySet<string> = new Set(["name", "inputs", "outputs", "run", "stepKinds", "uses"]);

/**
 * Every name in every object of every constructor's options, misspelt once; the names come from the types.
 * @param keyOf A name for a place where any name is allowed: a profile, a version, a tensor.
 */
export const misspellings = (
  keyOf: (path: readonly string[]) => string,
): ReadonlyMap<string, readonly Misspelling[]> => {
  const program = programOf([], { [path]: declarations });
  const checker = program.getTypeChecker();
  const source = sourceOf(program, path);
  const declared = source.statements.find(ts.isInterfaceDeclaration);
  if (declared === undefined) throw new Error("no options");
  const typeOf = (symbol: ts.Symbol): ts.Type => checker.getTypeOfSymbolAtLocation(symbol, declared);
  const isRequired = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.Optional) === 0;
  const membersOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

  const isObject = (type: ts.Type): boolean =>
    (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;

  const seen = new Set<string>();

  /** A value of the type that only has the required properties. */
  const sample = (type: ts.Type): unknown => {
    const [one = type] = membersOf(type).filter(({ flags }) => (flags & nothing) === 0);
    if (one.isStringLiteral() || one.isNumberLiteral()) return one.value;
    if (one.flags & ts.TypeFlags.BooleanLike) return true;
    if (one.flags & ts.TypeFlags.TemplateLiteral) return (one as ts.TemplateLiteralType).texts.join("1");
    if (one.flags & ts.TypeFlags.StringLike) return "x";
    if (!isObject(one)) return 1;
    if (one.getCallSignatures().length > 0) return () => ({});
    if (one.getProperty("BYTES_PER_ELEMENT") !== undefined) return [1];
    if (checker.isTupleType(one)) return checker.getTypeArguments(one as ts.TypeReference).map(sample);
    const item = checker.isArrayType(one) ? one.getNumberIndexType() : undefined;
    return item === undefined ? required(one) : [sample(item)];
  };
  const required = (type: ts.Type, except?: string): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      type
        .getProperties()
        .filter((one) => one.name !== except && isRequired(one))
        .map((one) => [one.name, sample(typeOf(one))]),
    );

  /** @param around The options around a value of this type. */
  function* within(
    type: ts.Type,
    at: readonly string[],
    around: (value: unknown) => Misspelling["options"],
  ): Generator<Misspelling> {
    for (const one of membersOf(type)) {
      if (!isObject(one) || one.getCallSignatures().length > 0 || checker.isTupleType(one)) continue;
      if (one.getProperty("BYTES_PER_ELEMENT") !== undefined) continue;
      const item = checker.isArrayType(one) ? one.getNumberIndexType() : undefined;
      if (item !== undefined) yield* within(item, [...at, "0"], (value) => around([value]));
      else yield* inObject(one, at, around);
    }
  }
  function* inObject(
    type: ts.Type,
    at: readonly string[],
    around: (value: unknown) => Misspelling["options"],
  ): Generator<Misspelling> {
    const open = type.getStringIndexType() ?? type.getNumberIndexType();
    if (open !== undefined) {
      const key = keyOf(at);
      yield* within(open, [...at, key], (value) => around({ [key]: value }));
    }
    for (const property of type.getProperties()) {
      const { name } = property;
      if (at.length === 0 && declaration.has(name)) continue;
      // Fields that several constructors have are declared once.
      const place = property.declarations?.[0];
      const known = `${place?.getSourceFile().fileName} ${place?.pos} ${at.join(".")}`;
      if (place !== undefined && seen.has(known)) continue;
      seen.add(known);
      const own = typeOf(property);
      // The types have this property only to forbid it.
      if (
        membersOf(own).every(
          ({ flags, value }: ts.Type & { value?: unknown }) =>
            (flags & nothing) !== 0 || (typeof value === "string" && value.startsWith("✗")),
        )
      )
        continue;
      if (open === undefined && at.at(-1) !== "inputs")
        yield {
          path: [...at, `${name}x`],
          meant: name,
          options: around({ ...required(type, name), [`${name}x`]: sample(own) }),
        };
      yield* within(own, [...at, name], (value) => around({ ...required(type, name), [name]: value }));
    }
  }
  return new Map(
    checker
      .getTypeAtLocation(declared)
      .getProperties()
      .map((constructor) => [
        constructor.name,
        [...within(typeOf(constructor), [], (value) => value as Misspelling["options"])],
      ]),
  );
};

const nothing = ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.Never;
