"""The functions of the reference as source text: which of them an edit changes, and their probes.

A nested function belongs to the outermost one around it, and a method counts as a function.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
PROBE = "__probe__"
"""The name of what an instrumented function calls first, with its own name."""
CACHES = frozenset({"cache", "lru_cache", "cached_property"})


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> frozenset[str] | None:
    """The functions that behave otherwise in the edited modules; None: nobody can tell.

    `before` has the sources of all modules by name, `after` those of the edited ones. A function
    is `module:name` or `module:Class.name`. One that mentions a changed constant, import or
    signature counts as changed; whatever else is changed in a module or class may concern all.
    """
    bodies: set[str] = set()
    names: set[str] = set()
    for module, text in after.items():
        old, new = _functions(module, before[module]), _functions(module, text)
        bodies |= {name for name in old if name in new and _body(old[name]) != _body(new[name])}
        bound = _changed_names(before[module], text)
        if bound is None:
            return None
        names |= bound
    mentioning = _mentioning(before, names)
    return None if mentioning is None else frozenset(bodies | mentioning)


def cached(module: str, text: str) -> frozenset[str]:
    """The functions that run once, so that it does not matter which request needs them first."""
    functions = _functions(module, text).items()
    return frozenset(name for name, node in functions if CACHES & set(_decorators(node)))


def with_probes(module: str, text: str) -> ast.Module:
    """The module with a call of the probe at the beginning of each function."""
    tree = ast.parse(text)
    for name, node in _found(module, tree):
        call = ast.parse(f"{PROBE}({name!r})").body[0]
        node.body.insert(1 if ast.get_docstring(node) else 0, ast.copy_location(call, node))
    return ast.fix_missing_locations(tree)


@cache
def _functions(module: str, text: str) -> dict[str, FunctionNode]:
    return dict(_found(module, ast.parse(text)))


def _found(module: str, tree: ast.Module) -> Iterator[tuple[str, FunctionNode]]:
    for node in tree.body:
        if isinstance(node, FunctionNode):
            yield f"{module}:{node.name}", node
        elif isinstance(node, ast.ClassDef):
            methods = (each for each in node.body if isinstance(each, FunctionNode))
            yield from ((f"{module}:{node.name}.{each.name}", each) for each in methods)


def _body(function: FunctionNode) -> list[str]:
    return [ast.dump(statement) for statement in function.body]


def _decorators(function: FunctionNode) -> Iterator[str]:
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Name):
            yield called.id


def _changed_names(before: str, after: str) -> frozenset[str] | None:
    """What the statements bind that differ outside of the bodies of functions; None: no names."""
    old, new = _statements(before), _statements(after)
    names: set[str] = set()
    for statement in old.keys() ^ new.keys():
        bound = _bound(old.get(statement) or new[statement])
        if not bound:
            return None
        names |= bound
    return frozenset(names)


@cache
def _statements(text: str) -> dict[str, ast.stmt]:
    """The statements of a module by what they say, without the bodies of functions."""
    tree = ast.parse(text)
    for _, node in _found("", tree):
        node.body = []
    return {ast.dump(statement): statement for statement in tree.body}


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement binds; none where it does more, as a class does."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return {statement.name}
        case ast.Assign():
            names = {each.id for each in statement.targets if isinstance(each, ast.Name)}
            return names if len(names) == len(statement.targets) else set()
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case ast.Import() | ast.ImportFrom():
            return {alias.asname or alias.name.split(".")[0] for alias in statement.names}
    return set()


def _mentioning(sources: Mapping[str, str], names: set[str]) -> frozenset[str] | None:
    """The functions that mention one of these names; None where a class or an alias does.

    A statement that binds a name by one of these passes the change on.
    """
    if not names:
        return frozenset()
    known = set(names)
    while True:
        further: set[str] = set()
        for text in sources.values():
            for statement in _statements(text).values():
                if not known & _mentioned([statement]):
                    continue
                bound = _bound(statement)
                if not bound:
                    return None
                further |= bound
        if further <= known:
            break
        known |= further
    return frozenset(
        name
        for module, text in sources.items()
        for name, node in _functions(module, text).items()
        if known & _mentioned([node])
    )


def _mentioned(nodes: Iterable[ast.AST]) -> set[str]:
    """The identifiers in these nodes."""
    found: set[str] = set()
    for node in (each for root in nodes for each in ast.walk(root)):
        match node:
            case ast.Name():
                found.add(node.id)
            case ast.Attribute():
                found.add(node.attr)
            case ast.alias(asname=str()):
                found.add(node.name)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found.add(node.name)
    return found
