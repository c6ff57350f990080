import { h, Fragment, render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { model } from './model.js';
import { Replica } from './replica.js';
import { NARROW, Tree, treeKey } from './tree.jsx';
import { Entity } from './entity.jsx';
import { Timeline, size } from './timeline.jsx';
import { Diff } from './diff.jsx';
import { Watch } from './watch.jsx';
import { Writer, Break } from './ask.jsx';
import { Storage, Plan } from './storage.jsx';
import { Log } from './log.jsx';
import { Branches } from './branches.jsx';
import { Systems } from './systems.jsx';
import { Scene } from './scene.jsx';
import { Trends, watchAlarms } from './alarms.jsx';

const TABS = { Diff, Scene, Watch, Systems, Storage, Log, Writer, Break, Branches, Trends, Plan };
const LABELS = { Writer: 'Who wrote', Break: 'Break when' };

const KEYS = [
  ['/', 'search by name'], ['f', 'filter by a query'], ['↑ ↓ PgUp PgDn', 'move in the tree'], ['← →', 'close, open'],
  ['Enter', 'to the values of the entity; on a value: edit it'], ['Tab', 'from value to value'],
  ['space', 'run or pause; play a recording'], [', .', 'one frame back, on'], ['< >', '35 frames back, on'],
  ['b', 'play backwards'], ['Home End', 'first frame, newest'], ['g', 'go to a frame'], ['m', 'mark A: Diff compares with it'],
  ['1 … 9', 'the first panels on the right'], ['o', 'open a recording'], ['t', 'dark or light'], ['u U', 'undo an edit, redo it (Ctrl+Z, Ctrl+Y too), while the program is paused'], ['Esc', 'leave a field, clear a filter'], ['?', 'this list'],
];

function Help({ close }) {
  return (
    <div class="cover" onClick={close}>
      <div class="help" role="dialog" aria-label="Keys" onClick={(event) => event.stopPropagation()}>
        <h2>Keys</h2>
        <dl>{KEYS.map(([key, what]) => <><dt>{key.split(' ').map((one) => <kbd>{one}</kbd>)}</dt><dd>{what}</dd></>)}</dl>
        <h2>Queries</h2>
        <p><code>Monster, !Corpse</code> has one, not the other · <code>Health.points &lt; 20</code> compares a member ·
          {' '}<code>ChildOf($this, MAP01)</code> its parent · <code>Likes($this, $who), Player($who)</code> a link</p>
      </div>
    </div>
  );
}

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  try { localStorage.setItem('theme', root.dataset.theme); } catch { /* a file has no storage */ }
  model.changed();
}

function State() {
  const { file, link, status, info } = model;
  if (file) {
    const busy = file.read < file.size || (model.following && !model.there());
    return <span class="state"><i class="dot file" />{file.name}{busy && ` — reading ${Math.round(100 * file.read / file.size)} %`}</span>;
  }
  if (!link) { return <span class="state"><i class="dot" />nothing is open</span>; }
  if (link.state !== 'open') { return <span class="state lost"><i class="dot lost" />{link.state === 'opening' ? 'connecting …' : 'not connected'}</span>; }
  return (
    <span class="state"><i class={status?.running ? 'dot live' : 'dot paused'} />{status?.title ?? 'Sett'}
      <span class="note">{status?.running ? 'running' : 'paused'}{!model.following && ', you look at the past'}</span></span>
  );
}

// Edits of this pause are taken back, and made again, by the program.
async function back(what) {
  const answer = await model.ask(what);
  if (answer) { model.say(`${what === 'undo' ? 'undone' : 'done again'}: ${answer.undone ?? answer.redone}`); }
}

