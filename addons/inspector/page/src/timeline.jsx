import { h, Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';

export const size = (bytes) => bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB`
  : bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;

// The part of the line that is drawn: [from, to). null: all.
const zoom = { from: 0, to: null };
const range = () => {
  const to = zoom.to === null ? model.line.length : Math.min(zoom.to, model.line.length);
  return [Math.max(0, Math.min(zoom.from, to - 1)), Math.max(to, 1)];
};

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function draw(canvas) {
  const scale = devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== width * scale || canvas.height !== height * scale) {
    canvas.width = width * scale;
    canvas.height = height * scale;
  }
  const to = canvas.getContext('2d');
  to.setTransform(scale, 0, 0, scale, 0, 0);
  to.clearRect(0, 0, width, height);
  const [from, end] = range();
  const count = end - from;
  if (!model.line.length) { return; }
  const top = 14, hashHeight = 5, bottom = height - hashHeight - 2;
  // One column a pixel, or a frame if there are fewer frames.
  const columns = Math.min(width, count);
  const step = width / columns;
  let most = 1, mostEvents = 1;
  const bar = new Float64Array(columns), born = new Float64Array(columns), gone = new Float64Array(columns), hash = new Uint32Array(columns);
  for (let k = 0; k < columns; k++) {
    const first = from + Math.floor(k * count / columns), last = Math.max(first + 1, from + Math.floor((k + 1) * count / columns));
    for (let p = first; p < last; p++) {
      const entry = model.line[p];
      if (model.parent(entry) >= 0) {
        bar[k] = Math.max(bar[k], model.size(entry));
        born[k] += model.begun(entry);
        gone[k] += model.ended(entry);
      }
      hash[k] = model.hashLow(entry);
    }
    most = Math.max(most, bar[k]);
    mostEvents = Math.max(mostEvents, born[k], gone[k]);
  }
  const middle = Math.round(top + (bottom - top) * 0.62);
  to.fillStyle = color('--bar');
  for (let k = 0; k < columns; k++) {
    const tall = bar[k] ? Math.max(1, (middle - top) * bar[k] / most) : 0;
    to.fillRect(k * step, middle - tall, Math.max(1, step - (step > 3 ? 1 : 0)), tall);
  }
  const room = bottom - middle - 2;
  for (let k = 0; k < columns; k++) {
    const wide = Math.max(1, step - (step > 3 ? 1 : 0));
    if (born[k]) {
      to.fillStyle = color('--born');
      to.fillRect(k * step, middle + 2, wide, Math.max(2, room / 2 * Math.sqrt(born[k] / mostEvents)));
    }
    if (gone[k]) {
      to.fillStyle = color('--gone');
      const tall = Math.max(2, room / 2 * Math.sqrt(gone[k] / mostEvents));
      to.fillRect(k * step, bottom - tall, wide, tall);
    }
    to.fillStyle = `hsl(${hash[k] % 360} 45% 50%)`;
    to.fillRect(k * step, height - hashHeight, Math.ceil(step), hashHeight);
  }
  // Frame numbers, at round places.
  to.fillStyle = color('--dim');
  to.font = '10px ui-monospace, monospace';
  to.textBaseline = 'top';
  const per = Math.pow(10, Math.ceil(Math.log10(Math.max(1, count * 70 / width))));
  const gap = [per / 5, per / 2, per].find((value) => value >= 1 && value * width / count >= 64) || per;
  const firstFrame = model.frame(model.line[from]), lastFrame = model.frame(model.line[end - 1]);
  for (let frame = Math.ceil(firstFrame / gap) * gap; frame <= lastFrame; frame += gap) {
    const place = find(frame, from, end);
    const x = (place - from + 0.5) * width / count;
    to.fillRect(x, 0, 1, 4);
    if (x + 50 < width) { to.fillText(grouped(frame), x + 3, 0); }
  }
  const mark = (entry, name, label) => {
    const place = model.place.get(entry);
    if (place === undefined || place < from || place >= end) { return; }
    const x = (place - from + 0.5) * width / count;
    to.fillStyle = color(name);
    to.fillRect(Math.round(x) - 1, 0, 2, height);
    if (label) { to.fillText(label, x + 4, 14); }
  };
  if (model.marked >= 0) { mark(model.marked, '--mark', 'A'); }
  for (const hit of model.hits || []) { mark(hit, '--gone', 'break'); }
  for (const [frame] of (model.alarms?.hits ?? []).slice(-200)) { if (frame >= firstFrame && frame <= lastFrame) { mark(model.line[find(frame, from, end)], '--gone'); } }
  mark(model.info.at, '--cursor');
}

// The place in the line of the first entry of a frame.
function find(frame, low, high) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (model.frame(model.line[middle]) < frame) { low = middle + 1; } else { high = middle; }
  }
  return low;
}
export function goFrame(frame) {
  model.goPlace(find(frame, 0, model.line.length));
}

function Tip({ place, x }) {
  const entry = model.line[place];
  if (entry === undefined) { return null; }
  const state = model.parent(entry) < 0;
  return (
    <div class="tip" style={{ left: `${x}px` }}>
      <b>frame {grouped(model.frame(entry))}</b> {state ? 'whole state' : size(model.size(entry))}
      {!state && model.begun(entry) > 0 && <span class="born"> +{grouped(model.begun(entry))}</span>}
      {!state && model.ended(entry) > 0 && <span class="gone"> −{grouped(model.ended(entry))}</span>}
      <span class="note"> hash {model.hash(entry)}</span>
    </div>
  );
}

export function Timeline() {
  const canvas = useRef(null);
  const [hover, setHover] = useState(null);
  useEffect(() => { if (canvas.current) { draw(canvas.current); } });
  useEffect(() => {
    const see = new ResizeObserver(() => model.changed());
    see.observe(canvas.current);
    return () => see.disconnect();
  }, []);
  const placeOf = (event) => {
    const box = canvas.current.getBoundingClientRect(), [from, end] = range();
    return Math.max(from, Math.min(end - 1, from + Math.floor((event.clientX - box.left) / box.width * (end - from))));
  };
  const scrub = (event) => {
    const box = canvas.current.getBoundingClientRect();
    setHover({ place: placeOf(event), x: Math.max(0, Math.min(event.clientX - box.left, box.width - 330)) });
    if (event.buttons & 1) { model.goPlace(placeOf(event)); }
  };
  const wheel = (event) => {
    event.preventDefault();
    const [from, end] = range(), at = placeOf(event);
    const factor = event.deltaY < 0 ? 0.7 : 1 / 0.7;
    const a = Math.floor(at - (at - from) * factor), b = Math.ceil(at + (end - at) * factor);
    const all = a <= 0 && b >= model.line.length;
    zoom.from = all ? 0 : Math.max(0, a);
    zoom.to = all ? null : Math.max(zoom.from + 8, b);
    model.changed();
  };
  const running = model.live() && model.following ? model.status?.running : model.play !== 0;
  const place = model.placeNow();
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="transport">
        <button title="First frame (Home)" onClick={() => model.goPlace(0)}>|◀</button>
        <button title="Play backwards (b)" class={model.play < 0 ? 'on' : ''} onClick={() => model.playBy(-1)}>◀</button>
        <button title="One frame back ( , )" onClick={() => model.step(-1)}>‹</button>
        <button id="toggle" title={model.live() && model.following ? 'Pause or run the program (space)' : 'Play (space)'}
          class={running ? 'on' : ''} onClick={() => model.toggle()}>{running ? '❚❚' : '▶'}</button>
        <button title="One frame on ( . )" onClick={() => model.step(1)}>›</button>
        <button title={model.file ? 'Last frame (End)' : 'Follow the newest frame (End); lit while the program runs and the page follows it'} id="live"
          class={model.following && model.live() && model.status?.running ? 'on' : ''}
          onClick={() => (model.file ? model.goPlace(1e9) : model.goLive())}>{model.file ? '▶|' : 'live'}</button>
        <span class="note">frame</span>
        <input id="frame" aria-label="Frame" title="Go to a frame ( g )" 
          value={document.activeElement?.id === 'frame' ? undefined : model.info.at >= 0 ? model.info.frame : ''}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Enter') { goFrame(Number(event.target.value.replace(/\D/g, ''))); event.target.blur(); }
            if (event.key === 'Escape') { event.target.blur(); }
          }} />
        <span class="note" id="kept" title="How many frames the page keeps: it can show each of them">
          {!model.line.length ? '' : place + 1 < model.line.length ? `${grouped(place + 1)} of ${grouped(model.line.length)} kept` : `${grouped(model.line.length)} kept`}</span>
        {model.info.at >= 0 && <span class="note" title="What differs from the frame before, in bytes of the stream">
          {model.parent(model.info.at) >= 0 ? `${size(model.size(model.info.at))} changed` : 'whole state'}</span>}
        <span class="note hashed" title="A number made from the whole state: two frames with equal hashes are equal">hash <code id="hash">{model.info.at >= 0 && model.line.length ? model.hash(model.info.at) : ''}</code></span>
        {!model.there() && <span class="note busy">going to frame {grouped(model.frame(model.target))} …</span>}
        <span class="fill" />
        <span class="legend"><span title="Bars: how many bytes changed in a frame"><i class="bar" />bytes</span> <span title="Entities that begin in a frame"><i class="born" />begin</span>
          {' '}<span title="Entities that end in a frame"><i class="gone" />end</span> <span title="The lowest line: frames of equal colours have equal states"><i class="hash" />hash</span></span>
        <select aria-label="Speed" title="How fast recordings, and the past, are played" value={model.speed} onChange={(event) => { model.speed = Number(event.target.value); }}>
          {[5, 15, 35, 60, 120, 300].map((speed) => <option value={speed}>{speed} frames/s</option>)}
        </select>
      </div>
      <div class="track">
        <canvas ref={canvas} id="track" onPointerDown={(event) => { canvas.current.setPointerCapture(event.pointerId); model.goPlace(placeOf(event)); }}
          onPointerMove={scrub} onPointerLeave={() => setHover(null)} onWheel={wheel} />
        {hover && <Tip {...hover} />}
      </div>
    </section>
  );
}
