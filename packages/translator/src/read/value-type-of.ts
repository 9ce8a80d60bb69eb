import { ts } from "ts-morph";
import { bare, type Field, type Kind, type ValueType } from "../ir/value-type.ts";

/** Converts the checker's types to plain data. Each type is converted once, so recursive types terminate. */
export const newValueTypes = (
  checker: ts.TypeChecker,
  isLibrary: (symbol: ts.Symbol) => boolean,
): ((type: ts.Type) => ValueType) => {
  const known = new Map<ts.Type, ValueType>();
  const read = (type: ts.Type): ValueType => {
    const found = known.get(type);
    if (found !== undefined) return found;
    const records: ts.Type[] = [];
    let fields: ValueType["fields"];
    const made: Writable = {
      ...bare,
      // Computed on demand, because printing a type is slow and only messages need it.
      get text() {
        return checker.typeToString(type);
      },
      // Also on demand, because the properties of Node's own types lead to ever new types.
      get fields() {
        return records.length === 0 ? undefined : (fields ??= fieldsOf(records));
      },
    };
    known.set(type, made);
    const members = membersOf(type);
    const kinds = new Set<Kind>();
    for (const member of members) {
      if (isUndefined(member)) made.undefined = true;
      else if (member.flags & ts.TypeFlags.Null) made.null = true;
      else if (!(member.flags & ts.TypeFlags.Never)) {
        const kind = kindOfMember(member);
        kinds.add(kind);
        if (kind === "record") records.push(member);
        describe(member, kind, made);
      }
    }
    // `s.match(/x/g) ?? []`: only the list of all matches is combined with an array.
    if (kinds.has("match") && kinds.has("array")) {
      kinds.delete("match");
      made.items = undefined;
      made.element = read(checker.getStringType());
    }
    made.kinds = [...kinds].toSorted();
    const objects = members.filter((member) => member.flags & ts.TypeFlags.Object);
    made.members = objects.length;
    if (objects.length > 1) made.variants = objects.map(read);
    const [only] = members;
    if (members.length === 1 && only !== undefined && (only.isStringLiteral() || only.isNumberLiteral()))
      made.literal = only.value;
    const texts = members.filter((member) => !(member.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)));
    if (texts.length > 0 && texts.every((member) => member.isStringLiteral()))
      made.literals = texts.map((member) => member.value);
    return made;
  };

  const membersOf = (type: ts.Type): readonly ts.Type[] => {
    const base =
      type.flags & ts.TypeFlags.TypeParameter ? (checker.getBaseConstraintOfType(type) ?? type) : type;
    return base.isUnion() ? inOrder(base.types) : [base];
  };

  /** The checker's own order depends on the code that it has checked before. */
  const inOrder = (types: readonly ts.Type[]): readonly ts.Type[] =>
    types
      .map((type) => ({ type, text: checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation) }))
      .toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
      .map(({ type }) => type);

  const kindOfMember = (type: ts.Type): Kind => {
    if (type.flags & ts.TypeFlags.StringLike) return "string";
    if (type.flags & ts.TypeFlags.NumberLike) return "number";
    if (type.flags & ts.TypeFlags.BooleanLike) return "boolean";
    if (type.flags & ts.TypeFlags.BigIntLike) return "bigint";
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return "unknown";
    if (type.isIntersection()) {
      const part = type.types.map(kindOfMember).find((kind) => kind !== "record");
      if (part !== undefined) return part;
    }
    if (checker.isArrayType(type) || checker.isTupleType(type)) return "array";
    const symbol = type.getSymbol();
    const coder = symbol === undefined ? undefined : coders[symbol.getName()];
    if (coder !== undefined && symbol?.declarations?.every(isDeclared) === true) return coder;
    if (symbol !== undefined && isLibrary(symbol)) {
      const name = symbol.getName();
      const kind = libraryKinds[name];
      if (kind !== undefined) return kind;
      if (typedArray.test(name)) return "typed";
      if (/^(?:\w*Iterator|\w*Iterable|\w*IteratorObject|Generator)$/.test(name)) return "iterator";
      if (/^(?:Eval|Range|Reference|Syntax|Type|URI|Aggregate)?Error$/.test(name)) return "error";
      if (
        name !== "__type" &&
        name !== "Object" &&
        !/^(?:Record|Pick|Partial)/.test(name) &&
        type.getCallSignatures().length === 0 &&
        checker.getPropertiesOfType(type).every((property) => isLibrary(property))
      )
        return "unknown";
    }
    if (type.getCallSignatures().length > 0) return "function";
    return "record";
  };

  const describe = (type: ts.Type, kind: Kind, made: Writable): void => {
    const argument = (at: number): ValueType | undefined => {
      const found = checker.getTypeArguments(type as ts.TypeReference)[at];
      return found && read(found);
    };
    if (kind === "array") {
      if (checker.isTupleType(type)) {
        const { target } = type as ts.TupleTypeReference;
        const items = checker.getTypeArguments(type as ts.TypeReference).map(read);
        if (target.elementFlags.every((flag) => flag === ts.ElementFlags.Required)) made.items = items;
      }
      const element = type.getNumberIndexType();
      made.element = joined(made.element, element && read(element));
    } else if (kind === "map") {
      made.key = joined(made.key, argument(0));
      made.element = joined(made.element, argument(1));
    } else if (kind === "set" || kind === "iterator") made.element = joined(made.element, argument(0));
    else if (kind === "typed") {
      made.array = type.getSymbol()?.getName();
      const element = type.getNumberIndexType();
      made.element = joined(made.element, element && read(element));
    } else if (kind === "function") {
      const [signature] = type.getCallSignatures();
      made.parameters = signature
        ?.getParameters()
        .map((parameter) => read(checker.getTypeOfSymbol(parameter)));
    } else if (kind === "unknown") made.unknown = type.getSymbol()?.getName() ?? checker.typeToString(type);
    else if (kind === "record") {
      const index = type.getStringIndexType() ?? type.getNumberIndexType();
      if (index !== undefined) made.index = read(index);
    }
  };
  const fieldsOf = (records: readonly ts.Type[]): ReadonlyMap<string, Field> => {
    const fields = new Map<string, Field>();
    for (const property of records.flatMap((record) => checker.getPropertiesOfType(record))) {
      const of = checker.getTypeOfSymbol(property);
      const optional = (property.flags & ts.SymbolFlags.Optional) !== 0 || membersOf(of).some(isUndefined);
      const type = read(of);
      const other = fields.get(property.getName());
      fields.set(property.getName(), {
        type: other === undefined ? type : joinedTypes(other.type, type),
        optional: optional || other?.optional === true,
      });
    }
    return fields;
  };
  return read;
};

