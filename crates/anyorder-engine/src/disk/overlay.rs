//! A private layer over the directories that tests write to: overlayfs in a mount namespace.
//!
//! The keeper makes the first layer, in which the framework collects. Every fork makes another above its parent's (the
//! agent does that, because only the child itself can). What is written goes to a file system in memory that vanishes
//! with the last process that sees it.

use std::ffi::CString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
};
use rustix::process::{getgid, getuid};
use rustix::thread::{
    CapabilitySet, UnshareFlags, capabilities, configure_capability_in_ambient_set, set_capabilities,
    unshare_unsafe,
};
use serde::{Deserialize, Serialize};

use super::change::Kept;
use super::{Site, roots};
use crate::error::EngineError;

/// What keeper and agent have to know to make a layer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Layers {
    /// Where the layers' own file systems are mounted, one directory for each depth; `lowN` is the N-th root as it was.
    base: PathBuf,
    /// The directories that get layers, outer ones first.
    roots: Vec<PathBuf>,
    /// What stays visible as it is inside them.
    shown: Vec<PathBuf>,
    /// Whether this takes a user namespace; overlays in one need an option of their own.
    in_user_namespace: bool,
    /// How many bytes a layer may hold.
    size: u64,
    /// A list of files that the first layer has, if there are any.
    changes: Option<PathBuf>,
}

/// More layers than this are never above each other.
pub(crate) const DEEPEST: usize = 80;

impl Layers {
    /// Layers for the suite at `site`; its scratch stays shared. A path with these characters cannot be told to overlayfs.
    pub(super) fn plan(site: Site<'_>) -> io::Result<Self> {
        let base = site.scratch.join("disk");
        if base.to_str().is_none_or(|path| path.contains([':', ',', '\\'])) {
            return Err(io::Error::other(
                "the temporary directory's path has a comma, a colon or a backslash",
            ));
        }
        fs::create_dir(&base)?;
        let roots = roots::roots(site.project);
        let shown = roots::shown_through(&roots, site.scratch, site.kept);
        Ok(Layers { base, roots, shown, in_user_namespace: false, size: site.size, changes: None })
    }

    /// The same, for a user who may not mount file systems.
    pub(crate) fn in_user_namespace(&self) -> Self {
        Layers { in_user_namespace: true, ..self.clone() }
    }

    /// The directory with layers that a path is in; the path itself if there is none.
    pub(super) fn outermost(&self, path: &Path) -> PathBuf {
        self.roots.iter().find(|root| path.starts_with(root)).cloned().unwrap_or_else(|| path.to_owned())
    }

    /// From now on the first layer has these files; `list` is where the keeper finds them.
    pub(super) fn show(&mut self, kept: &[Kept], list: &Path) -> Result<(), EngineError> {
        let is_shown = |file: &&Kept| self.shown.iter().any(|shown| file.path.starts_with(shown));
        if let Some(file) = kept.iter().find(is_shown) {
            return Err(file.refused("no layer is over it, because it is on a file system of its own"));
        }
        let listed = serde_json::to_vec(kept).map_err(|error| EngineError::Scratch(error.into()))?;
        fs::write(list, listed).map_err(EngineError::Scratch)?;
        self.changes = Some(list.to_owned());
        Ok(())
    }

    /// Leaves the disk that everybody sees, for good; this process must have no other threads. With `may_nest`, the
    /// program that it starts may add layers.
    pub(crate) fn enter(&self, may_nest: bool) -> io::Result<()> {
        leave_namespaces(self.in_user_namespace)?;
        mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
        memory(&self.base, 64 << 20)?;
        for depth in 0..=DEEPEST {
            private_directory(&self.base.join(depth.to_string()))?;
        }
        for (number, root) in self.roots.iter().enumerate() {
            private_directory(&self.low(number))?;
            mount_bind(root, self.low(number))?;
        }
        self.first_layer()?;
        self.change_files()?;
        if may_nest && self.in_user_namespace { keep_the_right_to_mount() } else { Ok(()) }
    }

    fn low(&self, number: usize) -> PathBuf {
        self.base.join(format!("low{number}"))
    }

