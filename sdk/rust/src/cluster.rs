use crate::blob::{Blob, Table};
use crate::constants::*;

/// The cluster table: the origins that a router or a collector is told of, in
/// the order of their positions.
#[derive(Clone, Copy)]
pub struct Cluster<'a>(pub(crate) Blob<'a>);

impl<'a> Cluster<'a> {
    /// Reads bytes that hold a cluster table. For tests of your own.
    pub fn new(bytes: &'a [u8]) -> Self {
        Cluster(Blob(bytes))
    }

    /// The table's number: one more whenever anything of it has changed.
    pub fn generation(&self) -> u32 {
        self.0.u32(CLUSTER_GENERATION)
    }

    /// The name of the cluster.
    pub fn name(&self) -> Option<&'a [u8]> {
        self.0.bytes(CLUSTER_CLUSTER)
    }

    /// The cluster's cell.
    pub fn cell(&self) -> Option<&'a [u8]> {
        self.0.bytes(CLUSTER_CELL)
    }

    /// The entries; a later host may have longer ones.
    fn entries(&self) -> Table<'a> {
        let entry = self.0.u32(CLUSTER_ENTRY_SIZE).max(MEMBER_ENTRY);
        self.0.entries(self.0.u32(CLUSTER_COUNT), self.0.u32(CLUSTER_ENTRIES_OFF), entry)
    }

    /// How many origins there are.
    pub fn len(&self) -> usize {
        self.entries().count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The origin at a position.
    pub fn get(&self, position: usize) -> Option<Member<'a>> {
        Some(Member { blob: self.0, at: self.entries().at(position)? })
    }

    /// All origins in the order of their positions.
    pub fn iter(self) -> impl Iterator<Item = Member<'a>> {
        (0..self.len()).map_while(move |i| self.get(i))
    }

    /// The position of the first origin of a name.
    pub fn find(&self, name: &str) -> Option<u16> {
        let found = self.iter().position(|m| m.name() == Some(name.as_bytes()))?;
        u16::try_from(found).ok()
    }
}

/// An origin of the cluster table.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    blob: Blob<'a>,
    at: u32,
}

impl<'a> Member<'a> {
    /// The origin's name.
    pub fn name(&self) -> Option<&'a [u8]> {
        self.blob.bytes(self.at + MEMBER_NAME)
    }

    /// `scheme://host:port`.
    pub fn address(&self) -> Option<&'a [u8]> {
        self.blob.bytes(self.at + MEMBER_ADDRESS)
    }

    /// The machine that the origin runs on.
    pub fn host(&self) -> Option<&'a [u8]> {
        self.blob.bytes(self.at + MEMBER_HOST)
    }

    /// The origin's zone.
    pub fn zone(&self) -> Option<&'a [u8]> {
        self.blob.bytes(self.at + MEMBER_ZONE)
    }

    /// The origin's cell.
    pub fn cell(&self) -> Option<&'a [u8]> {
        self.blob.bytes(self.at + MEMBER_CELL)
    }

    /// The origin's edition label.
    pub fn edition(&self) -> Option<&'a [u8]> {
        self.blob.bytes(self.at + MEMBER_EDITION)
    }

    /// The name of the origin's cluster, which need not be the one that the
    /// plugin is attached to.
    pub fn cluster(&self) -> Option<&'a [u8]> {
        self.blob.bytes(self.at + MEMBER_CLUSTER)
    }

    /// The origin's weight.
    pub fn weight(&self) -> u32 {
        self.blob.u32(self.at + MEMBER_WEIGHT)
    }

    /// The weight of the origin's host.
    pub fn host_weight(&self) -> u32 {
        self.blob.u32(self.at + MEMBER_HOST_WEIGHT)
    }

    /// How many exchanges the origin can take at a time.
    pub fn capacity(&self) -> u32 {
        self.blob.u32(self.at + MEMBER_CAPACITY)
    }

    /// Whether the origin runs on the gateway's own host.
    pub fn on_this_host(&self) -> bool {
        self.blob.u32(self.at + MEMBER_FLAGS) & FLAG_ON_THIS_HOST != 0
    }

    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&'a [u8]> {
        let labels = self.blob.table(self.at + MEMBER_LABELS, LABEL_ENTRY);
        let mut entries = (0..labels.count as usize).filter_map(|i| labels.at(i));
        let at = entries.find(|at| self.blob.bytes(at + LABEL_KEY) == Some(key.as_bytes()))?;
        self.blob.bytes(at + LABEL_VALUE)
    }
}
