// Where values lie: each type's pages, and what the program advises.

import { h, Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';
import { size } from './timeline.jsx';

function Pages({ type }) {
  const canvas = useRef(null);
  useEffect(() => {
    const pages = model.replica.pages(type.id), box = canvas.current;
    const columns = Math.min(64, Math.max(1, pages.length)), cell = 7, lines = Math.max(1, Math.ceil(pages.length / columns));
    box.width = columns * cell * devicePixelRatio;
    box.height = lines * cell * devicePixelRatio;
    box.style.width = `${columns * cell}px`;
    box.style.height = `${lines * cell}px`;
    const to = box.getContext('2d');
    to.scale(devicePixelRatio, devicePixelRatio);
    const style = getComputedStyle(document.documentElement);
    pages.forEach((full, k) => {
      to.globalAlpha = full ? 0.25 + 0.75 * full / 255 : 1;
      to.fillStyle = full ? style.getPropertyValue('--bar') : style.getPropertyValue('--edge');
      to.fillRect((k % columns) * cell, Math.floor(k / columns) * cell, cell - 1, cell - 1);
    });
  }, [type.id, type.count, model.info.at, document.documentElement.dataset.theme]);
  return <canvas ref={canvas} title="One square a page of values; the fuller, the stronger its colour" />;
}

function Advice() {
  const [advice, setAdvice] = useState(null);
  const [waiting, setWaiting] = useState(false);
  const [tried, setTried] = useState({});
  if (!model.live()) { return null; }
  const ask = async () => {
    const start = model.status?.frame ?? 0;
    let answer = await model.ask('advice');
    setWaiting(true);
    for (let k = 0; answer && answer.profiling && k < 200; k++) {
      await new Promise((done) => setTimeout(done, 250));
      if (!model.live() || (model.status?.frame ?? 0) < start + 61) { continue; }
      answer = await model.ask('advice');
    }
    setWaiting(false);
    if (answer) { setAdvice(answer.advice ?? []); }
  };
  const call = async (what, index) => {
    const answer = await model.ask(what, { advice: index });
    if (answer) { setTried({ ...tried, [index]: answer }); }
  };
  return (
    <div class="advice">
      <div class="head"><span class="title">Advice</span>
        <button id="advise" disabled={waiting} onClick={ask}>{waiting ? 'profiling 60 frames …' : 'Ask the program'}</button></div>
      {advice && advice.length === 0 && <div class="note">It would change nothing.</div>}
      {advice && advice.map((item, k) => (
        <div class="member">
          <span class="value"><span>{item.text}</span>
            <span class="note">{item.gain !== undefined && `gains ${item.gain}`}{item.cost !== undefined && `, costs ${item.cost}`}</span>
            {tried[k] && <span class="born">{tried[k].before_ns} ns → {tried[k].after_ns} ns</span>}</span>
          <button onClick={() => call('try', k)}>Try</button>
          <button onClick={() => call('apply', k)}>Apply</button>
          {item.line && <button onClick={() => navigator.clipboard.writeText(item.line).then(() => model.say('The line of C is in the clipboard.'))}>Copy C</button>}
        </div>
      ))}
    </div>
  );
}

export function Storage() {
  const [by, setBy] = useState('bytes');
  const [chosen, setChosen] = useState(null);
  const kept = useRef([]), held = useRef(false);
  const order = { bytes: (a, b) => b.count * b.size - a.count * a.size, count: (a, b) => b.count - a.count, name: (a, b) => (a.name < b.name ? -1 : 1) };
  const types = model.counted();
  // A row does not move away under the pointer.
  if (!held.current || kept.current.length !== types.length) { kept.current = [...types].sort(order[by]).map((type) => type.id); }
  const list = kept.current.map((id) => model.typeOf.get(id)).filter(Boolean);
  const total = list.reduce((sum, type) => sum + type.count * type.size, 0) || 1;
  const head = (key, label) => <th class={by === key ? 'on' : ''} onClick={() => { kept.current = []; setBy(key); }}>{label}</th>;
  return (
    <div class="scroll" tabIndex={0} id="storage">
      <Advice />
      <table>
        <thead><tr>{head('name', 'component')}<th>kind</th>{head('count', 'values')}<th>a value</th>{head('bytes', 'in use')}<th /></tr></thead>
        <tbody onPointerEnter={() => { held.current = true; }} onPointerLeave={() => { held.current = false; model.changed(); }}>
          {list.map((type) => (
            <Fragment key={type.id}>
              <tr class={chosen === type.id ? 'chosen' : ''} onClick={() => setChosen(chosen === type.id ? null : type.id)}>
                <td>{type.name}</td><td class="dim">{type.storage}</td><td class="n">{grouped(type.count)}</td>
                <td class="n dim">{type.size ? size(type.size) : ''}</td><td class="n">{type.size ? size(type.count * type.size) : ''}</td>
                <td class="share"><i style={{ width: `${100 * type.count * type.size / total}%` }} /></td>
              </tr>
              {chosen === type.id && <tr><td colSpan={6} class="pages"><Pages type={type} /></td></tr>}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Plan() {
  return (
    <div class="scroll" tabIndex={0} id="plan">
      {model.query && !model.wrong
        ? <pre>{model.replica.plan()}</pre>
        : <div class="empty">Write a query on the left ( <kbd>f</kbd> ): its plan is shown here, with the rows that each step is estimated to leave.</div>}
    </div>
  );
}
