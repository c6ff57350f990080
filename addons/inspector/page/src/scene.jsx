// What the program has drawn (sett_inspector_scene): points of the replica, in any frame, on lines and an image.
// A recording without a scene shows what has members x and y.

import { h, Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';
import { entryA } from './diff.jsx';

const COLOURS = ['#e8863c', '#4a8fe0', '#4fae62', '#c95fb0', '#c9a227', '#d2504a', '#3fb0b5', '#8f7ae0'];
const state = { names: null, number: 0, scene: null, of: null, asked: false, beside: false, view: null, then: { entry: -2 }, drawn: [], why: '' };
model.scene = state; // for tests

const css = (rgb) => `#${(rgb & 0xffffff).toString(16).padStart(6, '0')}`;

// One with its source: another program, another file.
const source = () => model.file ?? model.link;

// Of a recording: what its page brings along, or all that has a place.
function guessed() {
  const text = document.getElementById('scene')?.textContent;
  if (text) { return JSON.parse(text); }
  const has = (type, name) => type.members.some((member) => member.name === name && member.count === 1);
  const type = model.types.find((one) => one.form === 'value' && has(one, 'x') && has(one, 'y'));
  return { name: '', points: type ? [{ name: type.name, query: type.name, x: `${type.name}.x`, y: `${type.name}.y`, rgb: 0, colours: [] }] : [], lines: [] };
}

async function load() {
  state.of = source();
  state.scene = state.view = null;
  state.then = { entry: -2 };
  let names = [];
  if (model.live()) { names = (await model.ask('scene'))?.scenes ?? []; }
  state.names = names;
  await choose(0);
}

async function choose(number) {
  const { names } = state;
  state.number = number;
  const answer = names.length ? (await model.ask('scene', { number }))?.scene : guessed();
  state.scene = answer ?? guessed();
  state.image = state.scene.image ? picture(state.scene.image) : null;
  state.view = null;
  state.then = { entry: -2 };
  model.changed();
}

function picture({ width, height, pixels }) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const data = new ImageData(width, height);
  for (let k = 0; k < width * height; k++) {
    data.data.set([0, 2, 4].map((at) => parseInt(pixels.substr(k * 6 + at, 2), 16)), k * 4);
    data.data[k * 4 + 3] = 255;
  }
  canvas.getContext('2d').putImageData(data, 0, 0);
  return canvas;
}

// The points of the frame that is shown, group by group.
const read = () => state.scene.points.map((group) => model.replica.points(group));

// Those of frame A, read when it is another one.
function readThen(entry) {
  const here = model.info.at;
  if (state.then.entry !== entry && model.there() && !model.play && performance.now() - (state.then.at ?? 0) > 200) {
    if (model.replica.seek(entry, 1e6) === true) { state.then = { entry, groups: read(), at: performance.now() }; }
    model.replica.seek(here, 1e6);
    model.info = model.replica.info();
    model.shown = -1;
  }
  return state.then.groups ?? [];
}

// What is to be seen at first: all of it.
function fit(groups) {
  const { lines, image } = state.scene;
  let [left, right, bottom, top] = image ? [image.left, image.right, image.bottom, image.top] : [Infinity, -Infinity, Infinity, -Infinity];
  const see = (x, y) => { left = Math.min(left, x); right = Math.max(right, x); bottom = Math.min(bottom, y); top = Math.max(top, y); };
  for (let k = 0; k < lines.length; k += 5) { see(lines[k], lines[k + 1]); see(lines[k + 2], lines[k + 3]); }
  if (!lines.length && !image) { groups.forEach((list) => { for (let k = 0; k < list.length; k += 6) { see(list[k + 2], list[k + 3]); } }); }
  return left <= right ? { x: (left + right) / 2, y: (bottom + top) / 2, wide: Math.max(right - left, 1e-6), tall: Math.max(top - bottom, 1e-6), zoom: 1 } : null;
}

const colourOf = (group, at, value) => group.colours.length && value === value
  ? css(group.colours[((Math.round(value) % group.colours.length) + group.colours.length) % group.colours.length])
  : group.rgb ? css(group.rgb) : COLOURS[at % COLOURS.length];

// The colours that occur in a group, the commonest first, three at most.
function colours(group, at, list) {
  const count = new Map();
  for (let n = 5; n < list.length; n += 6) {
    const colour = colourOf(group, at, list[n]);
    count.set(colour, (count.get(colour) ?? 0) + 1);
  }
  return count.size ? [...count].sort((x, y) => y[1] - x[1]).slice(0, 3).map(([colour]) => colour) : [colourOf(group, at, NaN)];
}

