//! Frames of the sandbox: every agent and plant is there, and the world alone decides it.

use astrarium::Game;
use astrarium::host::pages::Pages;
use astrarium::state::{Alone, Settings, World};
use astrarium::tags::Library;
use astrarium::view::{Frame, Moment, Shape};
use astrarium::{Show, StepInput};
use sandbox::{Level, Sandbox};

fn frame(game: &Sandbox, world: &World) -> Frame {
    let mut frame = Frame::new(0);
    let moment = Moment { cycle: world.cycle(), cycle_seconds: 0.01, ..Moment::default() };
    game.extract(world, &Library::new(), &moment, &mut frame, &Alone);
    frame
}

#[test]
fn agents_and_plants_are_shown_where_they_are() {
    let game = Sandbox::new(Level::named("main").unwrap_or_else(|| sandbox::level::LEVELS[0]));
    let play = || {
        let mut world = World::new(game.plan(), &Pages, Settings::default(), 3);
        world.set_up(|world| game.set_up(world, &Library::new()));
        for _ in 0..30 {
            game.step(&mut world, &StepInput::empty(), &Alone);
        }
        world
    };
    let (one, other) = (play(), play());
    let shown = frame(&game, &one);
    assert_eq!(shown, frame(&game, &other), "equal worlds give equal frames");
    let (agents, plants) = (game.parts.agents.count(&one), game.parts.plants.count(&one));
    assert_eq!((shown.instances.len() as u32, shown.refused), (agents + plants, 0));
    let markers = shown.instances.iter().filter(|instance| matches!(instance.shape, Shape::Marker { .. }));
    assert_eq!(markers.count() as u32, agents);
    for (handle, agent) in game.parts.agents.iterate(&one) {
        let instance = shown.instance_of(handle.raw()).expect("every agent is shown");
        assert_eq!((instance.position.x, instance.position.y), (agent.position.x, agent.position.y));
        assert_eq!(instance.team, agent.team);
    }
}
