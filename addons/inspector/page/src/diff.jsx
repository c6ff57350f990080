// What differs between two frames, by entity and member.

import { h, Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';
import { Virtual, ROW } from './tree.jsx';
import { plain } from './value.jsx';

const LISTED = 5000;
const state = { a: -2, b: -2, at: 0, lines: [], count: 0, why: '', only: '', kinds: [], groups: 0 };
model.diff = state;

export const entryA = () => model.marked >= 0 && model.marked >= model.info.first ? model.marked : model.parent(model.info.at);

// The parts of a value that differ: [path, before, after].
function parts(path, before, after, to) {
  const split = (value) => value !== null && typeof value === 'object' && value.base64 === undefined;
  if (split(before) && split(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      parts(path ? (Array.isArray(before) ? `${path}[${key}]` : `${path}.${key}`) : key, before[key], after[key], to);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    to.push([path, before, after]);
  }
}

function lines(changes, only) {
  const groups = new Map();
  for (const [component, was, is, name, before, after] of changes) {
    const type = component ? model.typeOf.get(component) : null;
    const index = (is ?? was).slice(1).split(':')[0];
    let group = groups.get(index);
    if (!group) { groups.set(index, group = { was: is ?? was, name, lines: [], kind: '' }); }
    group.name ??= name;
    if (!component) {
      group.kind = was && is ? 'replaced' : is ? 'begins' : 'ends';
      group.was = was && is ? `${was} → ${is}` : is ?? was;
      group.go = is ?? was;
      continue;
    }
    if (only && type?.name !== only) { continue; }
    if (before === null || after === null) {
      const value = before ?? after;
      group.lines.push({ kind: before === null ? 'added' : 'removed', what: type?.name ?? component,
        text: value === true ? '' : plain(value) });
    } else {
      const found = [];
      parts('', before, after, found);
      for (const [path, x, y] of found) {
        group.lines.push({ kind: 'changed', what: `${type?.name}${path ? '.' + path : ''}`, x: plain(x), y: plain(y),
          by: typeof x === 'number' && typeof y === 'number' ? y - x : null });
      }
    }
  }
  const list = [];
  let count = 0;
  for (const group of groups.values()) {
    if (group.lines.length === 0 && (only || !group.kind)) { continue; }
    count++;
    list.push({ entity: group.go ?? group.was, text: group.was, name: group.name, kind: group.kind });
    list.push(...group.lines);
  }
  state.groups = count;
  return list;
}

function compute() {
  const a = entryA(), b = model.info.at;
  if (a < 0 || b < 0 || !model.there() || (state.a === a && state.b === b)) { return; }
  const moving = model.play !== 0 || (model.following && model.status?.running);
  if (moving && performance.now() - state.at < 300) { setTimeout(() => model.changed(), 300); return; }
  const start = performance.now();
  const answer = model.replica.diff(a, b);
  state.a = a;
  state.b = b;
  state.why = answer.why ?? '';
  state.count = answer.count ?? 0;
  state.changes = answer.why ? [] : model.replica.changes(0, LISTED);
  state.kinds = [...new Set(state.changes.map((change) => change[0]))].filter(Boolean).map((id) => model.typeOf.get(id)?.name).sort();
  if (state.only && !state.kinds.includes(state.only)) { state.only = ''; }
  state.lines = lines(state.changes, state.only);
  state.at = performance.now();
  state.took = state.at - start;
  model.info = model.replica.info();
  model.shown = -1;
}

function Line({ line }) {
  if (line.entity) {
    return (
      <div class="row group" onMouseDown={() => { const [index, generation] = line.entity.slice(1).split(':').map(Number); model.select({ index, generation }, true); }}>
        <span class={line.name ? 'name' : 'number'}>{line.name ?? line.text}</span>
        {line.name && <span class="note">{line.text}</span>}
        {line.kind && <span class={line.kind === 'ends' ? 'gone' : 'born'}>{line.kind}</span>}
      </div>
    );
  }
  return (
    <div class="row change">
      <span class="what" title={line.what}>{line.what}</span>
      {line.kind === 'changed'
        ? <span class="value"><s>{line.x}</s> → <b>{line.y}</b>{line.by !== null && <i> {line.by > 0 ? '+' : '−'}{plain(Math.abs(line.by))}</i>}</span>
        : <span class="value"><span class={line.kind === 'added' ? 'born' : 'gone'}>{line.kind}</span> {line.text}</span>}
    </div>
  );
}

export function Diff() {
  useEffect(() => {
    const before = [state.a, state.b];
    compute();
    if (before[0] !== state.a || before[1] !== state.b) { model.changed(); }
  });
  const a = entryA();
  const name = (entry) => grouped(model.frame(entry));
  return (
    <>
      <div class="tools">
        {a >= 0 ? <span id="diff-of">frame <b>{name(a)}</b> → <b>{name(model.info.at)}</b></span> : <span class="note">the first frame has no frame before it</span>}
        <button title="Compare with this frame from now on ( m )" onClick={() => { model.marked = model.info.at; model.changed(); }}>Mark A here</button>
        {model.marked >= 0 && <button title="Compare with the frame before" onClick={() => { model.marked = -1; model.changed(); }}>Unmark</button>}
        <span class="fill" />
        <select aria-label="Component" value={state.only} onChange={(event) => { state.only = event.target.value; state.lines = lines(state.changes, state.only); model.changed(); }}>
          <option value="">all components</option>
          {state.kinds.map((kind) => <option value={kind}>{kind}</option>)}
        </select>
      </div>
      {state.why && <div class="error">{state.why}</div>}
      <Virtual id="diff" label="Differences" count={a >= 0 ? state.lines.length : 0} row={ROW}
        paint={(first, count) => state.lines.slice(first, first + count).map((line, k) => <Line key={first + k} line={line} />)} />
      <div class="foot">{state.count === 0 && a >= 0 ? 'Nothing differs.' : `${grouped(state.count)} changes in ${grouped(state.groups)} ${state.groups === 1 ? 'entity' : 'entities'}`}
        {state.count > LISTED && `; the first ${grouped(LISTED)} are listed`}</div>
    </>
  );
}