function Bar({ pick, help }) {
  const { info, status } = model;
  return (
    <header>
      <State />
      <span class="fill">{model.problem ? <span class="error" role="alert" id="problem">{model.problem}
        <button class="quiet" onClick={() => model.fail('')}>✕</button></span> : <span class="said" id="said">{model.said}</span>}</span>
      {model.live() && ['undo', 'redo'].map((what) => (
        <button id={what} disabled={!status?.[what]} onClick={() => back(what)}
          title={status?.[what] ? `${what}: ${status[what]}` : `Nothing to ${what}: edits of this pause can be undone`}>{what === 'undo' ? '↶' : '↷'}</button>
      ))}
      <span class="note" title="Memory for the past that this page keeps, and its limit; the world's own memory is in Trends">past: {size(info.memory)} of {size(info.limit)}</span>
      <button title="Open a recording ( o )" onClick={pick}>{NARROW ? 'Open' : 'Open…'}</button>
      <button title="Dark or light ( t )" onClick={theme}>◐</button>
      <button title="Keys ( ? )" onClick={help}>?</button>
    </header>
  );
}

// Why nothing, or not all, is shown.
function Rejected() {
  const { rejected, status, link } = model;
  const why = rejected ? `The page cannot show this world: ${rejected}` : link && status?.problem ? `The program says: ${status.problem}` : '';
  return why && <div class="rejected" role="alert" id="rejected">{why}</div>;
}

function Start({ pick }) {
  return (
    <div class="empty start">
      <p><button class="main" onClick={pick}>Open a recording…</button> or drop a file here.</p>
      <p class="note">A recording is what <code>sett_journal_create</code> writes, such as <code>freedoom --record FILE</code>.
        For a running game open the address that <code>sett_inspector_open</code> prints.</p>
    </div>
  );
}

function App() {
  const [help, setHelp] = useState(false);
  const file = useRef(null), tabs = useRef(null);
  useEffect(() => { model.toggleHelp = () => setHelp((open) => !open); model.pick = () => file.current.click(); }, []);
  // On a narrow page the tabs scroll: the one that is chosen is seen, and a fade says that more follow.
  const fade = () => { const list = tabs.current; list?.classList.toggle('more', list.scrollLeft + list.clientWidth < list.scrollWidth - 2); };
  useEffect(() => {
    const list = tabs.current, one = list?.querySelector('[aria-selected=true]');
    if (one && list.clientWidth) { list.scrollLeft = one.offsetLeft - list.offsetLeft - (list.clientWidth - one.offsetWidth) / 2; }
    fade();
  }, [model.tab, model.pane, model.ready, !!(model.file || model.link)]);
  const Tab = TABS[model.tab];
  const open = model.file || model.link;
  return (
    <>
      <Bar pick={() => file.current.click()} help={() => setHelp(true)} />
      <Rejected />
      <input type="file" id="file" hidden ref={file} onChange={(event) => { const [one] = event.target.files; if (one) { model.openFile(one); } event.target.value = ''; }} />
      {!open ? <Start pick={() => file.current.click()} /> : (
        <main data-pane={model.pane}>
          <Tree />
          <Entity />
          <section class="pane" aria-label="Panels">
            <nav role="tablist" ref={tabs} onScroll={fade}>{Object.keys(TABS).map((name, k) => (
              <button role="tab" aria-selected={model.tab === name} title={`${k + 1}`} onClick={() => { model.tab = name; model.changed(); }}>{LABELS[name] ?? name}</button>
            ))}</nav>
            <div class="panel"><Tab /></div>
          </section>
        </main>
      )}
      {open && <Timeline />}
      {open && <nav class="panes" aria-label="Parts of the page">{['Tree', 'Entity', 'Panels'].map((name) => (
        <button aria-pressed={model.pane === name} onClick={() => { model.pane = name; model.changed(); }}>{name}</button>
      ))}</nav>}
      {help && <Help close={() => setHelp(false)} />}
    </>
  );
}

const focus = (id) => { const field = document.getElementById(id); field?.focus(); field?.select?.(); };

