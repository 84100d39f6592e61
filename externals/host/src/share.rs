//! Shares of what there is little of: strangers take from others of their own network only.
//!
//! Law: where every place is taken, the oldest place of the network with the most is given away. So a network with few loses none while
//! another has more: an equal share is safe from everybody else.

use std::collections::BTreeMap;
use std::net::IpAddr;

/// Who shares an address.
///
/// An IPv4 address is a network of its own. Within the 64 bits of a public IPv6 address that name its network a machine may choose any
/// address, so all of them are one. Local ones (`fe80::/10`, `fd00::/8`) count alone: there the 64 bits name the network of all
/// neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShareHolder([u8; 16]);

impl ShareHolder {
    /// That of an address.
    #[must_use]
    pub fn of(address: IpAddr) -> ShareHolder {
        let mut found = [0; 16];
        match address.to_canonical() {
            IpAddr::V4(address) => found[..4].copy_from_slice(&address.octets()),
            IpAddr::V6(address) if address.is_unique_local() || address.is_unicast_link_local() => {
                found = address.octets();
            }
            IpAddr::V6(address) => found[..8].copy_from_slice(&address.octets()[..8]),
        }
        ShareHolder(found)
    }
}

/// The place to give to a newcomer: the oldest one of the network with the most, counting the newcomer's. The places are in order of
/// age. None if there are no places.
#[must_use]
pub fn place_to_give(places: &[ShareHolder], newcomer: ShareHolder) -> Option<usize> {
    let mut counts: BTreeMap<ShareHolder, usize> = BTreeMap::from([(newcomer, 1)]);
    places.iter().for_each(|holder| *counts.entry(*holder).or_default() += 1);
    let most = counts.values().copied().max()?;
    let has_most = |holder: &ShareHolder| counts.get(holder) == Some(&most);
    // Of two networks with equally many, the newcomer's gives.
    let gives = if has_most(&newcomer) { Some(newcomer) } else { places.iter().copied().find(has_most) };
    // If every place is of another network, the newcomer's is not among them: then the oldest of all is given.
    places.iter().position(|holder| Some(*holder) == gives).or((!places.is_empty()).then_some(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> ShareHolder {
        ShareHolder::of(text.parse().expect("it is an address"))
    }

    #[test]
    fn the_network_with_the_most_gives() {
        let (many, few, new) = (of("10.0.0.1"), of("10.0.0.2"), of("10.0.0.3"));
        let mut places = vec![few, many, many, many, few];
        assert_eq!(place_to_give(&places, new), Some(1), "the oldest of the many");
        assert_eq!(place_to_give(&places, few), Some(0), "as many as the many by now");
        places.remove(2);
        assert_eq!(place_to_give(&places, many), Some(1));
        assert_eq!(place_to_give(&[few, many], few), Some(0));
        assert_eq!(place_to_give(&[few, many], new), Some(0), "all have one");
        assert_eq!(place_to_give(&[], new), None);
    }

    #[test]
    fn a_machine_with_many_addresses_has_one_share() {
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("fe80::1"), of("fe80::2"));
        assert_ne!(of("fd00::1"), of("fd00::2"));
    }
}
