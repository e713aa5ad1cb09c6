//! What kind of statement one is, and what it changes.

use ruff_python_ast::{self as ast, AnyNodeRef, Expr, Stmt};
use ruff_text_size::Ranged;

use super::Context;
use super::facts::{call_of, written};
use crate::{Call, How, Import, Shape, Target, Text, WithItem, Write};

pub(super) fn shape(context: &Context, statement: &Stmt) -> Shape {
    let parent = AnyNodeRef::from(statement);
    let target = |expression: &Expr| target(context, expression);
    match statement {
        Stmt::Assign(it) => Shape::Assign {
            targets: it.targets.iter().map(target).collect(),
            value: written(context, &it.value, parent),
        },
        Stmt::AnnAssign(ast::StmtAnnAssign { target: left, value: Some(value), .. }) => {
            Shape::Assign { targets: vec![target(left)], value: written(context, value, parent) }
        }
        Stmt::AugAssign(it) => Shape::AugAssign {
            target: target(&it.target),
            operator: it.op.as_str(),
            value: written(context, &it.value, parent),
        },
        Stmt::Delete(it) => Shape::Delete { targets: it.targets.iter().map(target).collect() },
        Stmt::Expr(it) => expression(context, &it.value),
        Stmt::Assert(_) => Shape::Assert,
        Stmt::Import(_) | Stmt::ImportFrom(_) => Shape::Import(imports(context, statement)),
        Stmt::With(it) => {
            Shape::With { items: it.items.iter().map(|item| with_item(context, item)).collect() }
        }
        Stmt::Return(_) => Shape::Return,
        Stmt::Raise(_) => Shape::Raise,
        Stmt::Pass(_) => Shape::Pass,
        Stmt::FunctionDef(it) => Shape::FunctionDef { name: context.text(&it.name) },
        Stmt::ClassDef(it) => Shape::ClassDef { name: context.text(&it.name) },
        Stmt::Global(it) => Shape::Global { names: it.names.iter().map(|name| context.text(name)).collect() },
        Stmt::Nonlocal(it) => {
            Shape::Global { names: it.names.iter().map(|name| context.text(name)).collect() }
        }
        Stmt::If(_) => Shape::Compound { keyword: "if" },
        Stmt::For(_) => Shape::Compound { keyword: "for" },
        Stmt::While(_) => Shape::Compound { keyword: "while" },
        Stmt::Try(_) => Shape::Compound { keyword: "try" },
        Stmt::Match(_) => Shape::Compound { keyword: "match" },
        _ => Shape::Other,
    }
}

fn expression(context: &Context, expression: &Expr) -> Shape {
    match expression {
        Expr::Call(call) => Shape::Call { call: call_of(context, call), is_awaited: false },
        Expr::Await(awaited) => match &*awaited.value {
            Expr::Call(call) => Shape::Call { call: call_of(context, call), is_awaited: true },
            _ => Shape::Other,
        },
        _ => Shape::Other,
    }
}

fn target(context: &Context, expression: &Expr) -> Target {
    // What stands before the dot or bracket, with its own parentheses.
    let before = |whole: &Expr, value: &Expr| {
        let parentheses = written(context, value, AnyNodeRef::from(whole));
        if usize::from(whole.start()) < usize::from(value.start()) {
            parentheses
        } else {
            context.text(value)
        }
    };
    match expression {
        Expr::Name(name) => Target::Name(context.text(name)),
        Expr::Attribute(it) => {
            Target::Attribute { object: before(expression, &it.value), name: context.text(&it.attr) }
        }
        Expr::Subscript(it) => Target::Item { object: before(expression, &it.value), key: key(context, it) },
        _ => Target::Other(context.text(expression)),
    }
}

/// All that stands in the brackets.
fn key(context: &Context, subscript: &ast::ExprSubscript) -> Text {
    let parent = AnyNodeRef::from(subscript);
    written(context, &subscript.slice, parent)
}

fn with_item(context: &Context, item: &ast::WithItem) -> WithItem {
    WithItem {
        context: written(context, &item.context_expr, AnyNodeRef::from(item)),
        target: item.optional_vars.as_deref().map(|target| context.text(target)),
    }
}

/// One for each name of an import.
pub(super) fn imports(context: &Context, statement: &Stmt) -> Vec<Import> {
    match statement {
        Stmt::Import(it) => it.names.iter().map(|alias| plain_import(context, it, alias)).collect(),
        Stmt::ImportFrom(it) => it.names.iter().map(|alias| import_from(context, it, alias)).collect(),
        _ => Vec::new(),
    }
}

fn plain_import(context: &Context, import: &ast::StmtImport, alias: &ast::Alias) -> Import {
    Import {
        module: alias.name.to_string(),
        name: None,
        alias: alias.asname.as_ref().map(ToString::to_string),
        level: 0,
        line: context.line(import),
        is_top_level: false,
    }
}

fn import_from(context: &Context, import: &ast::StmtImportFrom, alias: &ast::Alias) -> Import {
    Import {
        module: import.module.as_ref().map(ToString::to_string).unwrap_or_default(),
        name: Some(alias.name.to_string()),
        alias: alias.asname.as_ref().map(ToString::to_string),
        level: import.level,
        line: context.line(import),
        is_top_level: false,
    }
}

/// What a statement of a function changes beyond the function's own names.
pub(super) fn writes(shape: &Shape, calls: &[Call], outer: &[Text], line: usize) -> Vec<Write> {
    let mut writes = Vec::new();
    let mut push = |target: &Text, how: How| writes.push(Write { target: target.clone(), how, line });
    match shape {
        Shape::Assign { targets, .. } => targets.iter().for_each(|target| {
            changed(target, outer, How::Assign, How::AssignItem, &mut push);
        }),
        Shape::AugAssign { target, .. } => changed(target, outer, How::Assign, How::AssignItem, &mut push),
        Shape::Delete { targets } => targets.iter().for_each(|target| {
            changed(target, outer, How::Delete, How::DeleteItem, &mut push);
        }),
        _ => {}
    }
    for call in calls {
        if let Some((receiver, method)) = call.receiver() {
            push(&receiver, How::Call(method));
        }
    }
    writes
}

fn changed(target: &Target, outer: &[Text], whole: How, item: How, push: &mut impl FnMut(&Text, How)) {
    match target {
        Target::Name(name) if outer.contains(name) => push(name, whole),
        Target::Attribute { object, name } => push(&object.joined(name), whole),
        Target::Item { object, .. } => push(object, item),
        Target::Name(_) | Target::Other(_) => {}
    }
}
