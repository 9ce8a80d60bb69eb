import type { PyStatement } from "../../python/syntax.ts";

/** Whether nothing after the statements is ever reached. */
export const leaves = (statements: readonly PyStatement[]): boolean => {
  const last = statements.at(-1)?.does;
  switch (last?.kind) {
    case "return":
    case "raise":
      return true;
    case "if":
      return (
        last.otherwise.length > 0 && last.branches.every(({ body }) => leaves(body)) && leaves(last.otherwise)
      );
    case "while":
      return last.test.kind === "name" && last.test.id === "True" && !breaks(last.body);
    case "try":
      return (
        leaves(last.always) || (leaves(last.body) && (last.except === undefined || leaves(last.except.body)))
      );
    default:
      return false;
  }
};

const breaks = (statements: readonly PyStatement[]): boolean =>
  statements.some(({ does }) => {
    switch (does.kind) {
      case "break":
        return true;
      case "if":
        return does.branches.some(({ body }) => breaks(body)) || breaks(does.otherwise);
      case "try":
        return breaks(does.body) || breaks(does.except?.body ?? []) || breaks(does.always);
      default:
        return false;
    }
  });
