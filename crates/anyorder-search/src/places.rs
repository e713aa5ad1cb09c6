//! Places: the cells of one container are one place.

use anyorder_model::{Cell, CellKind};

/// Where a cell is, as far as code can name it: an item is in its outermost container.
pub(crate) fn place(cell: &Cell) -> &str {
    match cell.kind {
        CellKind::Item => cell.path.split_once('[').map_or(cell.path.as_str(), |(container, _)| container),
        _ => &cell.path,
    }
}
