//! The dependency order of statements: strongly connected components after Tarjan (1972).

use alloc::vec::Vec;

/// The strongly connected components of a graph, each after those it depends on. `edges[n]` are the nodes that node `n`
/// depends on. Not recursive; the time is proportional to nodes and edges.
pub(super) fn groups(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let count = edges.len();
    let mut order = alloc::vec![UNSEEN; count];
    let mut lowest = alloc::vec![0_u32; count];
    let mut is_open = alloc::vec![false; count];
    let (mut open, mut walk, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 0_u32;
    for first in 0..count as u32 {
        if order[first as usize] != UNSEEN {
            continue;
        }
        walk.push((first, 0_usize));
        while let Some((node, edge)) = walk.pop() {
            let index = node as usize;
            if edge == 0 {
                (order[index], lowest[index]) = (next, next);
                next += 1;
                open.push(node);
                is_open[index] = true;
            }
            match edges[index].get(edge).copied() {
                Some(needed) if order[needed as usize] == UNSEEN => walk.extend([(node, edge + 1), (needed, 0)]),
                Some(needed) => {
                    if is_open[needed as usize] {
                        lowest[index] = lowest[index].min(order[needed as usize]);
                    }
                    walk.push((node, edge + 1));
                }
                None => {
                    if lowest[index] == order[index] {
                        let start = open.iter().rposition(|other| *other == node).unwrap_or(0);
                        let group: Vec<u32> = open.drain(start..).collect();
                        group.iter().for_each(|member| is_open[*member as usize] = false);
                        groups.push(group);
                    }
                    if let Some((around, _)) = walk.last() {
                        lowest[*around as usize] = lowest[*around as usize].min(lowest[index]);
                    }
                }
            }
        }
    }
    assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), count, "every node is in one group");
    groups
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn dependencies_come_first_and_cycles_form_one_group() {
        let edges = vec![vec![1], vec![2, 3], vec![1], vec![], vec![0]];
        let mut found = groups(&edges);
        found.iter_mut().for_each(|group| group.sort_unstable());
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4]]);
    }

    #[test]
    fn a_long_chain_does_not_use_up_the_stack() {
        let edges: Vec<Vec<u32>> =
            (0..100_000).map(|node| if node == 99_999 { vec![] } else { vec![node + 1] }).collect();
        assert_eq!(groups(&edges).len(), 100_000);
    }
}
