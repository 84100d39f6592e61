//! The topics of lines. Each can be selected or left out.

/// A topic of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Topic {
    /// The outlines of bodies.
    Shapes = 0,
    /// Contact points, normals and impulses.
    Contacts = 1,
    /// Joints.
    Joints = 2,
    /// Axis-aligned bounding boxes.
    Bounds = 3,
    /// Centers of mass.
    CentersOfMass = 4,
    /// Velocities and angular velocities.
    Velocities = 5,
}

impl Topic {
    /// All topics, in their order.
    pub const ALL: [Topic; 6] =
        [Topic::Shapes, Topic::Contacts, Topic::Joints, Topic::Bounds, Topic::CentersOfMass, Topic::Velocities];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Topic::Shapes => "shapes",
            Topic::Contacts => "contacts",
            Topic::Joints => "joints",
            Topic::Bounds => "bounds",
            Topic::CentersOfMass => "centers_of_mass",
            Topic::Velocities => "velocities",
        }
    }

    /// Its former name, which is still accepted.
    pub const fn former_name(self) -> Option<&'static str> {
        match self {
            Topic::CentersOfMass => Some("centres"),
            _ => None,
        }
    }

    /// The topic of a name or former name.
    pub fn named(name: &str) -> Option<Topic> {
        Topic::ALL.into_iter().find(|topic| topic.name() == name || topic.former_name() == Some(name))
    }
}

/// A set of topics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Topics(u8);

impl Topics {
    /// No topics.
    pub const NONE: Topics = Topics(0);

    /// All topics.
    pub const ALL: Topics = Topics((1 << Topic::ALL.len()) - 1);

    /// Whether a topic is in the set.
    #[inline]
    pub const fn has(self, topic: Topic) -> bool {
        self.0 >> topic as u8 & 1 == 1
    }

    /// The set with another topic.
    #[must_use]
    pub const fn with(self, topic: Topic) -> Topics {
        Topics(self.0 | 1 << topic as u8)
    }
}

impl FromIterator<Topic> for Topics {
    fn from_iter<I: IntoIterator<Item = Topic>>(topics: I) -> Topics {
        topics.into_iter().fold(Topics::NONE, Topics::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_is_found_by_name_and_can_be_left_out() {
        for topic in Topic::ALL {
            assert_eq!(Topic::named(topic.name()), Some(topic));
            let others: Topics = Topic::ALL.into_iter().filter(|other| *other != topic).collect();
            assert!(Topics::ALL.has(topic) && !others.has(topic) && !Topics::NONE.has(topic));
            assert_eq!(others.with(topic), Topics::ALL);
        }
        assert_eq!(Topic::named("shape"), None);
        assert_eq!(Topic::named("centres"), Some(Topic::CentersOfMass), "a former name");
    }
}
