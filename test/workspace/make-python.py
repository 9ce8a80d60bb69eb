"""Turns the Python sources of the workspace into the TypeScript modules that emit them: `npm run python`.

`--check` writes nothing and fails when a module differs from its sources.

A source that begins with `import template` is a template. It is ordinary Python that uses values of `template`, which are known when it is emitted:

    STEP = template.step                                # is replaced by a text; as a statement, by whole lines
    if template.prefix:                                 # one branch is kept and dedented; also `not template.x` and `elif`
        PREFIX = template.prefix
    n = len(row) + 1 if template.adds else len(row)     # the same for an expression
    with template.imports:                              # a text replaces the block, which is only for linters
        import json
    @template.hold_errors(hold_errors)                  # the decorator `@hold_errors` is kept or left out
    from shared import InvalidRequest                   # the definition in shared.py replaces its import

TypeScript fills a template in with `printPython(tokenizerTemplate, { step, prefix, … })`, which type-checks the names. A block that is left
out and has blank lines above and below takes the blank lines above with it.

A source without `import template` can be emitted as it is: it becomes one text.

The support code of translated functions has no templates: each definition becomes an entry with the definitions and modules that it uses.
"""

import ast
import json
import re
import symtable
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = {
    "packages/compiler/src/generated/python.ts": (
        "../python-template.ts",
        [
            "packages/compiler/python/tokenizer.py",
            "packages/compiler/python/detokenizer.py",
            "packages/compiler/python/collate.py",
            "packages/compiler/python/function.py",
            "packages/compiler/python/node.py",
            "packages/compiler/python/chain.py",
            "packages/generation/python/model.py",
            "packages/generation/python/rows.py",
            "packages/generation/python/decoding.py",
            "packages/generation/python/sessions.py",
            "packages/generation/python/stream.py",
            "packages/generation/python/loop.py",
            "packages/generation/python/answers.py",
            "packages/generation/python/pieces.py",
        ],
    ),
    "packages/cli/src/generated/python.ts": (
        "@tritype/compiler",
        ["packages/cli/python/model.py", "packages/cli/python/triton_python_backend_utils.pyi"],
    ),
}
# Files without parts that only the build knows.
TEXTS = {"packages/deploy/src/generated/python.ts": ["packages/deploy/python/smoke.py"]}
# Support code of translated functions, in the order in which it is emitted.
SUPPORT = {
    "packages/translator/src/generated/support.ts": [
        f"packages/translator/python/support/{name}.py"
        for name in (
            "values",
            "units",
            "strings",
            "number_text",
            "numbers",
            "bigints",
            "arrays",
            "sorting",
            "records",
            "encoding",
            "json_text",
            "unicode_text",
        )
    ]
}
SHARED = "packages/compiler/python/shared.py"


class Source:
    """A file as bytes, because `ast` counts offsets in bytes."""

    def __init__(self, path):
        self.path = path
        self.bytes = (ROOT / path).read_bytes()
        self.tree = ast.parse(self.bytes, path)
        self.starts = [0, *(found.end() for found in re.finditer(b"\n", self.bytes))]

    def line(self, number):
        return self.bytes[self.starts[number - 1] : self.starts[number]].decode()

    def start(self, node):
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def fail(self, node, text):
        sys.exit(f"{self.path}:{node.lineno}: {text}")


def first_line(node):
    """The first line of a statement, including its decorators."""
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])