function onKey(event) {
  const { key, target } = event;
  const field = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.type !== 'checkbox';
  if (event.ctrlKey || event.metaKey || event.altKey) { // in a field they are the field's
    const turn = { z: event.shiftKey ? 'redo' : 'undo', y: 'redo' }[key.toLowerCase()];
    if (turn && !event.altKey && !field && model.live()) { event.preventDefault(); back(turn); }
    return;
  }
  if (field) {
    if (key === 'Escape') {
      if (target.id === 'query' && model.query) { model.setFilter('', model.find); }
      else if (target.id === 'find' && model.find) { model.setFilter(model.query, ''); }
      else { target.blur(); }
    } else if ((key === 'Enter' || key === 'ArrowDown') && (target.id === 'find' || target.id === 'query')) {
      event.preventDefault();
      focus('tree');
      treeKey({ key: 'ArrowDown' });
    }
    return;
  }
  const inTree = target.id === 'tree' || target === document.body;
  const tab = Object.keys(TABS)[Number(key) - 1];
  const done =
    key === '?' ? (model.toggleHelp(), true)
    : key === '/' ? (focus('find'), true)
    : key === 'f' ? (focus('query'), true)
    : key === 'g' ? (focus('frame'), true)
    : key === 'o' ? (model.pick(), true)
    : key === 't' ? (theme(), true)
    : tab ? (model.tab = tab, model.changed(), true)
    : key === 'Escape' ? (document.querySelector('.cover')?.click(), model.query || model.find ? model.setFilter('', '') : model.fail(''), true)
    : !model.line.length ? false
    : key === ' ' && target.tagName !== 'BUTTON' ? (model.toggle(), true)
    : key === ',' ? (model.step(-1), true)
    : key === '.' ? (model.step(1), true)
    : key === '<' ? (model.goPlace(model.placeNow() - 35), true)
    : key === '>' ? (model.goPlace(model.placeNow() + 35), true)
    : key === 'b' ? (model.playBy(-1), true)
    : key === 'Home' ? (model.goPlace(0), true)
    : key === 'End' ? (model.file ? model.goPlace(1e9) : model.goLive(), true)
    : (key === 'u' || key === 'U') && model.live() ? (back(key === 'u' ? 'undo' : 'redo'), true)
    : key === 'm' ? (model.marked = model.info.at, model.tab = 'Diff', model.changed(), true)
    : key === 'Enter' && inTree ? (document.querySelector('.components .can')?.focus(), true)
    : inTree ? treeKey(event) : false;
  if (done) { event.preventDefault(); }
}

// The replica of a page that is one file: behind this script, compressed, as base64.
async function inline() {
  await new Promise((done) => addEventListener('DOMContentLoaded', done));
  const text = document.getElementById('replica').textContent;
  const bytes = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
  return WebAssembly.compile(await unpacked.arrayBuffer());
}

async function start() {
  const { early } = globalThis;
  try { document.documentElement.dataset.theme = localStorage.getItem('theme') ?? ''; } catch { /* a file */ }
  model.replica = await Replica.create(early ? early.replica : inline());
  if (early) {
    await early.begun; // one picture, with rows, instead of one without before it
    model.connect(early);
  }
  model.ready = true;
  model.show = () => render(<App />, document.getElementById('page'));
  setInterval(watchAlarms, 500);
  addEventListener('keydown', onKey);
  addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('drop'); });
  addEventListener('dragleave', () => document.body.classList.remove('drop'));
  addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('drop');
    if (event.dataTransfer.files[0]) { model.openFile(event.dataTransfer.files[0]); }
  });
  const own = document.getElementById('recording')?.textContent; // of a page that shows one: base64, compressed
  if (own) {
    const bytes = Uint8Array.from(atob(own), (one) => one.charCodeAt(0));
    const blob = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).blob();
    model.openFile(new File([blob], document.getElementById('recording').dataset.name ?? 'recording'));
  }
  globalThis.inspector = model; // for tests, and for the curious
  model.changed();
  model.paint(); // now, not in the next frame: that one has rows
}

start();