function draw(canvas, groups) {
  const scale = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const to = canvas.getContext('2d'), { view, scene } = state;
  to.setTransform(scale, 0, 0, scale, 0, 0);
  if (!view || !width) { return []; }
  const k = 0.94 * Math.min(width / view.wide, height / view.tall) * view.zoom;
  const X = (x) => width / 2 + (x - view.x) * k, Y = (y) => height / 2 - (y - view.y) * k;
  const { image, lines } = scene;
  if (image) {
    to.imageSmoothingEnabled = false;
    to.drawImage(state.image, X(image.left), Y(image.top), (image.right - image.left) * k, (image.top - image.bottom) * k);
  }
  to.lineWidth = 1;
  for (let n = 0, rgb = null; n < lines.length; n += 5) {
    if (rgb !== lines[n + 4]) {
      if (rgb !== null) { to.stroke(); }
      rgb = lines[n + 4];
      to.strokeStyle = css(rgb);
      to.beginPath();
    }
    to.moveTo(X(lines[n]), Y(lines[n + 1]));
    to.lineTo(X(lines[n + 2]), Y(lines[n + 3]));
    if (n + 5 >= lines.length) { to.stroke(); }
  }
  const drawn = [], chosen = model.selected?.index;
  groups.forEach((list, at) => {
    const group = scene.points[at];
    for (let n = 0; n < list.length; n += 6) {
      const x = X(list[n + 2]), y = Y(list[n + 3]);
      if (x < -20 || y < -20 || x > width + 20 || y > height + 20) { continue; }
      const radius = list[n + 4] === list[n + 4] ? Math.max(2, list[n + 4] * k) : 3;
      to.fillStyle = colourOf(group, at, list[n + 5]);
      if (radius <= 2) { to.fillRect(x - 2, y - 2, 4, 4); } else { to.beginPath(); to.arc(x, y, radius, 0, 7); to.fill(); }
      if (list[n] === chosen) {
        to.strokeStyle = getComputedStyle(canvas).getPropertyValue('--cursor');
        to.lineWidth = 2;
        to.beginPath();
        to.arc(x, y, radius + 5, 0, 7);
        to.stroke();
        to.lineWidth = 1;
      }
      drawn.push([x, y, radius, list[n], list[n + 1]]);
    }
  });
  return drawn;
}

// The point at a place of a canvas; null: none is near.
export function pick(drawn, x, y) {
  let best = null, least = Infinity;
  for (const [px, py, radius, index, generation] of drawn) {
    const far = Math.hypot(px - x, py - y) - radius;
    if (far < least && far < 10) { least = far; best = { index, generation }; }
  }
  return best;
}

function Picture({ groups, id, title }) {
  const canvas = useRef(null), held = useRef(null);
  useEffect(() => {
    const drawn = draw(canvas.current, groups);
    canvas.current.drawn = drawn;
    if (id === 'scene-picture') { state.drawn = drawn; }
  });
  const zoom = (event) => {
    event.preventDefault();
    if (state.view) { state.view.zoom = Math.max(0.5, Math.min(200, state.view.zoom * (event.deltaY < 0 ? 1.25 : 0.8))); model.changed(); }
  };
  const move = (event) => {
    const from = held.current, { view } = state;
    if (!from || !view) { return; }
    const box = canvas.current, k = 0.94 * Math.min(box.clientWidth / view.wide, box.clientHeight / view.tall) * view.zoom;
    from.far += Math.abs(event.clientX - from.x) + Math.abs(event.clientY - from.y);
    view.x -= (event.clientX - from.x) / k;
    view.y += (event.clientY - from.y) / k;
    from.x = event.clientX;
    from.y = event.clientY;
    model.changed();
  };
  const up = (event) => {
    const box = canvas.current.getBoundingClientRect();
    if (held.current && held.current.far < 5) {
      const found = pick(canvas.current.drawn ?? [], event.clientX - box.left, event.clientY - box.top);
      if (found) { model.select(found, true); }
    }
    held.current = null;
  };
  return (
    <div class="scene-side">
      {title && <div class="note pad">{title}</div>}
      <canvas id={id} ref={canvas} onWheel={zoom} onPointerMove={move} onPointerUp={up} onPointerCancel={() => { held.current = null; }}
        onPointerDown={(event) => { held.current = { x: event.clientX, y: event.clientY, far: 0 }; canvas.current.setPointerCapture(event.pointerId); }} />
    </div>
  );
}

export function Scene() {
  useEffect(() => { if (state.of !== source() && model.types.length) { load(); } });
  const { scene } = state;
  if (!scene || !model.types.length) { return <div class="empty">…</div>; }
  const a = entryA(), before = state.beside && a >= 0 ? readThen(a) : [];
  const groups = read();
  state.view ??= fit(groups);
  const step = (factor) => { if (state.view) { state.view.zoom *= factor; model.changed(); } };
  return (
    <>
      <div class="tools">
        {state.names.length > 1 && <select aria-label="Scene" value={state.number} onChange={(event) => choose(Number(event.target.value))}>
          {state.names.map((name, k) => <option value={k}>{name}</option>)}</select>}
        <button title="Nearer (wheel)" onClick={() => step(1.25)}>+</button><button title="Farther (wheel)" onClick={() => step(0.8)}>−</button>
        <button onClick={() => { state.view = null; model.changed(); }}>All</button>
        <button id="beside" class={state.beside ? 'on' : ''} disabled={a < 0} title="The frame that Diff compares with, beside this one"
          onClick={() => { state.beside = !state.beside; model.changed(); }}>Beside {a >= 0 ? `frame ${grouped(model.frame(a))}` : ''}</button>
      </div>
      {scene.points.length === 0 ? <div class="empty">Nothing has a place: no component has members x and y, and the program gives no scene
        (<code>sett_inspector_scene</code>).</div>
        : <div class="scene">
          {state.beside && a >= 0 && <Picture id="scene-before" groups={before} title={`frame ${grouped(model.frame(a))}`} />}
          <Picture id="scene-picture" groups={groups} title={state.beside && a >= 0 ? `frame ${grouped(model.info.frame)}` : ''} />
        </div>}
      <div class="foot legend">{scene.points.map((group, k) => <span title={group.colours.length ? 'The commonest colours of the group' : undefined}>
        {colours(group, k, groups[k] ?? []).map((colour) => <i style={{ background: colour }} />)}
        {group.name} {grouped((groups[k]?.length ?? 0) / 6)}</span>)}{scene.points.length > 0 && <span><i class="ring" />selected</span>}</div>
    </>
  );
}