class Template:
    """The parts of a source with `import template`: text, and parts that only the build knows."""

    def __init__(self, source):
        self.source = source
        self.conditions = set()
        self.values = set()

    def parts(self):
        start = [node for node in self.source.tree.body if isinstance(node, ast.Import) and node.names[0].name == "template"]
        if not start:
            return [self.source.bytes.decode()]
        first = start[0].end_lineno + 1
        while not self.source.line(first).strip():
            first += 1
        return self.block(first, len(self.source.starts) - 1, self.source.tree.body, 0)

    def block(self, first, last, statements, dedent):
        """Adds whole lines."""
        edits = []
        for statement in statements:
            if first <= statement.lineno <= last:
                self.collect(statement, edits, dedent)
        return self.between(self.source.starts[first - 1], self.source.starts[last], edits, dedent)

    def between(self, start, end, edits, dedent):
        parts = []
        for edit_start, edit_end, part in sorted(edits, key=lambda edit: edit[0]):
            parts += self.text(start, edit_start, dedent)
            parts += part
            start = edit_end
        return join_texts(parts + self.text(start, end, dedent))

    def text(self, start, end, dedent):
        """Adds source text, dedented by that many columns."""
        text = self.source.bytes[start:end].decode()
        if dedent:
            at_line = start == 0 or self.source.bytes[start - 1 : start] == b"\n"
            line_start = "(?m)^" if at_line else "(?<=\n)"
            text = re.sub(line_start + " " * dedent, "", text)
        return [text] if text else []

    def collect(self, node, edits, dedent):
        """The parts of a node that are replaced."""
        edit = self.edit(node, dedent)
        if edit is not None:
            edits.append(edit)
            return
        if isinstance(node, ast.JoinedStr):  # Python before 3.12 does not give the positions of its parts.
            if any(name_of(inner) for inner in ast.walk(node)):
                self.source.fail(node, "`template` within an f-string")
            return
        for child in ast.iter_child_nodes(node):
            if child in getattr(node, "decorator_list", []) and isinstance(child, ast.Call) and name_of(child.func):
                edits.append(self.decorator(child, dedent))
            else:
                self.collect(child, edits, dedent)

    def edit(self, node, dedent):
        if isinstance(node, ast.If) and condition_of(node.test):
            return self.choice(node, dedent)
        if isinstance(node, ast.With) and name_of(node.items[0].context_expr):
            return self.lines(node, name_of(node.items[0].context_expr), dedent)
        if isinstance(node, ast.Expr) and name_of(node.value):
            return self.lines(node, name_of(node.value), dedent)
        if isinstance(node, ast.ImportFrom) and node.module == "shared":
            return self.shared(node, dedent)
        if isinstance(node, ast.IfExp) and condition_of(node.test):
            then, other = (self.expression(each, dedent) for each in (node.body, node.orelse))
            return self.source.start(node), self.source.end(node), [self.chosen(node.test, then, other)]
        if name_of(node):
            self.values.add(name_of(node))
            return self.source.start(node), self.source.end(node), [{"given": camel(name_of(node))}]
        return None

    def decorator(self, node, dedent):
        """Keeps the line `@template.x(decorator)` as `@decorator`."""
        kept = f"{' ' * (node.col_offset - 1 - dedent)}@{node.args[0].id}\n"
        return self.source.starts[node.lineno - 1], self.source.starts[node.end_lineno], [self.chosen(node.func, [kept], [])]

    def expression(self, node, dedent):
        edits = []
        self.collect(node, edits, dedent)
        return self.between(self.source.start(node), self.source.end(node), edits, dedent)

    def choice(self, node, dedent):
        """Keeps one block of `if template.x:`. If it is left out and has blank lines on both sides, those above it are left out, too."""
        above = node.lineno
        if node.end_lineno + 1 >= len(self.source.starts) or not self.source.line(node.end_lineno + 1).strip():
            while not self.source.line(above - 1).strip():
                above -= 1
        blank = ["\n" * (node.lineno - above)] if above < node.lineno else []
        then, other = self.branches(node, dedent, blank)
        return self.source.starts[above - 1], self.source.starts[node.end_lineno], [self.chosen(node.test, then, other)]

    def branches(self, node, dedent, blank):
        last = node.end_lineno
        other = []
        if node.orelse:
            follower = node.orelse[0]
            is_elif = isinstance(follower, ast.If) and self.source.line(follower.lineno).strip().startswith("elif ")
            head = follower.lineno if is_elif else first_line(follower)
            while not re.match(r"(?:else:|elif )", self.source.line(head).strip()):
                head -= 1
            if is_elif:
                then_of, other_of = self.branches(follower, dedent, blank)
                other = [self.chosen(follower.test, then_of, other_of)]
            else:
                other = self.inner(head + 1, last, node.orelse, dedent, blank)
            last = head - 1
        return self.inner(node.lineno + 1, last, node.body, dedent, blank), other

    def inner(self, first, last, statements, dedent, blank):
        while not self.source.line(first).strip():
            first += 1
        while not self.source.line(last).strip():
            last -= 1
        return join_texts(blank + self.block(first, last, statements, dedent + 4))

    def lines(self, node, name, dedent):
        """Replaces a statement `template.x`, or `with template.x:` and its block, which is only for linters."""
        self.values.add(name)
        part = {"given": camel(name), "indent": node.col_offset - dedent}
        return self.source.starts[node.lineno - 1], self.source.starts[node.end_lineno], [part]

    def shared(self, node, dedent):
        """Replaces an import from the shared file by the definitions."""
        if node.col_offset != dedent:
            self.source.fail(node, "a shared definition can only be at the outermost level")
        source = Source(SHARED)
        found = {each.name: each for each in source.tree.body if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
        nodes = [found[alias.name] for alias in node.names]
        text = "\n\n".join(
            source.bytes[source.starts[first_line(each) - 1] : source.starts[each.end_lineno]].decode() for each in nodes
        )
        return self.source.starts[node.lineno - 1], self.source.starts[node.end_lineno], [text]

    def chosen(self, test, then, other):
        name, holds = condition_of(test)
        self.conditions.add(name)
        return {"if": camel(name), "then": then if holds else other, "else": other if holds else then}

    def type(self):
        names = sorted({*self.conditions, *self.values}, key=camel)
        if not names:
            return "Record<never, never>"
        return "{\n" + "".join(f"  readonly {camel(name)}: {self.type_of(name)};\n" for name in names) + "}"

    def type_of(self, name):
        if name not in self.values:
            return "boolean"
        return "string | undefined" if name in self.conditions else "string"


def name_of(node):
    """The name x of `template.x`."""
    is_template = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "template"
    return node.attr if is_template else None


def condition_of(test):
    """The name x of `template.x` or `not template.x`, and whether it must hold."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return (name_of(test.operand), False) if name_of(test.operand) else None
    return (name_of(test), True) if name_of(test) else None


def camel(name):
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def join_texts(parts):
    """Joins adjacent texts."""
    joined = []
    for part in parts:
        if joined and isinstance(part, str) and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def print_parts(parts, indent):
    lines = []
    for part in parts:
        if isinstance(part, str):
            lines += [f"{indent}{quote(line)}," for line in part.splitlines(keepends=True)]
        elif "given" in part:
            fields = [f"given: {quote(part['given'])}", *([f"indent: {part['indent']}"] if "indent" in part else [])]
            lines.append(f"{indent}{{ {', '.join(fields)} }},")
        else:
            lines += [f"{indent}{{", f"{indent}  if: {quote(part['if'])},"]
            for key in ("then", "else"):
                inner = print_parts(part[key], indent + "    ")
                lines += [f"{indent}  {key}: [", *inner, f"{indent}  ],"] if inner else [f"{indent}  {key}: [],"]
            lines.append(f"{indent}}},")
    return lines


def quote(text):
    return json.dumps(text, ensure_ascii=False)


def heading(*paths):
    return f"// Made by test/workspace/make-python.py from {' and '.join(paths)}: change those, then `npm run python`."


def folders(paths):
    return sorted({str(Path(path).parent) for path in paths})


def templates_module(types, paths):
    lines = [heading(*folders(paths)), f'import type {{ PythonTemplate }} from "{types}";']
    for path in paths:
        source = Source(path)
        template = Template(source)
        parts = template.parts()
        lines += ["", f"/** {path} */"]
        lines.append(f"export const {camel(Path(path).stem)}Template: PythonTemplate<{template.type()}> = [")
        lines += [*print_parts(parts, "  "), "];"]
    return "\n".join([*lines, ""])


def texts_module(paths):
    lines = [heading(*folders(paths))]
    for path in paths:
        text = (ROOT / path).read_text("utf-8")
        lines += ["", f"/** {path} */", f"export const {camel(Path(path).stem)}Script: string = ["]
        lines += [*(f"  {quote(line)}," for line in text.split("\n")), '].join("\\n");']
    return "\n".join([*lines, ""])


def support_module(paths):
    lines = [heading(*folders(paths)), 'import type { SupportPieces } from "../support/support-piece.ts";', ""]
    lines += ["/** Every definition of the support code, in the order in which it is emitted. */"]
    lines += ["export const supportPieces: SupportPieces = {"]
    for path in paths:
        for name, needs, imports, text in pieces_of(Source(path)):
            lines.append(f"  {name}: {{")
            lines += [f"    needs: {quote(needs)},"] if needs else []
            lines += [f"    imports: {quote(imports)},"] if imports else []
            lines += ["    text: [", *(f"      {quote(line)}," for line in text.split("\n")), '    ].join("\\n"),', "  },"]
    return "\n".join([*lines, "};", ""])


def pieces_of(source):
    """The name, needed pieces, modules and text of every definition. A constant made from the class above it belongs to that class."""
    modules, pieces = {}, set()
    body = [node for node in source.tree.body if not isinstance(node, ast.Expr)]
    for node in body:
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0]: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            pieces |= {alias.name for alias in node.names}
        else:
            pieces.add(defined(node))
    definitions = [node for node in body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    found = []
    for node, following in zip(definitions, [*definitions[1:], None]):
        value = getattr(node, "value", None)
        of = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None
        if found and of == found[-1][0]:
            first = found.pop()[2]
        else:
            first = first_line(node)
        found.append((defined(node), node, first))
    for name, node, first in found:
        text = source.bytes[source.starts[first - 1] : source.end(node)].decode()
        free = global_names(text)
        yield (
            name,
            sorted(free & pieces),
            sorted(modules[module] for module in free & modules.keys()),
            text,
        )


def defined(node):
    return node.targets[0].id if isinstance(node, ast.Assign) else node.name


def global_names(text):
    """Names that a text uses but does not define."""
    top = symtable.symtable(text, "piece", "exec")
    names, tables = set(), [top]
    for table in tables:
        tables += table.get_children()
        names |= {each.get_name() for each in table.get_symbols() if (each.is_global() or table is top) and each.is_referenced()}
    return names - {each.get_name() for each in top.get_symbols() if each.is_assigned() or each.is_namespace()}


def main():
    made = {path: templates_module(*of) for path, of in TEMPLATES.items()}
    made |= {path: texts_module(paths) for path, paths in TEXTS.items()}
    made |= {path: support_module(paths) for path, paths in SUPPORT.items()}
    stale = [path for path, text in made.items() if not (ROOT / path).exists() or (ROOT / path).read_text("utf-8") != text]
    if "--check" in sys.argv:
        sys.exit("".join(f"{path} differs from its Python: npm run python\n" for path in stale) if stale else 0)
    for path in stale:
        (ROOT / path).parent.mkdir(exist_ok=True)
        (ROOT / path).write_text(made[path], "utf-8")
        print(path)


if __name__ == "__main__":
    main()
