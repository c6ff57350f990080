// The schedule: stages, the systems in them, how long they took.

import { h, Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';

const past = new Map(); // of a system: its latest times, in nanoseconds
let asking = false, changes = 0; // requests that switch systems

export const nanoseconds = (ns) => ns === null || ns === undefined ? '' : ns < 1e3 ? `${Math.round(ns)} ns` : ns < 1e6 ? `${(ns / 1e3).toFixed(1)} µs` : `${(ns / 1e6).toFixed(2)} ms`;

// One unit in a column: microseconds.
const micro = (ns) => ns === null || ns === undefined ? '' : (ns / 1e3).toFixed(2);

function Spark({ values }) {
  const most = Math.max(...values, 1);
  return <svg class="spark" width="80" height="16">
    <polyline points={values.map((value, k) => `${k * 80 / 59},${15 - 14 * value / most}`).join(' ')} /></svg>;
}

export function Systems() {
  const [answer, setAnswer] = useState(null);
  const [why, setWhy] = useState('');
  const [chosen, setChosen] = useState(null);
  const held = useRef(false), kept = useRef(new Map());
  const fetchAll = async () => {
    if (asking || !model.live()) { return; }
    asking = true;
    try {
      const before = changes, reply = await model.link.ask('systems');
      if (before !== changes) { return; } // it may be older than the switch
      for (const system of reply.systems ?? []) {
        const list = past.get(system.name) ?? past.set(system.name, []).get(system.name);
        list.push(system.time_last ?? 0);
        if (list.length > 60) { list.shift(); }
      }
      setAnswer(reply);
      setWhy('');
    } catch (error) {
      setWhy(error.message);
    } finally {
      asking = false;
    }
  };
  // Shown as it was clicked until the program has answered; if it rejects that, its next answer says so.
  const enable = (system, on) => {
    system.enabled = on;
    changes++;
    model.ask('enable', { system: system.name, on }).then(() => { changes++; fetchAll(); });
  };
  useEffect(() => {
    const clock = setInterval(fetchAll, 250);
    fetchAll();
    return () => clearInterval(clock);
  }, []);
  const then = model.timesNow();
  if (then && (!model.live() || !model.following)) {
    return (
      <div class="scroll" tabIndex={0} id="systems">
        <div class="note pad">As they took in frame {grouped(then.frame)}.</div>
        <table>
          <thead><tr><th>system</th><th>last run, µs</th><th>runs</th></tr></thead>
          <tbody>{then.systems.map((system) => <tr><td>{system.name}</td><td class="n">{micro(system.time_last)}</td><td class="n">{grouped(system.runs)}</td></tr>)}</tbody>
        </table>
      </div>
    );
  }
  if (!model.live()) { return <div class="empty">This recording has no times of systems: connect to the program.</div>; }
  if (!answer) { return <div class="empty">{why || 'asking …'}</div>; }
  const stages = new Map();
  for (const system of answer.systems ?? []) {
    // To switch one off gives others another stage: a row does not move away under the pointer.
    const now = `phase ${system.phase ?? 0}, stage ${system.stage ?? 0}`;
    const stage = held.current ? kept.current.get(system.name) ?? now : now;
    kept.current.set(system.name, stage);
    (stages.get(stage) ?? stages.set(stage, []).get(stage)).push(system);
  }
  const longest = Math.max(...(answer.systems ?? []).map((system) => system.time_last ?? 0), 1);
  return (
    <div class="scroll" tabIndex={0} id="systems" onPointerEnter={() => { held.current = true; }} onPointerLeave={() => { held.current = false; }}>
      {why && <div class="error">{why}</div>}
      <table>
        <thead><tr><th>system</th><th>last frame, µs</th><th /><th>last {Math.max(0, ...[...past.values()].map((list) => list.length))} times</th><th>on</th></tr></thead>
        {[...stages].map(([stage, list]) => (
          <tbody key={stage}>
            <tr class="stage"><td colSpan={5}>{stage}{list.length > 1 ? `, ${list.length} systems side by side` : ''}</td></tr>
            {list.map((system) => (
              <Fragment key={system.name}>
                <tr class={chosen === system.name ? 'chosen' : ''} onClick={() => setChosen(chosen === system.name ? null : system.name)}>
                  <td>{system.name}</td><td class="n">{micro(system.time_last)}</td>
                  <td class="share"><i style={{ width: `${100 * (system.time_last ?? 0) / longest}%` }} /></td>
                  <td><Spark values={past.get(system.name) ?? []} /></td>
                  <td><input type="checkbox" aria-label={`${system.name} runs`} checked={system.enabled !== false}
                    onClick={(event) => event.stopPropagation()}
                    onChange={(event) => enable(system, event.target.checked)} /></td>
                </tr>
                {chosen === system.name && <tr><td colSpan={5} class="pages">
                  <div>{system.waits_for ? <>Waits for <b>{system.waits_for}</b>{system.waits_on ? <>: both use <b>{system.waits_on}</b></> : ', as it was declared'}.</>
                    : 'The first stage of its phase: it waits for nothing.'}</div>
                  <div class="note">{system.matches !== undefined && `${grouped(system.matches)} entities, `}{system.jobs !== undefined && `${system.jobs} jobs, `}
                    {grouped(system.runs ?? 0)} runs, {nanoseconds(system.runs ? system.time_total / system.runs : 0)} on average</div></td></tr>}
              </Fragment>
            ))}
          </tbody>
        ))}
      </table>
      {answer.schedule && <pre>{answer.schedule}</pre>}
      {answer.access && <details><summary>Access lists, as these systems need them</summary><pre>{answer.access}</pre></details>}
    </div>
  );
}
