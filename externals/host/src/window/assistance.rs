//! Assistive technology, such as a screen reader: what it is told about a window, and what it asks for.
//!
//! [AccessKit](https://accesskit.dev) speaks to the system: AT-SPI on Linux, UI Automation on Windows, NSAccessibility on macOS.
//!
//! Laws
//! 1. While nothing asks, no tree is made: a frame costs one question to the adapter.
//! 2. The first tree is told whole, later ones only where they differ.
//! 3. What is asked for arrives as an event between two frames, like a key.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use accesskit::{
    Action, ActionData, ActionHandler, ActionRequest, ActivationHandler, DeactivationHandler, Node, NodeId, Rect, Role,
    Toggled, TreeId, TreeInfo, TreeUpdate,
};
use accesskit_winit::Adapter;
use relay::access::{AccessAction, AccessNode, AccessRole, AccessTree, AccessValue, ROOT};
use relay::device::DeviceEvent;
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;

use crate::limits::ACCESS_REQUESTS_MAX;

/// The connection of one window.
pub(super) struct Assistance {
    adapter: Adapter,
    told: ToldTree,
    /// Set when the system asks for the tree for the first time, or again.
    is_asked: Arc<AtomicBool>,
    requests: Receiver<DeviceEvent>,
}

impl Assistance {
    /// For a window that is not visible yet.
    pub(super) fn new(event_loop: &ActiveEventLoop, window: &winit::window::Window) -> Assistance {
        let (sender, requests) = sync_channel(ACCESS_REQUESTS_MAX);
        let is_asked = Arc::new(AtomicBool::new(false));
        let asking = Asking(Arc::clone(&is_asked));
        let adapter = Adapter::with_direct_handlers(event_loop, window, asking, Requesting(sender), Leaving);
        Assistance { adapter, told: ToldTree::default(), is_asked, requests }
    }

    /// Lets the adapter see what happens to the window.
    pub(super) fn follow(&mut self, window: &winit::window::Window, event: &WindowEvent) {
        self.adapter.process_event(window, event);
    }

    /// Tells what the window shows, if something asks.
    pub(super) fn tell(&mut self, tree: impl FnOnce() -> AccessTree) {
        let Assistance { adapter, told, is_asked, .. } = self;
        adapter.update_if_active(|| {
            if is_asked.swap(false, Ordering::AcqRel) {
                told.forget();
            }
            told.update(tree())
        });
    }

    /// What was asked for.
    pub(super) fn requests(&self) -> impl Iterator<Item = DeviceEvent> + '_ {
        self.requests.try_iter()
    }
}

struct Asking(Arc<AtomicBool>);

impl ActivationHandler for Asking {
    fn request_initial_tree(&mut self) -> Option<TreeUpdate> {
        // It may be asked on any thread; the tree is told with the next frame.
        self.0.store(true, Ordering::Release);
        None
    }
}

struct Requesting(SyncSender<DeviceEvent>);

impl ActionHandler for Requesting {
    fn do_action(&mut self, request: ActionRequest) {
        if let Some(event) = event_of(request) {
            // Of a flood, the rest is dropped.
            let _ = self.0.try_send(event);
        }
    }
}

struct Leaving;

impl DeactivationHandler for Leaving {
    fn deactivate_accessibility(&mut self) {}
}

/// A request as an event; none if nothing here can do it.
fn event_of(request: ActionRequest) -> Option<DeviceEvent> {
    let action = match (request.action, request.data) {
        (Action::Click, _) => AccessAction::Click,
        (Action::Focus, _) => AccessAction::Focus,
        (Action::Increment, _) => AccessAction::Increment,
        (Action::Decrement, _) => AccessAction::Decrement,
        (Action::ScrollIntoView, _) => AccessAction::ScrollIntoView,
        (Action::SetValue, Some(ActionData::NumericValue(value))) => AccessAction::SetNumber(value as f32),
        (Action::SetValue, Some(ActionData::Value(text))) => AccessAction::SetText(text.into()),
        _ => return None,
    };
    Some(DeviceEvent::Access { node: request.target_node.0, action })
}

/// What was told last.
#[derive(Default)]
struct ToldTree {
    nodes: BTreeMap<u64, AccessNode>,
}

impl ToldTree {
    fn forget(&mut self) {
        self.nodes.clear();
    }

    /// What is new in a tree.
    fn update(&mut self, tree: AccessTree) -> TreeUpdate {
        let is_first = self.nodes.is_empty();
        let focus = NodeId(tree.focus);
        let mut nodes = Vec::new();
        let mut now = BTreeMap::new();
        for node in tree.nodes {
            if self.nodes.get(&node.id) != Some(&node) {
                nodes.push((NodeId(node.id), told_node(&node)));
            }
            now.insert(node.id, node);
        }
        self.nodes = now;
        let tree = is_first.then(|| TreeInfo { toolkit_name: Some("Astrarium".into()), ..TreeInfo::new(NodeId(ROOT)) });
        TreeUpdate { nodes, tree, tree_id: TreeId::ROOT, focus }
    }
}

