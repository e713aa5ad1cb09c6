//! Candidates for suites in Python.
//!
//! Knows how people write tests for pytest and unittest. Does not know how files are parsed, nor whether anything helps.

mod callable;
mod fixture;
mod helpers;
mod initial;
mod keep;
mod local;
mod matter;
mod mutate;
mod names;
mod near;
mod opened;
mod opposite;
mod paths;
mod place;
mod process;
mod recipe;
mod registered;
mod reset;
mod restore;
mod rewrite;
mod sets;
mod setup;
mod site;
mod text;
mod undo;
mod value;
mod weaker;

use anyorder_model::{About, Halted, Order, Treatment};

use crate::candidate::Candidate;
use crate::problem::Problem;
use crate::workshop::{Tree, Workshop};
use matter::Matter;
pub(crate) use mutate::mutated;
use site::Site;
pub(crate) use weaker::is_weaker;

/// The candidates of one stage, best first.
pub(crate) fn candidates(
    stage: usize,
    workshop: &mut dyn Workshop,
    tree: &Tree<'_>,
    problem: &mut Problem,
) -> Result<Vec<Candidate>, Halted> {
    if stage == 0 {
        learn(workshop, tree, problem)?;
    }
    let suite = workshop.as_is().suite().clone();
    let matter = Matter::new(tree, &suite, problem);
    Ok(match stage {
        0 => {
            let corrected = restore::corrected(&matter).into_iter().collect();
            let setups = setup::at_setups(&matter);
            let opposite = opposite::opposite(&matter).into_iter().collect();
            let rewritten = [restore::rewritten(&matter), restore::rewritten_all(&matter)].concat();
            let in_tests =
                [corrected, rewritten, setups, opposite, opened::opened(&matter), local::local(&matter)];
            local::in_code(&matter).into_iter().chain(in_tests.into_iter().flatten()).collect()
        }
        1 => helpers::helped(workshop, &matter)?,
        2 if workshop.may_call_anything() => reset::reset(workshop, &matter)?,
        2 => vec![],
        _ if matter.problem.cells.is_empty() => vec![],
        _ if matter.problem.is_brittle() => sets::set(&matter),
        _ => {
            let in_tests = in_order(&matter, restore::kept(&matter), sets::set(&matter));
            in_tests.into_iter().chain(registered::renamed(&matter)).collect()
        }
    })
}

/// At the polluters, unless these are in more files than there are tests that suffer.
fn in_order(matter: &Matter<'_>, kept: Vec<Candidate>, set: Vec<Candidate>) -> Vec<Candidate> {
    let many = matter::files_of(matter, &matter.problem.polluters).len() > matter.problem.sufferers.len();
    if many { [set, kept].concat() } else { [kept, set].concat() }
}

/// Asks what there is to know about the cells; if nobody is known who owns them, about what a polluter's file imports.
fn learn(workshop: &mut dyn Workshop, tree: &Tree<'_>, problem: &mut Problem) -> Result<(), Halted> {
    let paths: Vec<String> = problem.cells.iter().map(|state| state.cell.clone()).collect();
    problem.abouts = told(workshop, problem, &paths)?;
    if problem.abouts.iter().any(|about| about.module.is_some() && about.file.is_some()) {
        return Ok(());
    }
    let polluter = problem.polluters.first().copied();
    let site = polluter.and_then(|test| Site::of_test(tree, workshop.as_is().suite(), test));
    let imported = site.map(|site| callable::imported(&site)).unwrap_or_default();
    let abouts = told(workshop, problem, &imported)?;
    let owners = abouts.into_iter().filter_map(|about| about.module.zip(about.file));
    problem.imported = owners.filter(|(_, file)| is_of_project_or_package(file)).collect();
    Ok(())
}

/// What the agent tells about these paths, in the state that a claim is about.
fn told(workshop: &mut dyn Workshop, problem: &Problem, about: &[String]) -> Result<Vec<About>, Halted> {
    let Some(claim) = problem.claims.first().filter(|_| !about.is_empty()) else { return Ok(vec![]) };
    let (&test, prefix) = claim.order.tests().split_last().expect("orders are not empty");
    let prefix = match problem.helpers.first() {
        Some(helper) if problem.is_brittle() => helper.tests.clone(),
        _ => prefix.to_vec(),
    };
    let treatment =
        Treatment { looks: false, about: about.to_vec(), ..Treatment::new(Order(prefix), test, vec![]) };
    let record = workshop.as_is().treat(vec![treatment])?.pop();
    let abouts = record.map(|record| record.about).unwrap_or_default();
    let one = |path: &String| abouts.iter().find(|about| about.path == *path).cloned().unwrap_or_default();
    Ok(about.iter().map(one).collect())
}

/// Python's own modules are nobody's state to reset.
pub(super) fn is_of_project_or_package(file: &str) -> bool {
    !file.starts_with('/') || file.contains("/site-packages/") || file.contains("/dist-packages/")
}
