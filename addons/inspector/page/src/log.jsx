// What began and ended: as the program logs it, or from the stream, frame by frame.

import { h, Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';
import { Virtual, ROW } from './tree.jsx';
import { goFrame } from './timeline.jsx';
import { Reference } from './value.jsx';

const lines = [];
let next = 0, lost = 0, asking = false;

async function fetchLog() {
  if (asking || !model.live()) { return; }
  asking = true;
  try {
    const answer = await model.link.ask('log', { since: next });
    if (answer.next < next) { lines.length = next = lost = 0; } // another program at this address
    lost += answer.next - next - answer.log.length;
    next = answer.next;
    lines.push(...answer.log);
    if (lines.length > 20000) { lines.splice(0, 5000); }
  } catch { /* the next time */ }
  asking = false;
  model.changed();
}

// Without a program: the frames in which entities begin or end.
function frames() {
  return model.line.filter((entry) => model.parent(entry) >= 0 && (model.begun(entry) || model.ended(entry)));
}

const entities = (count) => `${grouped(count)} ${count === 1 ? 'entity' : 'entities'}`;

export function Log() {
  const held = useRef(false); // a pointer is over the list: what is under it stays
  useEffect(() => {
    const clock = setInterval(fetchLog, 500);
    fetchLog();
    return () => clearInterval(clock);
  }, []);
  const recorded = !model.live() && model.notes.log.length > 0;
  const own = recorded || (lines.length > 0 && model.live());
  const list = recorded ? model.notes.log : own ? lines : frames();
  return (
    <>
      {model.live() && !own && <div class="note pad">From now on this lists what is created, destroyed, added and removed, with the system that does it.</div>}
      {!own && <div class="note pad">Frames in which entities begin or end. A click goes there; Diff lists them.</div>}
      <div class="panel" onPointerEnter={() => { held.current = true; }} onPointerLeave={() => { held.current = false; }}>
        <Virtual id="log" label="Log" count={list.length} row={ROW} follow={model.live() && model.following && !held.current ? list.length - 1 : undefined} paint={(first, count) => list.slice(first, first + count).map((line, k) => (own
        ? <div class="row" key={first + k}>
            <button class="link number" onClick={() => goFrame(line.frame)}>{line.frame}</button>
            <span class="what" style={{ flex: 'none', width: '6em' }}>{line.kind}</span> <Reference to={line.entity} /> <span>{line.component}</span> <span class="note">{line.commands && 'commands of '}{line.system || 'outside of systems'}</span>
          </div>
        : <div class="row" key={first + k} onMouseDown={() => model.go(line)}>
            <span class="number">{grouped(model.frame(line))}</span>
            {model.begun(line) > 0 && <span class="born">{entities(model.begun(line))} began</span>}
            {model.ended(line) > 0 && <span class="gone">{entities(model.ended(line))} ended</span>}
          </div>))} />
      </div>
      <div class="foot">{grouped(list.length)} {own ? 'lines' : 'frames'}{own && lost > 0 && `, ${grouped(lost)} were not read in time`}</div>
    </>
  );
}
