//! Several threads on one rollout: each sees its own conversation whole, and together they make the graph of one.

use crate::check::{read, read_answer, upstream};
use crate::script::{Step, Then, script};
use std::collections::HashSet;
use std::sync::Barrier;
use std::thread;
use toolwire::graph::{Graph, Pending, Shared, Stamp, Tools};
use toolwire::identity::{Identity, Print};
use toolwire::message::Dialect;
use toolwire::rollout::Rollout;

/// Sends a script; what is known of a body is a path of its own messages.
fn send(rollout: &Rollout, dialect: Dialect, steps: &[Step]) {
    for step in steps {
        let Ok(read) = read(dialect, &step.body) else {
            assert!(rollout.receive(&step.body).is_err());
            continue;
        };
        let turn = rollout.receive(&step.body).unwrap();
        let own: Vec<Identity> = read.messages.iter().map(|(_, print)| print.own).collect();
        let (known, tail) = (turn.known(), turn.tail());
        assert_eq!(known.len() + tail.len(), own.len());
        assert_eq!(turn.request(&step.body).unwrap(), read.request);
        let sent = turn.upstream(&step.body, None).map(|sent| (sent.bytes(&step.body), sent.losses));
        assert_eq!(sent, upstream(dialect, &step.body, None));
        let Then::Answer(body) = &step.then else { continue };
        let Some(answer) = read_answer(dialect, body) else { continue };
        let print = Print::of(&answer);
        let id = turn.commit(&step.body, answer, Stamp::default());
        let graph = rollout.graph().read();
        let path = graph.path(id);
        assert_eq!(path[..known.len()], known);
        let there: Vec<Identity> = path.iter().map(|id| graph.node(*id).unwrap().identity).collect();
        assert_eq!(there, [own, vec![print.own]].concat());
    }
}

fn conversations(graph: &Graph) -> HashSet<Identity> {
    let all: HashSet<Identity> = graph.nodes().iter().map(|node| node.conversation).collect();
    assert_eq!(all.len(), graph.len(), "no conversation has two nodes");
    all
}

#[test]
fn threads_share_a_rollout() {
    for dialect in [Dialect::Chat, Dialect::Responses, Dialect::Anthropic] {
        for seed in 0..12 {
            // Two threads for each script: they race for the same nodes. An outcome that is said only now and then
            // depends on who comes first.
            let spoken = |step: &Step| {
                let read = read(dialect, &step.body);
                !read.is_ok_and(|read| read.messages.iter().any(|(_, print)| print.failed.is_some()))
            };
            let scripts: Vec<Vec<Step>> = (0..3)
                .map(|n| script(dialect, 1_000_000 + 3 * seed + n).into_iter().filter(spoken).collect())
                .collect();
            let rollout = Rollout::new(dialect, Shared::default());
            let together = Barrier::new(2 * scripts.len());
            thread::scope(|scope| {
                for steps in scripts.iter().chain(&scripts) {
                    let (rollout, together) = (&rollout, &together);
                    scope.spawn(move || {
                        together.wait();
                        send(rollout, dialect, steps);
                    });
                }
            });
            let mut slow = Graph::default();
            for step in scripts.iter().flatten() {
                let (Ok(read), Then::Answer(body)) = (read(dialect, &step.body), &step.then) else {
                    continue;
                };
                let pending = Pending::of(&slow, Tools::of(read.request.tools), read.messages);
                let Some(answer) = read_answer(dialect, body) else { continue };
                let print = Print::of(&answer);
                pending.commit(&mut slow, (answer, print), Stamp::default());
            }
            assert_eq!(conversations(&rollout.graph().read()), conversations(&slow));
        }
    }
}
