//! Definitions that do nothing when they run but bind a name.

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_expr};
use ruff_python_ast::{self as ast, Expr, Stmt, StmtFunctionDef};

use super::mentions::dotted;

/// Decorators, by their last name, that tell nobody of the function that they decorate.
const QUIET_DECORATORS: [&str; 18] = [
    "abstractmethod",
    "asynccontextmanager",
    "cache",
    "cached_property",
    "classmethod",
    "contextmanager",
    "deleter",
    "final",
    "fixture",
    "getter",
    "lru_cache",
    "overload",
    "override",
    "property",
    "setter",
    "staticmethod",
    "wraps",
    "yield_fixture",
];
/// Functions that can be called without anybody noticing.
const QUIET_CALLS: [&str; 16] = [
    "bytes",
    "dict",
    "enumerate",
    "float",
    "frozenset",
    "int",
    "len",
    "list",
    "object",
    "pytest.param",
    "range",
    "set",
    "sorted",
    "str",
    "tuple",
    "zip",
];
/// Methods and functions by these names are called by frameworks; names of Python's own are too.
const UNASKED: [&str; 6] = ["pytest_", "setup", "teardown", "setUp", "tearDown", "asyncSetUp"];

/// Whether decorators, defaults and annotations do nothing by themselves.
pub(super) fn is_inert_header(function: &StmtFunctionDef) -> bool {
    let mut parameters = Calls::default();
    parameters.visit_parameters(&function.parameters);
    let mut decorators = function.decorator_list.iter().map(|decorator| &decorator.expression);
    decorators.all(is_quiet_decorator) && !parameters.has_loud
}

/// Whether code is run by its name alone, without being mentioned anywhere.
pub(super) fn is_run_unasked(name: &str) -> bool {
    UNASKED.iter().any(|start| name.starts_with(start)) || name.starts_with("__") && name.ends_with("__")
}

/// The name in `NAME = value`, with a value that is written down there.
pub(super) fn constant(statement: &Stmt) -> Option<String> {
    let (target, value) = match statement {
        Stmt::Assign(it) if it.targets.len() == 1 => (&it.targets[0], &*it.value),
        Stmt::AnnAssign(ast::StmtAnnAssign { target, value: Some(value), .. }) => (&**target, &**value),
        _ => return None,
    };
    let Expr::Name(name) = target else { return None };
    let is_special = name.id.starts_with("__") || name.id.starts_with("pytest");
    (!is_special && is_literal(value)).then(|| name.id.to_string())
}

fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Tuple(it) => it.elts.iter().all(is_literal),
        Expr::List(it) => it.elts.iter().all(is_literal),
        Expr::Set(it) => it.elts.iter().all(is_literal),
        Expr::Dict(it) => {
            it.items.iter().all(|item| item.key.as_ref().is_some_and(is_literal) && is_literal(&item.value))
        }
        Expr::UnaryOp(it) => is_literal(&it.operand),
        _ => expression.is_literal_expr(),
    }
}

/// Whether a decorator tells nobody of the function, and its arguments do nothing by themselves.
pub(super) fn is_quiet_decorator(decorator: &Expr) -> bool {
    let (named, arguments) = match decorator {
        Expr::Call(call) => (&*call.func, Some(&call.arguments)),
        _ => (decorator, None),
    };
    let Some(name) = dotted(named) else { return false };
    let is_mark = name.starts_with("pytest.mark.");
    let is_known = name.rsplit('.').next().is_some_and(|last| QUIET_DECORATORS.contains(&last));
    (is_mark || is_known)
        && arguments.is_none_or(|arguments| {
            let mut calls = Calls::default();
            calls.visit_arguments(arguments);
            !calls.has_loud && !is_elsewhere(arguments)
        })
}

/// A fixture for all tests, or in place of one with another name than its own.
pub(super) fn is_elsewhere(arguments: &ast::Arguments) -> bool {
    arguments.keywords.iter().any(|keyword| matches!(keyword.arg.as_deref(), Some("autouse" | "name")))
}

/// Whether a function can be called without anybody noticing.
pub(super) fn is_known_call(name: &str) -> bool {
    QUIET_CALLS.contains(&name) || name.starts_with("pytest.mark.")
}

/// Looks for calls that somebody may notice.
#[derive(Default)]
struct Calls {
    has_loud: bool,
}

impl<'a> SourceOrderVisitor<'a> for Calls {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => {
                self.has_loud |= !dotted(&call.func).is_some_and(|name| is_known_call(&name));
            }
            Expr::Lambda(_) => return,
            Expr::Named(_) | Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_) => self.has_loud = true,
            _ => {}
        }
        walk_expr(self, expression);
    }
}