    fn first_layer(&self) -> io::Result<()> {
        let shown: Vec<(&PathBuf, OwnedFd)> =
            self.shown.iter().filter_map(|path| Some((path, handle(path)?))).collect();
        let layer = self.base.join("0");
        memory(&layer, self.size)?;
        for (number, root) in self.roots.iter().enumerate() {
            let (upper, work) = (layer.join(format!("u{number}")), layer.join(format!("w{number}")));
            directory_like(&upper, root)?;
            private_directory(&work)?;
            // Without the second, a directory of the layers below cannot be renamed; user namespaces do not have it.
            let extra = if self.in_user_namespace { "userxattr," } else { "redirect_dir=on," };
            let (low, upper, work) = (self.low(number), upper, work);
            let options = format!(
                "{extra}lowerdir={},upperdir={},workdir={}",
                low.display(),
                upper.display(),
                work.display()
            );
            let options = CString::new(options)?;
            mount("overlay", root, "overlay", MountFlags::empty(), options.as_c_str())?;
            // At once, because the layers' own file systems may be among them, and the next root needs those.
            for (path, handle) in shown.iter().filter(|(path, _)| self.innermost(path) == Some(root)) {
                // What has gone meanwhile need not be shown.
                let _ = mount_bind_recursive(format!("/proc/self/fd/{}", handle.as_raw_fd()), *path);
            }
        }
        Ok(())
    }

    fn change_files(&self) -> io::Result<()> {
        let Some(list) = &self.changes else { return Ok(()) };
        let kept: Vec<Kept> = serde_json::from_slice(&fs::read(list)?)?;
        kept.iter().try_for_each(Kept::write)
    }

    /// The root that `path` is in; roots may be inside others.
    fn innermost(&self, path: &Path) -> Option<&PathBuf> {
        self.roots.iter().filter(|root| path.starts_with(root)).max_by_key(|root| root.as_os_str().len())
    }

    /// Does what tests do, and sees whether it works: some file systems cannot be under a layer.
    pub(crate) fn try_out(&self) -> io::Result<()> {
        for root in &self.roots {
            let directory = root.join(format!("anyorder-try-{}", std::process::id()));
            for _ in 0..2 {
                fs::create_dir(&directory)?;
                fs::write(directory.join("file"), "text")?;
                fs::remove_dir_all(&directory)?;
            }
        }
        Ok(())
    }
}

/// What is at `path` now, whatever is mounted over it later.
fn handle(path: &Path) -> Option<OwnedFd> {
    rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// Gets this process a view of mounts that nobody else has.
#[expect(unsafe_code, reason = "the descriptor table, which makes this call unsafe, stays shared")]
fn leave_namespaces(user_too: bool) -> io::Result<()> {
    let (uid, gid) = (getuid().as_raw(), getgid().as_raw());
    let flags = if user_too { UnshareFlags::NEWUSER | UnshareFlags::NEWNS } else { UnshareFlags::NEWNS };
    // SAFETY: `UnshareFlags::FILES` is not among the flags.
    unsafe { unshare_unsafe(flags) }?;
    if user_too {
        // Each user stays who he is.
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))?;
    }
    Ok(())
}

/// A program that is started loses the rights that a new user namespace gave, but for these: to mount, and to look into
/// what overlayfs keeps for itself. The agent lays them aside until it needs them.
fn keep_the_right_to_mount() -> io::Result<()> {
    let kept = [CapabilitySet::SYS_ADMIN, CapabilitySet::DAC_OVERRIDE];
    let mut rights = capabilities(None)?;
    rights.inheritable |= kept[0] | kept[1];
    set_capabilities(None, rights)?;
    for right in kept {
        configure_capability_in_ambient_set(right, true)?;
    }
    Ok(())
}

fn memory(at: &Path, size: u64) -> io::Result<()> {
    let options = CString::new(format!("size={size},mode=700"))?;
    Ok(mount("tmpfs", at, "tmpfs", MountFlags::empty(), options.as_c_str())?)
}

fn private_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// An empty directory that looks like `model` from outside: a layer's top is what users of the root see.
fn directory_like(path: &Path, model: &Path) -> io::Result<()> {
    let model = fs::metadata(model)?;
    private_directory(path)?;
    // In a user namespace only this user exists.
    let _ = std::os::unix::fs::chown(path, Some(model.uid()), Some(model.gid()));
    fs::set_permissions(path, fs::Permissions::from_mode(model.mode() & 0o7777))
}
