// Trends: the last 60 seconds and 60 minutes of the program; and alarms: what the timeline marks, the log has, or pauses.

import { h, Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';
import { goFrame, size } from './timeline.jsx';

// `asked`: how often the list was wanted at once; `known`: for which of them it is here. `of`: the connection.
const state = { alarms: [], hits: [], next: 0, trend: null, at: -1e9, asked: 1, known: 0, of: null, running: false, busy: false, minutes: false };
model.alarms = state; // the timeline draws its hits; tests read it

// The list as it is from now on: an answer that is on its way may be older.
export function askAlarms() {
  state.asked++;
  watchAlarms();
}

// Asks once for each connection and pause; once a second, while the panel is shown or an alarm is set.
export async function watchAlarms() {
  if (state.busy || !model.live()) { return; }
  const { socket } = model.link, running = !!model.status?.running;
  if (state.of !== socket || state.running !== running) { state.asked++; }
  const shown = model.tab === 'Trends', late = performance.now() - state.at > 1000 && (shown || state.alarms.length > 0);
  if (state.known === state.asked && !late) { return; }
  Object.assign(state, { busy: true, at: performance.now(), of: socket, running });
  try {
    await readAlarms();
    if (shown) { state.trend = await model.link.ask('trend'); }
  } catch { state.known = state.asked; /* the link says so */ }
  state.busy = false;
  model.changed();
  if (state.known !== state.asked) { setTimeout(watchAlarms, 100); }
}

async function readAlarms() {
  const { asked, next } = state, answer = await model.link.ask('alarms', { since: next });
  if (answer.next < next) { // another program at this address
    state.hits = [];
    state.next = 0;
    return;
  }
  state.hits.push(...answer.hits);
  state.next = answer.next;
  if (asked !== state.asked) { return; } // the list was changed meanwhile
  state.alarms = answer.alarms;
  state.known = asked;
  model.changed();
}

const WAY = { mark: 'marks the timeline', log: 'is logged', pause: 'pauses the program' };

function Alarm() {
  const [text, setText] = useState(''), [action, setAction] = useState('mark');
  const set = async (condition, on, what) => {
    if (await model.ask('alarm', { condition, action: what, on })) {
      if (on) { setText(''); }
      askAlarms();
    }
  };
  const last = (number) => state.hits.filter((hit) => hit[1] === number);
  return (
    <div class="form" id="alarms">
      <div class="tools">
        <input class="wide" id="alarm" aria-label="Condition" placeholder="entities > 200000 · frame > 20 ms · Player, Health.points < 20" value={text} spellcheck={false}
          onInput={(event) => setText(event.target.value)}
          onKeyDown={(event) => { event.stopPropagation(); if (event.key === 'Enter') { set(text, true, action); } if (event.key === 'Escape') { event.target.blur(); } }} />
        <select aria-label="What it does" value={action} onChange={(event) => setAction(event.target.value)}>
          {Object.keys(WAY).map((name) => <option value={name}>{name}</option>)}</select>
        <button disabled={!text || !model.live()} onClick={() => set(text, true, action)}>Add alarm</button>
      </div>
      {state.alarms.map((alarm) => (
        <div class="head" key={alarm.number}><code>{alarm.condition}</code><span class="note">{WAY[alarm.action]}{alarm.slow && '; it takes too long, and is not asked any more'}</span>
          {last(alarm.number).slice(-4).map(([frame]) => <button class="link" onClick={() => goFrame(frame)}>{grouped(frame)}</button>)}
          <span class="note">{last(alarm.number).length > 4 ? `${last(alarm.number).length} times` : ''}</span>
          <button class="quiet" title="Remove it" onClick={() => set(alarm.condition, false)}>✕</button></div>
      ))}
    </div>
  );
}

// A line from the oldest span to the newest; the largest and the last value beside it.
function Line({ name, title, values, show, second }) {
  const most = Math.max(...values, ...(second ?? []), 1e-9), width = 360, height = 44;
  const spans = Math.max(12, values.length); // the first seconds are seen too
  const x = (list, k) => (k + spans - list.length) * width / (spans - 1);
  const path = (list) => list.map((value, k) => `${x(list, k)},${height - 2 - (height - 6) * value / most}`).join(' ');
  const area = `${x(values, 0)},${height - 2} ${path(values)} ${width},${height - 2}`;
  return (
    <div class="trend" title={title}><span class="label">{name}</span>
      <span class="plot"><small title="The upper edge of the chart; its lower edge is 0">{show(most)}</small><svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" class="spark" role="img" aria-label={name}>
        <polygon points={area} />{second && <polyline class="second" points={path(second)} />}<polyline points={path(values)} /></svg></span>
      <span class="digits">{show(values[values.length - 1])}</span><span class="note">most {show(most)}</span></div>
  );
}

// Milliseconds a run of the slowest systems, and bytes of the largest types: as the page knows them.
function Lists() {
  const times = (model.timesNow()?.systems ?? []).map((one) => [one.name, one.time_last / 1e6]).sort((x, y) => y[1] - x[1]).slice(0, 6);
  const types = model.counted().map((type) => [type.name, type.count * type.size]).sort((x, y) => y[1] - x[1]).slice(0, 6);
  const table = (title, rows, show) => rows.length > 0 && (
    <table><thead><tr><th>{title}</th><th /><th /></tr></thead><tbody>{rows.map(([name, value]) => (
      <tr><td>{name}</td><td class="n">{show(value)}</td><td class="share"><i style={{ width: `${100 * value / Math.max(rows[0][1], 1e-9)}%` }} /></td></tr>))}</tbody></table>
  );
  return <>{table('slowest systems', times, (value) => `${value.toFixed(3)} ms`)}{table('largest types', types, size)}</>;
}

export function Trends() {
  useEffect(askAlarms, []);
  const spans = (state.minutes ? state.trend?.minutes : state.trend?.seconds) ?? [];
  const word = state.minutes ? 'minutes' : 'seconds';
  const whole = (value) => grouped(Math.round(value));
  return (
    <div class="scroll" tabIndex={0} id="trends">
      <Alarm />
      <div class="tools"><button class={state.minutes ? '' : 'on'} onClick={() => { state.minutes = false; model.changed(); }}>60 seconds</button>
        <button class={state.minutes ? 'on' : ''} onClick={() => { state.minutes = true; model.changed(); }}>60 minutes</button>
        <span class="note">{!model.live() ? 'A recording has no trend.' : spans.length ? `${spans.length === 60 ? 'all' : spans.length} of 60 ${word} are drawn` : `the first of the ${word} is not complete`}</span></div>
      {spans.length > 0 && <>
        <Line name="longest and mean frame" values={spans.map((span) => span[2] * 1e3)} second={spans.map((span) => span[0] / span[3] * 1e3)} show={(value) => `${value.toFixed(1)} ms`} />
        <Line name="frames a second" values={spans.map((span) => span[3] / span[0])} show={(value) => value.toFixed(1)} />
        <Line name="entities" values={spans.map((span) => span[4])} show={whole} />
        <Line name="values" values={spans.map((span) => span[5])} show={whole} />
        <Line name="memory of the world" title="What the world holds from its allocator, in the program; what this page keeps of the past is counted in the top bar" values={spans.map((span) => span[6])} show={size} />
        <Line name="allocations" values={spans.map((span) => span[7])} show={whole} />
      </>}
      <Lists />
    </div>
  );
}
