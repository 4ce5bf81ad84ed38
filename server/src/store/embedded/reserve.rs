//! Disk space that is kept back, so that a full disk still takes reports.
//!
//! Once the disk was full, nothing new is begun until the reserve and some room beside it are back.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::{
    fs::{FallocateFlags, fallocate},
    io::Errno,
};

/// The reserve, and whether the disk was found full.
#[derive(Debug)]
pub(super) struct Reserve {
    path: PathBuf,
    bytes: u64,
    reached: Arc<AtomicBool>,
}

impl Reserve {
    /// Keeps `bytes` back if they are there; else the disk counts as full from the start.
    pub(super) fn keep(path: PathBuf, bytes: u64) -> Self {
        let mut reserve = Self { path, bytes, reached: Arc::new(AtomicBool::new(true)) };
        reserve.restore();
        reserve
    }

    /// The disk was found full: nothing new is to be begun.
    pub(super) fn is_reached(&self) -> bool {
        self.reached.load(Ordering::Acquire)
    }

    /// The same, for others to watch.
    pub(super) fn reached(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.reached)
    }

    /// Notes that the disk is full.
    pub(super) fn reach(&mut self) {
        self.reached.store(true, Ordering::Release);
    }

    /// Gives the space away.
    pub(super) fn release(&mut self) {
        self.reach();
        if let Err(cause) = fs::remove_file(&self.path)
            && cause.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%cause, "the disk reserve cannot be given away");
        }
    }

    /// Takes the space back if it is there, with an eighth to spare.
    pub(super) fn restore(&mut self) {
        if !self.is_reached() {
            return;
        }
        match fill(&self.path, self.bytes) {
            Ok(()) => self.reached.store(false, Ordering::Release),
            Err(cause) => tracing::warn!(%cause, "no grants: the disk reserve is not there"),
        }
    }
}

fn fill(path: &Path, bytes: u64) -> io::Result<()> {
    let file = File::options().create(true).truncate(false).write(true).open(path)?;
    if bytes > 0 {
        allocate(&file, bytes + bytes / 8)?;
    }
    file.set_len(bytes)
}

fn allocate(mut file: &File, bytes: u64) -> io::Result<()> {
    match fallocate(file.as_fd(), FallocateFlags::empty(), 0, bytes) {
        Err(Errno::OPNOTSUPP) => {
            let zeros = vec![0; 1 << 20];
            for _ in 0..bytes.div_ceil(1 << 20) {
                file.write_all(&zeros)?;
            }
            file.sync_all()
        }
        done => Ok(done?),
    }
}
