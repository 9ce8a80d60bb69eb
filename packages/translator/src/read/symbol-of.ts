import { ts } from "ts-morph";

/** The symbol of a name, in the module that declares it. */
export const symbolOf = (checker: ts.TypeChecker, node: ts.Node): ts.Symbol | undefined => {
  const symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  return symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias
    ? checker.getAliasedSymbol(symbol)
    : symbol;
};
