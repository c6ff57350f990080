// The futures that were played: the tree of what is kept, one line a branch.

import { h, Fragment } from 'preact';
import { model } from './model.js';
import { grouped } from './numbers.js';
import { restore } from './entity.jsx';
import { NARROW } from './tree.jsx';

// [{tip, first, parent, from, to}], the oldest first.
export function branches() {
  const hasChild = new Set(), list = [];
  for (let entry = model.info.first; entry < model.info.end; entry++) { hasChild.add(model.parent(entry)); }
  const owner = new Map();
  for (let entry = model.info.first; entry < model.info.end; entry++) {
    if (hasChild.has(entry)) { continue; }
    let at = entry;
    const branch = { tip: entry, to: model.frame(entry) };
    while (at >= model.info.first && !owner.has(at)) {
      owner.set(at, branch);
      branch.first = at;
      at = model.parent(at);
    }
    branch.parent = owner.get(at);
    branch.fork = at;
    branch.from = at >= model.info.first ? model.frame(at) : model.frame(branch.first);
    list.push(branch);
  }
  return list;
}

export function Branches() {
  const list = branches();
  const low = Math.min(...list.map((branch) => branch.from)), high = Math.max(...list.map((branch) => branch.to), low + 1);
  const width = Math.min(500, NARROW ? innerWidth - 8 : innerWidth * 0.4);
  const x = (frame) => 8 + (width - 20) * (frame - low) / (high - low);
  const here = model.info.frame;
  const inside = (branch) => {
    for (let entry = branch.tip; entry >= model.info.first; entry = model.parent(entry)) {
      if (model.frame(entry) <= here) { return entry; }
    }
    return branch.tip;
  };
  return (
    <div class="scroll" tabIndex={0} id="branches">
      <div class="form">
        <div class="tools">
          <button id="restore" disabled={!model.live() || model.atHead()} onClick={restore}>Play on from frame {grouped(here)}</button>
          <span class="note">{model.live() && model.atHead() ? 'Step back first ( , ): this is the newest frame.' : model.live() ? 'The game goes back there. What came after it stays here as a branch.' : 'Only a running program can play on.'}</span>
        </div>
      </div>
      {list.length > 0 && <svg width={width} height={list.length * 26 + 8} role="img" aria-label="Branches">
        {list.map((branch, k) => {
          const y = 16 + k * 26, parent = list.indexOf(branch.parent);
          return (
            <g class={model.tip === branch.tip ? 'branch on' : 'branch'} onClick={() => { model.following = false; model.setTip(branch.tip, true); model.go(inside(branch)); }}>
              {parent >= 0 && <path d={`M${x(branch.from)} ${16 + parent * 26} V${y}`} />}
              <path d={`M${x(branch.from)} ${y} H${x(branch.to)}`} />
              <circle cx={x(branch.to)} cy={y} r="4" />
              <text x={x(branch.from) > width - 170 ? x(branch.to) : x(branch.from) + 6} text-anchor={x(branch.from) > width - 170 ? 'end' : 'start'} y={y - 4}>{grouped(branch.from)} – {grouped(branch.to)}{branch.tip === model.info.tail ? '  newest' : ''}</text>
            </g>
          );
        })}
        {model.line.length > 0 && <path class="here" d={`M${x(here)} 0 V${list.length * 26 + 8}`} />}
      </svg>}
      {list.length > 1 && <div class="form">
        {list.filter((branch) => branch.tip !== model.tip).map((branch) => (
          <div class="tools"><button onClick={() => { model.marked = inside(branch); model.tab = 'Diff'; model.changed(); }}>
            Compare with frame {grouped(model.frame(inside(branch)))} of {grouped(branch.from)} – {grouped(branch.to)}</button></div>
        ))}
      </div>}
    </div>
  );
}
