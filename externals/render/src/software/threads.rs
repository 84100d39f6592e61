//! Work shared among threads, in a way that cannot change a result: each item is worked on alone, by whichever thread is free.

use std::sync::Mutex;
use std::thread::{Builder, scope};

/// Calls `work` once for each item, with its index. Returns when all are done. With one thread, or where threads cannot be
/// started, it runs here.
pub fn for_each<T: Send>(threads: usize, items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    if threads <= 1 || items.len() <= 1 {
        items.iter_mut().enumerate().for_each(|(index, item)| work(index, item));
        return;
    }
    let extra = threads.min(items.len()) - 1;
    let queue = Mutex::new(items.iter_mut().enumerate());
    let run = || {
        loop {
            let next = queue.lock().map(|mut queue| queue.next());
            let Ok(Some((index, item))) = next else { break };
            work(index, item);
        }
    };
    scope(|scope| {
        for _ in 0..extra {
            if Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        for threads in [0, 1, 2, 3, 100] {
            let mut items = vec![0_usize; 1000];
            for_each(threads, &mut items, |index, item| *item += index + 1);
            assert!(items.iter().enumerate().all(|(index, item)| *item == index + 1));
            for_each(threads, &mut Vec::<u8>::new(), |_, _| {});
        }
    }
}
