/**
 * Names for the user's constants and functions that Python or the code around the function also uses.
 */
export const hostileNames: readonly string[] = `
set map zip str dict list sum len range type sorted float int any all min max abs next enumerate filter iter repr chr ord tuple
frozenset bool print id hash round reversed callable isinstance bytes memoryview object slice format pow divmod vars getattr
property open input compile Exception ValueError KeyError OverflowError ZeroDivisionError self row rows results given name error
json math re functools struct decimal unicodedata signal traceback threading np pb_utils Path STEP INPUTS OUTPUTS LINES read write
answer respond hold told value_json VALUE_KEYS PATTERN_1 Undefined Thrown EngineError NotPortable caught is_missing present raised
at put cut prop keys key entries string number truthy same stringify quote parse by sort join units points div rem fround unused_
t_ x i k v step_ item_ items`
  .trim()
  .split(/\s+/);
