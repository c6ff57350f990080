import { h, Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';

export const NARROW = globalThis.matchMedia?.('(max-width: 899px)').matches;
export const ROW = NARROW ? 34 : 20; // fingers need more
document.documentElement.style.setProperty('--row', `${ROW}px`);

export const handle = (entity) => `#${entity.index}:${entity.generation}`;

// Rows that are not painted are not there: 100,000 cost what 40 do.
// The row `follow` is scrolled to: into the middle if it was far away, with the row `beside` it if both fit.
export function Virtual({ count, row, paint, id, follow, beside, label }) {
  const box = useRef(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  useEffect(() => {
    const see = new ResizeObserver(() => setHeight(box.current.clientHeight));
    see.observe(box.current);
    return () => see.disconnect();
  }, []);
  useEffect(() => {
    if (follow !== undefined && follow >= 0) {
      const at = follow * row, list = box.current;
      const room = Math.floor(list.clientHeight / row) * row, end = list.scrollTop + list.clientHeight;
      const to = (place) => { list.scrollTop = Math.max(0, Math.round(place / row) * row); }; // rows are whole
      if (at < list.scrollTop - 2 * row || at + row > end + 2 * row) {
        const middle = at + row / 2 - room / 2;
        to(beside >= 0 && at - beside * row + row <= room ? Math.min(middle, beside * row) : middle);
      } else if (at < list.scrollTop) { to(at); } else if (at + row > end) { to(at + row - room); }
    }
  }, [follow]);
  const first = Math.max(0, Math.min(Math.floor(top / row), count - 1));
  const shown = Math.min(count - first, Math.ceil(height / row) + 1);
  return (
    <div class="scroll" id={id} ref={box} tabIndex={0} role="listbox" aria-label={label}
      onScroll={(event) => setTop(event.target.scrollTop)}>
      <div style={{ height: `${count * row}px`, position: 'relative' }}>
        <div style={{ transform: `translateY(${first * row}px)`, position: 'absolute', left: 0, right: 0 }}>
          {shown > 0 && paint(first, shown)}
        </div>
      </div>
    </div>
  );
}

// As Model.label; the handle of an entity without a name of its own is beside it.
function Label({ row }) {
  const [index, generation, , , , name, , hint] = row;
  return name !== null ? <span class="name">{name}</span>
    : <>{hint !== null && <span class="name">{hint}</span>}<span class="number">#{index}<i>:{generation}</i></span></>;
}

// One row for many equal children of a parent.
function Fold({ row }) {
  const [index, , depth, count, open, , components, hint] = row;
  const kinds = components.map((id) => model.typeOf.get(id)).filter((type) => type && type.form === 'value').map((type) => type.name).join(' ');
  return (
    <div class="row fold" role="option" style={{ paddingLeft: `${4 + depth * 14}px` }} onClick={() => model.fold(index, !open)}>
      <span class="twist">{open ? '▾' : '▸'}</span>
      <button class="quiet" aria-expanded={!!open} title={open ? 'One row for all of them' : 'List them one by one'}>{grouped(count)} × {hint ?? (kinds || 'entity')}</button>
      {hint !== null && <span class="kinds">{kinds}</span>}
    </div>
  );
}

function Row({ row, at }) {
  const [index, generation, depth, children, open, name, components, , parent] = row;
  const chosen = model.selected && model.selected.index === index;
  const kinds = components.map((id) => model.typeOf.get(id)).filter((type) => type && type.form === 'value');
  return (
    <div class={chosen ? 'row chosen' : 'row'} role="option" aria-selected={chosen} data-index={index}
      style={{ paddingLeft: `${4 + depth * 14}px` }}
      onMouseDown={() => { model.pane = 'Entity'; model.select({ index, generation }); }}
      onDblClick={() => children && model.expand(index, !open)}>
      <span class="twist" onMouseDown={(event) => { event.stopPropagation(); model.expand(index, !open); }}>
        {children && parent === undefined && !model.query && !model.find ? (open ? '▾' : '▸') : ''}
      </span>
      <Label row={row} />
      {children ? <span class="count">{grouped(children)}</span> : null}
      {parent !== undefined && <span class="path">{parent}</span>}
      <span class="kinds">{kinds.map((type) => type.name).join(' ')}</span>
    </div>
  );
}

export function treeKey(event) {
  const { key } = event;
  const here = model.selected ? model.replica.rowOf(model.selected.index) : -1;
  const choose = (place, by = place < here ? -1 : 1) => {
    const at = Math.max(0, Math.min(model.rowCount - 1, place)), row = model.replica.rows(at, 1)[0];
    if (row?.[9]) { // keys pass over a row that stands for others: Tab reaches it
      if (at + by >= 0 && at + by < model.rowCount) { choose(at + by, by); }
    } else if (row) {
      model.select({ index: row[0], generation: row[1] });
      model.followRow = model.replica.rowOf(row[0]);
    }
  };
  const page = Math.max(1, Math.floor((document.getElementById('tree')?.clientHeight || 400) / ROW) - 1);
  if (key === 'ArrowDown') { choose(here + 1); }
  else if (key === 'ArrowUp') { choose(Math.max(0, here - 1)); }
  else if (key === 'PageDown') { choose(here + page); }
  else if (key === 'PageUp') { choose(here - page); }
  else if (key === 'ArrowRight' || key === 'ArrowLeft') {
    const row = here >= 0 ? model.replica.rows(here, 1)[0] : null;
    if (!row) { return false; }
    const [index, , depth, children, open] = row;
    if (key === 'ArrowRight' && children && !open) { model.expand(index, true); }
    else if (key === 'ArrowRight' && children) { choose(here + 1); }
    else if (key === 'ArrowLeft' && open) { model.expand(index, false); }
    else if (key === 'ArrowLeft' && depth) {
      for (let k = here - 1; k >= 0; k--) {
        const [above] = model.replica.rows(k, 1);
        if (above[2] < depth && !above[9]) { choose(k); break; }
      }
    }
  } else { return false; }
  return true;
}

export function Tree() {
  const names = model.types.filter((type) => type.form === 'value' || type.form === 'link' || type.form === 'links');
  useEffect(() => {
    if (model.revealed !== undefined) {
      model.followRow = model.replica.rowOf(model.revealed);
      const { parent, entity } = model.replica.entity(model.revealed, model.replica.generation(model.revealed)) ?? {};
      const above = parent ?? (entity?.startsWith('/') ? entity.slice(0, entity.lastIndexOf('/')) : ''), found = above ? model.replica.lookup(above) : null;
      model.besideRow = found ? model.replica.rowOf(found.index) : -1;
      model.revealed = undefined;
      model.changed();
    }
  });
  return (
    <section class="pane" aria-label="Tree">
      <div class="tools">
        <input id="find" placeholder={NARROW ? 'name or #index' : 'name or #index   ( / )'} aria-label="Search by name" value={model.find} spellcheck={false}
          onInput={(event) => model.setFilter(model.query, event.target.value)} />
        <button title="Open all (Shift-click: close all)" onClick={(event) => {
          model.replica.expandAll(!event.shiftKey); model.changed(); }}>Open all</button>
      </div>
      <div class="tools">
        <input id="query" placeholder={NARROW ? 'query: Monster, Health.points < 20' : 'query: Monster, !Corpse, Health.points < 20   ( f )'} aria-label="Filter by query"
          list="names" class={model.wrong ? 'wrong' : ''} value={model.query} spellcheck={false}
          onInput={(event) => model.setFilter(event.target.value, model.find)} />
        <datalist id="names">{names.map((type) => <option value={type.name} />)}</datalist>
      </div>
      {model.wrong && <div class="error" id="query-error">{model.wrong.replace(/^[a-z_]+: /, '')}</div>}
      <Virtual id="tree" label="Entities" count={model.rowCount} row={ROW} follow={model.followRow} beside={model.besideRow}
        paint={(first, count) => model.replica.rows(first, count).map((row, k) => (row[9] ? <Fold key={k} row={row} /> : <Row key={k} row={row} at={first + k} />))} />
      <div class="foot">
        {model.query || model.find ? `${model.info.cut ? 'at least ' : ''}${grouped(model.rowCount)} of ` : ''}
        {grouped(model.info.entities)} entities
        {model.query && !model.wrong && <button class="link" onClick={() => { model.tab = 'Plan'; model.changed(); }}>plan</button>}
      </div>
    </section>
  );
}
