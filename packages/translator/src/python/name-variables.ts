import { liesIn, type Scope, type Variable } from "../ir/variable.ts";
import type { Mentions } from "./mentions.ts";

/**
 * Names the variables of a module. They keep the user's name, with a suffix if Python, a support function or another
 * variable has the same name. Python's built-in names are never reused, because emitted and support code may call any
 * of them. Variables of separate blocks may share a name, except for a variable that a nested function captures.
 * `taken`: names of Python and of the support code that the text uses. `takenByModule`: names that no constant or
 * function of the module may have.
 */
export const nameVariables = (
  { variables }: Mentions,
  taken: ReadonlySet<string>,
  takenByModule: ReadonlySet<string>,
): ((variable: Variable) => string) => {
  const given = new Map<Variable, string>();
  const captured = (variable: Variable): boolean => (variables.get(variable)?.size ?? 0) > 1;
  const rank = (variable: Variable): number =>
    variable.scope.kind === "module" ? 0 : variable.kind === "temporary" ? 3 : captured(variable) ? 1 : 2;
  const order = [...variables.keys()].toSorted((a, b) => rank(a) - rank(b));
  const clash = (a: Variable, b: Variable): boolean =>
    liesIn(a.scope, b.scope) ||
    liesIn(b.scope, a.scope) ||
    ((captured(a) || captured(b)) && outermost(a.scope) === outermost(b.scope));
  for (const variable of order) {
    const used = new Set([...given].filter(([other]) => clash(variable, other)).map(([, name]) => name));
    const isFree = (name: string): boolean =>
      !(keywords.has(name) || builtIns.has(name) || taken.has(name) || used.has(name)) &&
      !(variable.scope.kind === "module" && takenByModule.has(name));
    given.set(variable, firstFree(pythonName(variable.name), isFree));
  }
  return (variable) => given.get(variable) ?? pythonName(variable.name);
};

const firstFree = (name: string, isFree: (name: string) => boolean): string => {
  if (isFree(name)) return name;
  const plain = name.endsWith("_") ? name : `${name}_`;
  if (isFree(plain)) return plain;
  for (let count = 2; ; count++) if (isFree(`${plain}${count}`)) return `${plain}${count}`;
};

/** Python normalizes names to NFKC and has no `$`. */
const pythonName = (name: string): string =>
  name
    .normalize("NFKC")
    .replaceAll("$", "S_")
    .replaceAll(/[\u200c\u200d]/g, "_");

const outermost = (scope: Scope): Scope => {
  let found = scope;
  for (let inner: Scope | undefined = scope; inner !== undefined; inner = inner.parent)
    if (inner.kind === "function") found = inner;
  return found;
};

/** Words that cannot be variable names in Python 3.10 to 3.13, and soft keywords. */
const keywords: ReadonlySet<string> = new Set(
  `
False None True and as assert async await break class continue def del elif else except finally for from global if import
in is lambda nonlocal not or pass raise return try while with yield match case type self
`
    .trim()
    .split(/\s+/),
);

/** Names that every module of Python 3.10 to 3.13 has without an import, and those that Python defines in a module. */
const builtIns: ReadonlySet<string> = new Set(
  `
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError
BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError
DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError
FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError InterruptedError
IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError
NotImplemented NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError
PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError
UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning
ZeroDivisionError __annotations__ __build_class__ __builtins__ __cached__ __debug__ __doc__ __file__ __import__ __loader__
__name__ __package__ __spec__ abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile
complex delattr dict dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash hex id input int
isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property range repr
reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
`
    .trim()
    .split(/\s+/),
);
