import type { MappedLine } from "@tritype/core";
import type { Variable } from "../ir/variable.ts";
import { type Layout, layOut } from "./layout.ts";
import { parameterText, type PrintExpression, printExpression, printTarget } from "./print-expression.ts";
import type { PyDoes, PyExpression, PyStatement } from "./syntax.ts";

/** Maximum length of a line that can be broken at brackets. */
const width = 100;

/** Prints the statements of a module, and maps its lines to the user's code. */
export const printModule = (
  statements: readonly PyStatement[],
  nameOf: (variable: Variable) => string,
): { readonly text: string; readonly lines: readonly MappedLine[] } => {
  const printer = newPrinter({ nameOf, quote: '"' });
  for (const [at, statement] of statements.entries()) {
    const previous = statements[at - 1];
    if (previous !== undefined && (isFunction(previous) || isFunction(statement))) printer.empty(2);
    printer.statement(statement, 0);
  }
  return printer.finish();
};

const isFunction = ({ does }: PyStatement): boolean => does.kind === "function";

interface Printer {
  readonly empty: (count: number) => void;
  readonly statement: (statement: PyStatement, indent: number) => void;
  readonly finish: () => { readonly text: string; readonly lines: readonly MappedLine[] };
}

const newPrinter = (how: PrintExpression): Printer => {
  const out: string[] = [];
  const lines: MappedLine[] = [];
  const line = (layout: Layout, indent: number): void => {
    const text = `${" ".repeat(indent)}${layOut(layout, width, indent, indent)}`;
    for (const part of text.split("\n")) out.push(part);
  };
  const show = (expression: PyExpression): Layout => printExpression(expression, how);
  const body = (statements: readonly PyStatement[], indent: number): void => {
    if (statements.length === 0) line("pass", indent);
    for (const inner of statements) statement(inner, indent);
  };
  const statement = (printed: PyStatement, indent: number): void => {
    for (const comment of printed.comments ?? []) line(comment === "" ? "#" : `# ${comment}`, indent);
    if (printed.at !== undefined) lines.push({ line: out.length + 1, at: printed.at });
    does(printed.does, indent);
  };
  const does = (what: PyDoes, indent: number): void => {
    switch (what.kind) {
      case "assign":
        return line([printTarget(what.target, how), " = ", showAssigned(what.value, show)], indent);
      case "update":
        return line([show(what.target), ` ${what.operator}= `, show(what.value)], indent);
      case "expression":
        return line(show(what.value), indent);
      case "return":
      case "raise":
        return line([`${what.kind} `, show(what.value)], indent);
      case "delete":
        return line(["del ", show(what.target)], indent);
      case "break":
      case "continue":
      case "pass":
        return line(what.kind, indent);
      case "nonlocal":
        return line(`nonlocal ${what.variables.map(how.nameOf).toSorted().join(", ")}`, indent);
      case "if": {
        for (const [at, branch] of what.branches.entries()) {
          line([at === 0 ? "if " : "elif ", show(branch.test), ":"], indent);
          body(branch.body, indent + 4);
        }
        if (what.otherwise.length > 0) {
          line("else:", indent);
          body(what.otherwise, indent + 4);
        }
        return;
      }
      case "while":
        line(["while ", show(what.test), ":"], indent);
        return body(what.body, indent + 4);
      case "for":
        line(["for ", printTarget(what.target, how), " in ", show(what.iterable), ":"], indent);
        return body(what.body, indent + 4);
      case "try":
        line("try:", indent);
        body(what.body, indent + 4);
        if (what.except !== undefined) {
          const { type, variable } = what.except;
          line(
            ["except ", show(type), variable === undefined ? "" : ` as ${how.nameOf(variable)}`, ":"],
            indent,
          );
          body(what.except.body, indent + 4);
        }
        if (what.always.length > 0) {
          line("finally:", indent);
          body(what.always, indent + 4);
        }
        return;
      case "function": {
        const parameters = what.parameters.map(({ variable, form }) => parameterText(variable, form, how));
        line(
          [
            `def ${how.nameOf(what.variable)}`,
            { open: "(", items: parameters, close: ")", between: ", ", single: false },
            ":",
          ],
          indent,
        );
        return body(what.body, indent + 4);
      }
    }
  };
  return {
    empty: (count) => out.push(...Array.from({ length: count }, () => "")),
    statement,
    finish: () => ({ text: out.map((text) => `${text}\n`).join(""), lines }),
  };
};

const showAssigned = (value: PyExpression, show: (expression: PyExpression) => Layout): Layout => {
  if (value.kind !== "tuple" || value.items.length < 2) return show(value);
  return value.items.map((item, at) => [at === 0 ? "" : ", ", show(item)]);
};
