//! The most memory that the system allows this program: the limit of its control group, beyond which Linux kills it without a word,
//! and that of the shell for its addresses (`ulimit -v`), beyond which the system gives no more.

use std::fs;

/// Numbers from here on mean that there is no limit.
const NO_LIMIT: u64 = 1 << 50;

/// The limit in bytes; 0 if there is none, or the system has no control groups. For
/// [`set_limit`](crate::allocation::set_limit).
#[must_use]
pub fn of_group() -> u64 {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    limit_of(&groups, &|path| fs::read_to_string(path).ok())
}

/// The limit of addresses in bytes; 0 if there is none. For [`share_heap`](crate::allocation::share_heap): addresses count that were
/// reserved only.
#[must_use]
pub fn of_addresses() -> u64 {
    addresses_of(&fs::read_to_string("/proc/self/limits").unwrap_or_default())
}

fn addresses_of(limits: &str) -> u64 {
    let row = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    row.and_then(|row| row.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The least limit of the groups and of those around them. A line of the list is a number, the controllers and a path; the second
/// edition has the number 0 and no controllers.
fn limit_of(groups: &str, read: &dyn Fn(&str) -> Option<String>) -> u64 {
    let mut least = NO_LIMIT;
    for line in groups.lines() {
        let mut words = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (words.next(), words.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let mut path = path.trim_end_matches('/');
        loop {
            let told = read(&format!("{root}{path}/{file}"));
            least = told.and_then(|text| text.trim().parse().ok()).unwrap_or(NO_LIMIT).min(least);
            let Some((outer, _)) = path.rsplit_once('/') else { break };
            path = outer;
        }
    }
    if least == NO_LIMIT { 0 } else { least }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_limit_of_both_editions_counts() {
        let first = |path: &str| match path {
            "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes" => Some(String::from("9223372036854771712\n")),
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes" => Some(String::from("536870912\n")),
            _ => None,
        };
        assert_eq!(limit_of("5:cpu:/\n4:memory:/a/b\n0::/\n", &first), 536_870_912);
        let second = |path: &str| match path {
            "/sys/fs/cgroup/box/memory.max" => Some(String::from("max\n")),
            "/sys/fs/cgroup/memory.max" => Some(String::from("1000000\n")),
            _ => None,
        };
        assert_eq!(limit_of("0::/box\n", &second), 1_000_000);
        assert_eq!(limit_of("0::/other\n", &|_| None), 0);
        assert_eq!(limit_of("nonsense\n", &first), 0);
    }

    #[test]
    fn the_limit_of_addresses_is_that_of_the_shell() {
        let row =
            |soft: &str| format!("Limit  Soft Limit  Hard Limit  Units\nMax address space  {soft}  unlimited  bytes\n");
        assert_eq!(addresses_of(&row("536870912")), 536_870_912);
        assert_eq!(addresses_of(&row("unlimited")), 0);
        assert_eq!(addresses_of(""), 0);
    }
}