fn told_node(node: &AccessNode) -> Node {
    let mut told = Node::new(match node.role {
        AccessRole::Window => Role::Window,
        AccessRole::Dialog => Role::Dialog,
        AccessRole::Group => Role::Group,
        AccessRole::Label => Role::Label,
        AccessRole::Button => Role::Button,
        AccessRole::Image => Role::Image,
        AccessRole::ProgressIndicator => Role::ProgressIndicator,
        AccessRole::List => Role::List,
        AccessRole::ListItem => Role::ListItem,
        AccessRole::TextInput => Role::TextInput,
        AccessRole::Slider => Role::Slider,
        AccessRole::Switch => Role::Switch,
        AccessRole::ScrollView => Role::ScrollView,
    });
    // A label is read by its value, everything else by its label.
    match node.role {
        AccessRole::Label => told.set_value(node.name.as_str()),
        _ if !node.name.is_empty() => told.set_label(node.name.as_str()),
        _ => {}
    }
    if !node.description.is_empty() {
        told.set_description(node.description.as_str());
    }
    let [x0, y0, x1, y1] = node.bounds.map(f64::from);
    told.set_bounds(Rect { x0, y0, x1, y1 });
    match &node.value {
        Some(AccessValue::Number { value, range, step }) => {
            told.set_numeric_value(f64::from(*value));
            told.set_min_numeric_value(f64::from(range.0));
            told.set_max_numeric_value(f64::from(range.1));
            if *step > 0.0 {
                told.set_numeric_value_step(f64::from(*step));
            }
        }
        Some(AccessValue::Truth(is_on)) => told.set_toggled(if *is_on { Toggled::True } else { Toggled::False }),
        Some(AccessValue::Text(text)) => told.set_value(text.as_str()),
        None => {}
    }
    if node.role == AccessRole::Dialog {
        told.set_modal();
    }
    if !node.is_enabled {
        told.set_disabled();
    } else if node.is_focusable {
        let own: &[Action] = match node.role {
            AccessRole::Slider => &[Action::SetValue, Action::Increment, Action::Decrement],
            AccessRole::TextInput => &[Action::SetValue],
            _ => &[Action::Click],
        };
        [Action::Focus, Action::ScrollIntoView].iter().chain(own).for_each(|action| told.add_action(*action));
    }
    told.set_children(node.children.iter().map(|child| NodeId(*child)).collect::<Vec<NodeId>>());
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: u64, role: AccessRole, name: &str, children: &[u64]) -> AccessNode {
        AccessNode {
            id,
            role,
            name: name.into(),
            description: String::new(),
            value: None,
            bounds: [0.0, 0.0, 10.0, 20.0],
            is_enabled: true,
            is_focusable: role == AccessRole::Button || role == AccessRole::Slider,
            children: children.to_vec(),
        }
    }

    fn tree(name: &str) -> AccessTree {
        let nodes = vec![
            node(ROOT, AccessRole::Window, "", &[2, 3]),
            node(2, AccessRole::Button, name, &[]),
            node(3, AccessRole::Label, "Score", &[]),
        ];
        AccessTree { nodes, focus: 2 }
    }

    #[test]
    fn the_first_tree_is_told_whole_and_later_ones_where_they_differ() {
        let mut told = ToldTree::default();
        let first = told.update(tree("Play"));
        assert_eq!((first.nodes.len(), first.focus, first.tree.map(|tree| tree.root)), (3, NodeId(2), Some(NodeId(1))));
        assert_eq!(first.nodes[1].1.label(), Some("Play"));
        assert!(first.nodes[1].1.supports_action(Action::Click) && !first.nodes[2].1.supports_action(Action::Click));
        assert_eq!(first.nodes[2].1.value(), Some("Score"));
        let second = told.update(tree("Play"));
        assert!(second.nodes.is_empty() && second.tree.is_none());
        let third = told.update(tree("Go on"));
        assert_eq!(third.nodes.iter().map(|(id, _)| id.0).collect::<Vec<u64>>(), [2]);
        told.forget();
        assert_eq!(told.update(tree("Go on")).nodes.len(), 3, "who asks again gets all");
    }

    #[test]
    fn requests_become_events() {
        let request = |action, data| ActionRequest { action, target_tree: TreeId::ROOT, target_node: NodeId(7), data };
        let check = |action, data, expected: Option<AccessAction>| {
            let expected = expected.map(|action| DeviceEvent::Access { node: 7, action });
            assert_eq!(event_of(request(action, data)), expected);
        };
        check(Action::Click, None, Some(AccessAction::Click));
        check(Action::Focus, None, Some(AccessAction::Focus));
        check(Action::SetValue, Some(ActionData::NumericValue(0.5)), Some(AccessAction::SetNumber(0.5)));
        check(Action::SetValue, Some(ActionData::Value("a".into())), Some(AccessAction::SetText("a".into())));
        check(Action::SetValue, None, None);
        check(Action::Blur, None, None);
    }
}
