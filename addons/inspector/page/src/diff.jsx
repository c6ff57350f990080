// What differs between two frames, by entity and member.

import { h, Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';
import { Virtual, ROW } from './tree.jsx';
import { Name, plain } from './value.jsx';

const LISTED = 5000, FEW = 40; // as few changes are listed by themselves
// `open`: the component whose changes are listed, 0: entities; null: none. `held`: a pointer is over the list.
// `few`: all groups are open but those of `shut`, for together they have few changes.
const state = { a: -2, b: -2, at: 0, lines: [], count: 0, counts: [], open: null, few: false, shut: new Set(), listed: null, why: '', held: false };
model.diff = state;

export const entryA = () => model.marked >= 0 && model.marked >= model.info.first ? model.marked : model.parent(model.info.at);

// The parts of a value that differ as they are printed: [path, before, after].
function parts(path, before, after, to) {
  const split = (value) => value !== null && typeof value === 'object' && value.base64 === undefined;
  if (split(before) && split(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      parts(path ? (Array.isArray(before) ? `${path}[${key}]` : `${path}.${key}`) : key, before[key], after[key], to);
    }
  } else if (plain(before) !== plain(after)) {
    to.push([path, before, after]);
  }
}

// The changes of one component, an entity after the other.
function listed(changes) {
  const list = [];
  let hidden = 0;
  for (const [component, was, is, name, before, after] of changes) {
    const line = { entity: is ?? was, name };
    if (!component) {
      list.push({ ...line, kind: was && is ? 'replaced' : is ? 'begins' : 'ends' });
    } else if (before === null || after === null) {
      const value = before ?? after;
      list.push({ ...line, kind: before === null ? 'added' : 'removed', text: value === true ? '' : plain(value) });
    } else {
      const found = [];
      parts('', before, after, found);
      hidden += found.length === 0;
      found.forEach(([path, x, y], k) => list.push({ ...line, more: k > 0, kind: 'changed', what: path, x: plain(x), y: plain(y),
        by: typeof x === 'number' && typeof y === 'number' ? y - x : null }));
    }
  }
  if (hidden) { list.push({ note: `${grouped(hidden)} more changed by less than a printed digit` }); }
  return list;
}

// One line for each component, and those of the one that is open.
function arrange(changes, few) {
  const list = [];
  const named = state.counts.map(([id, changed, added, removed]) => ({ id, name: id ? model.typeOf.get(id)?.name ?? String(id) : 'Entities', changed, added, removed }));
  named.sort((x, y) => !x.id - !y.id ? !y.id - !x.id : x.name < y.name ? -1 : 1);
  for (const group of named) {
    const { id, changed, added, removed } = group;
    const words = [[changed, 'changed'], [added, id ? 'added' : 'begin'], [removed, id ? 'removed' : 'end']].filter(([count]) => count);
    list.push({ ...group, group: true, text: words.map(([count, word]) => `${grouped(count)} ${word}`).join(', ') });
    if (few?.has(id) && !state.shut.has(id)) { list.push(...few.get(id)); }
    if (!few && id === state.open) {
      list.push(...changes);
      if (changed + added + removed > LISTED) { list.push({ note: `the first ${grouped(LISTED)} are listed` }); }
    }
  }
  return list;
}

// The changes of each component.
function allOf(a, b) {
  const all = new Map();
  for (const [id] of state.counts) {
    model.replica.diff(a, b, id);
    all.set(id, listed(model.replica.changes(0, LISTED)));
  }
  return all;
}

// A click on the line of a component.
function turn(id) {
  if (state.few) {
    if (!state.shut.delete(id)) { state.shut.add(id); }
    state.listed = -1; // arranged again
  } else {
    state.open = state.open === id ? null : id;
  }
  model.changed();
}

function compute() {
  const a = entryA(), b = model.info.at, same = state.a === a && state.b === b;
  const moving = model.play !== 0 || (model.following && model.status?.running);
  if (a < 0 || b < 0 || !model.there() || (same && state.listed === state.open && (moving || !state.moving))) { return false; }
  // What is under the pointer stays, while the game goes on.
  if (moving && !same && state.held && state.counts.length) { return false; }
  if (moving && !same && performance.now() - state.at < 300) { setTimeout(() => model.changed(), 300); return false; }
  const start = performance.now(), held = moving && state.held && state.counts.length;
  const answer = model.replica.diff(held ? state.a : a, held ? state.b : b, state.open ?? 0);
  if (held) { model.replica.seek(b, 1e6); } else { state.a = a; state.b = b; }
  state.why = answer.why ?? '';
  state.count = answer.count ?? 0;
  state.counts = answer.why ? [] : model.replica.counts();
  state.few = !moving && state.open === null && state.count > 0 && state.count < FEW;
  const own = state.open === null || answer.why ? [] : listed(model.replica.changes(0, LISTED));
  state.lines = arrange(own, state.few ? allOf(a, b) : null);
  state.listed = state.open;
  state.moving = moving;
  state.at = performance.now();
  state.took = state.at - start;
  model.info = model.replica.info();
  model.shown = -1;
  return true;
}

function choose(reference) {
  const [index, generation] = reference.slice(1).split(':').map(Number);
  model.select({ index, generation }, true);
}

function Line({ line }) {
  if (line.group) {
    return (
      <div class="row group" onMouseDown={() => turn(line.id)}>
        <span class="twist">{(state.few ? !state.shut.has(line.id) : state.open === line.id) ? '▾' : '▸'}</span><span class="name">{line.name}</span><span class="note">{line.text}</span>
      </div>
    );
  }
  if (line.note) { return <div class="row change note">{line.note}</div>; }
  return (
    <div class="row change" onMouseDown={() => choose(line.entity)}>
      <span class="whose">{!line.more && (line.name ? <span class="name" title={line.entity}>{line.name}</span> : <Name of={line.entity} />)}</span>
      {line.kind === 'changed'
        ? <><span class="what" title={line.what}>{line.what}</span>
          <span class="value"><s>{line.x}</s> → <b>{line.y}</b>{line.by !== null && <i> {line.by > 0 ? '+' : '−'}{plain(Math.abs(line.by))}</i>}</span></>
        : <span class="value"><span class={line.kind === 'added' || line.kind === 'begins' ? 'born' : 'gone'}>{line.kind}</span> {line.text}</span>}
    </div>
  );
}

export function Diff() {
  useEffect(() => { if (compute()) { model.changed(); } });
  const a = entryA(), fresh = state.a === a && state.b === model.info.at;
  const name = (entry) => grouped(model.frame(entry));
  return (
    <>
      <div class="tools">
        {a >= 0 ? <span id="diff-of">frame <b>{name(fresh || state.a < 0 ? a : state.a)}</b> → <b>{name(fresh || state.a < 0 ? model.info.at : state.b)}</b></span> : <span class="note">the first frame has no frame before it</span>}
        <button title="Mark this frame as A: every frame that is shown then is compared with it ( m )" onClick={() => { model.marked = model.info.at; model.changed(); }}>Mark this frame as A</button>
        {model.marked < 0 && a >= 0 && <span class="note">to compare with another</span>}
        {model.marked >= 0 && <button title="Compare with the frame before" onClick={() => { model.marked = -1; model.changed(); }}>Unmark</button>}
      </div>
      {state.why && <div class="error">{state.why}</div>}
      <div class="panel" onPointerEnter={() => { state.held = true; }} onPointerLeave={() => { state.held = false; model.changed(); }}>
        <Virtual id="diff" label="Differences" count={a >= 0 ? state.lines.length : 0} row={ROW}
          paint={(first, count) => state.lines.slice(first, first + count).map((line, k) => <Line key={first + k} line={line} />)} />
      </div>
      <div class="foot">{state.count === 0 && a >= 0 ? 'Nothing differs.' : `${grouped(state.count)} changes`}
        {!fresh && state.held && '; the list stays as long as the pointer is in it'}</div>
    </>
  );
}