const isUndefined = ({ flags }: ts.Type): boolean =>
  (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0;

type Writable = { -readonly [K in keyof ValueType]: ValueType[K] };

const joined = (a: ValueType | undefined, b: ValueType | undefined): ValueType | undefined =>
  a === undefined || b === undefined ? (a ?? b) : joinedTypes(a, b);

/** The type of a value that has one of two types. */
const joinedTypes = (a: ValueType, b: ValueType): ValueType =>
  a === b
    ? a
    : {
        ...a,
        kinds: [...new Set([...a.kinds, ...b.kinds])].toSorted(),
        undefined: a.undefined || b.undefined,
        null: a.null || b.null,
        element: a.element ?? b.element,
        unknown: a.unknown ?? b.unknown,
        key: a.key ?? b.key,
        items: undefined,
        fields: a.fields ?? b.fields,
        variants: variantsOf(a, b),
        index: a.index ?? b.index,
        literals: undefined,
        literal: undefined,
      };

const variantsOf = (a: ValueType, b: ValueType): readonly ValueType[] | undefined => {
  const all = [a, b].flatMap((type) => type.variants ?? (type.members > 0 ? [type] : []));
  return all.length > 1 ? all : undefined;
};

const typedArray = /^(?:Int|Uint|Float|BigInt|BigUint)\d+(?:Clamped)?Array$/;
/** Kinds of classes by name. The types of the DOM or of Node declare these classes. */
const coders: Readonly<Record<string, Kind | undefined>> = { TextEncoder: "encoder", TextDecoder: "decoder" };
const isDeclared = (node: ts.Declaration): boolean => node.getSourceFile().isDeclarationFile;
const libraryKinds: Readonly<Record<string, Kind | undefined>> = {
  Map: "map",
  ReadonlyMap: "map",
  Set: "set",
  ReadonlySet: "set",
  ArrayLike: "array",
  RegExp: "regexp",
  RegExpMatchArray: "match",
  RegExpExecArray: "match",
  Function: "function",
  String: "unknown",
  Number: "unknown",
  Boolean: "unknown",
};
