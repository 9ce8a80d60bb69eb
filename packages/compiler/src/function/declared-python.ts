/** Holds the names of what a function returned against its declaration: part of every emitted `model.py`. */
export const declaredPython = `\
def declared(row, result):
    """The function returns every output that the step declares, and nothing else."""
    for name in OUTPUTS:
        if result.get(name, undefined) is undefined:
            raise InvalidResult(f"{row}output {name} is missing")
    for name in sorted(result.keys() - OUTPUTS.keys()):
        if result[name] is not undefined:
            raise InvalidResult(f"{row}output {name} is not declared")
    return result


`;
