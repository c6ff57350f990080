// Numbers over time: a chart of each member that is watched.

import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { model } from './model.js';
import { goFrame } from './timeline.jsx';
import { handle } from './tree.jsx';
import { Offer } from './value.jsx';

const watched = model.watched = [];
const FRAMES = 600;

export function watch(type, path) {
  const series = { entity: model.selected, type: type.name, component: type.id, path, frames: [], values: [], seen: new Set() };
  watched.push(series);
  model.tab = 'Watch';
  fill(series);
  model.changed();
}

function read(series, entry) {
  if (series.seen.has(entry)) { return; }
  series.seen.add(entry);
  const { index, generation } = series.entity;
  const alive = model.replica.generation(index) === generation;
  const value = alive ? model.replica.member(index, series.component, series.path) : NaN;
  const frame = model.frame(entry);
  let at = series.frames.length;
  while (at > 0 && series.frames[at - 1] > frame) { at--; }
  if (at > 0 && series.frames[at - 1] === frame) {
    series.values[at - 1] = Number.isNaN(value) ? null : value;
  } else {
    series.frames.splice(at, 0, frame);
    series.values.splice(at, 0, Number.isNaN(value) ? null : value);
  }
  if (series.frames.length > 20000) { series.frames.shift(); series.values.shift(); }
}

// The frames before the one that is shown, the latest first: some in each picture, for a large world takes long.
function fill(series) {
  const here = model.info.at, place = model.place.get(here);
  if (place === undefined) { return; }
  read(series, here);
  const entries = model.line.slice(Math.max(0, place - FRAMES), place);
  const some = () => {
    const start = performance.now(), shown = model.info.at;
    if (shown < 0) { return; } // what was open is closed
    while (entries.length && performance.now() - start < 30) {
      for (const entry of entries.splice(-30)) {
        if (model.place.has(entry) && model.replica.seek(entry, 200) === true) { read(series, entry); }
      }
    }
    model.replica.seek(shown, 1e6);
    model.info = model.replica.info();
    model.changed();
    if (entries.length && watched.includes(series)) { setTimeout(some, 30); }
  };
  some();
}

function Chart({ series }) {
  const box = useRef(null), plot = useRef(null);
  const style = getComputedStyle(document.documentElement);
  useEffect(() => {
    const axis = { stroke: style.getPropertyValue('--dim'), grid: { stroke: style.getPropertyValue('--edge'), width: 1 }, font: '10px ui-monospace, monospace' };
    const uPlot = require('uplot'); // here, not above: its start takes 20 ms, before the first row
    plot.current = new uPlot({
      width: box.current.clientWidth, height: 132, legend: { show: true }, cursor: { y: false },
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 30, gap: 2, ticks: { size: 4 } }, { ...axis, size: 56 }],
      series: [{ label: 'frame' }, { label: series.path, stroke: style.getPropertyValue('--cursor'), width: 1, points: { show: false } }],
      hooks: { ready: [(u) => u.over.addEventListener('click', () => {
        const k = u.cursor.idx;
        if (k !== null && k !== undefined) { goFrame(series.frames[k]); }
      })] },
    }, [series.frames, series.values], box.current);
    return () => plot.current.destroy();
  }, [document.documentElement.dataset.theme]);
  useEffect(() => {
    if (model.info.at >= 0 && model.there()) { read(series, model.info.at); }
    plot.current.setData([series.frames, series.values]);
    const width = box.current.clientWidth;
    if (plot.current.width !== width) { plot.current.setSize({ width, height: 120 }); }
  });
  return (
    <div class="chart">
      <div class="head"><button class="link" onClick={() => model.select(series.entity, true)}>{handle(series.entity)}</button>
        <span class="title">{series.type}.{series.path}</span>
        <button class="quiet" title="Remove this chart" onClick={() => { watched.splice(watched.indexOf(series), 1); model.changed(); }}>✕</button></div>
      <div ref={box} />
    </div>
  );
}

export function Watch() {
  return (
    <div class="scroll" tabIndex={0} id="watch">
      {watched.length === 0 && <div class="empty">Click ∿ beside a number of the entity: it is drawn over time. A click into the chart goes to that frame.
        <Offer id="draw-first" words="Draw" act={watch} /></div>}
      {watched.map((series) => <Chart key={`${handle(series.entity)} ${series.type} ${series.path}`} series={series} />)}
    </div>
  );
}
