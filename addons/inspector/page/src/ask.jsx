// Who wrote this, and break when.

import { h, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';
import { handle } from './tree.jsx';
import { goFrame } from './timeline.jsx';
import { Name, Offer, plain } from './value.jsx';

const answers = model.answers = [];

// Asks the program, which runs the systems of that frame one by one; without a program the recording
// still says in which frame the value was written last.
export async function askWriter(type, path) {
  const entity = model.selected, frame = model.info.frame;
  const question = { entity: handle(entity), component: type.name, member: path, frame };
  const answer = { question, key: answers.length, busy: true };
  answers.unshift(answer);
  model.tab = 'Writer';
  model.changed();
  answer.written = lastChange(entity, type, path);
  if (model.live()) {
    const asked = answer.written ? { ...question, frame: answer.written.frame } : question;
    try {
      answer.reply = await model.link.ask('writer', asked);
    } catch (error) {
      answer.why = error.message;
    }
  } else {
    answer.why = 'a recording knows in which frame, but not which system: connect to the program to ask';
  }
  answer.busy = false;
  model.changed();
}

// The last frame, up to the one that is shown, in which the member became what it is.
function lastChange(entity, type, path) {
  const here = model.info.at, place = model.place.get(here), start = performance.now();
  const read = () => {
    const now = model.replica.entity(entity.index, entity.generation);
    if (!now) { return 'absent'; }
    let value = now.components[type.name];
    for (const step of path.split(/[.[\]]+/).filter(Boolean)) { value = value?.[step]; }
    return JSON.stringify(value === undefined ? 'absent' : value);
  };
  const now = read();
  let found = null;
  for (let p = place - 1; p >= 0; p--) {
    if (model.replica.seek(model.line[p], 1000) !== true || performance.now() - start > 3000) { break; }
    const before = read();
    if (before !== now) {
      found = { frame: model.frame(model.line[p + 1]), before: before === 'absent' ? null : JSON.parse(before), after: JSON.parse(now) };
      break;
    }
  }
  const reached = found ? null : model.frame(model.line[Math.max(0, place - 1)]);
  model.replica.seek(here, 1e6);
  model.info = model.replica.info();
  return found ?? (reached === null ? null : undefined);
}

export function Writer() {
  return (
    <div class="scroll" tabIndex={0} id="writer">
      {answers.length === 0 && <div class="empty">Who wrote this? Click <b>w</b> beside a value of the entity: the program restores the frame before,
        runs its systems one by one, and names the one that changed it. <Offer id="ask-first" words="Who wrote" act={askWriter} /></div>}
      {answers.map(({ question, written, reply, why, busy, key }) => (
        <div class="answer" key={key}>
          <div class="head"><button class="link" onClick={() => model.follow(question.entity)}><Name of={question.entity} /></button>
            <span class="title">{question.component}.{question.member}</span></div>
          {written && <div>written in <button class="link" onClick={() => goFrame(written.frame)}>frame {grouped(written.frame)}</button>:
            {' '}<s>{plain(written.before)}</s> → <b>{plain(written.after)}</b></div>}
          {written === undefined && <div>not changed in the frames that are kept</div>}
          {busy && <div class="note">asking the program …</div>}
          {reply && <div class="by">by <b class={/not reproducible/.test(reply.by) ? 'gone' : ''}>{reply.by}</b></div>}
          {reply?.difference && <div class="note">first difference: {plain(reply.difference)}</div>}
          {why && <div class="note">{why}</div>}
        </div>
      ))}
    </div>
  );
}

model.condition = '';
model.hits = [];

export function Break() {
  const [text, setText] = useState(model.condition);
  const set = async (condition) => {
    if (await model.ask('break', { condition, on: true })) {
      model.condition = condition;
      model.say(condition ? 'The program will pause in the frame in which this becomes true.' : 'No condition any more.');
    }
  };
  const broke = model.status?.broke;
  return (
    <div class="form">
      <p>Pause the program in the frame in which this query gets its first result:</p>
      <div class="tools">
        <input id="condition" class="wide" placeholder="Player, Health.points < 20" value={text} spellcheck={false}
          onInput={(event) => setText(event.target.value)}
          onKeyDown={(event) => { event.stopPropagation(); if (event.key === 'Enter') { set(text); } if (event.key === 'Escape') { event.target.blur(); } }} />
        <button id="set-break" disabled={!model.live() || !text.trim()} onClick={() => set(text)}>Set</button>
        <button disabled={!model.live() || (!text && !model.condition)} onClick={() => { setText(''); set(''); }}>Clear</button>
      </div>
      {!model.condition && <p class="note">{model.live() ? 'This page has set no condition.' : 'Only a running program can be paused.'}</p>}
      {model.condition && <p>Waiting for <code>{model.condition}</code>{broke === undefined || broke === null ? '.' : <>: it became true in <button class="link" onClick={() => goFrame(broke)}>frame {grouped(broke)}</button>,
        and <b id="broke">the program is paused</b>. <button onClick={() => model.step(-1)}>Step back ( , )</button> <button onClick={() => model.ask('run')}>Run on</button></>}</p>}
      <p class="note">In the frames that are kept, or in a recording:</p>
      <div class="tools"><button id="find-past" disabled={!text} onClick={() => findPast(text, -1)}>Find it before this frame</button>
        <button disabled={!text} onClick={() => findPast(text, 1)}>after this frame</button></div>
      {model.found && <p id="found">{model.found}</p>}
    </div>
  );
}

// The nearest frame in which a query becomes true, looked for in the replica.
async function findPast(text, direction) {
  const { replica } = model, query = model.query, part = model.find, here = model.info.at;
  let count = replica.filter(text, '');
  if (count < 0) { model.found = replica.why(); replica.filter(query, part); model.changed(); return; }
  const from = model.place.get(here);
  const holds = (p) => replica.seek(model.line[p], 1000) === true && replica.tree() > 0;
  let found = -1, p = from + direction, start = performance.now();
  if (direction > 0) {
    for (let was = count > 0; p < model.line.length; p++) {
      const is = holds(p);
      if (is && !was) { found = p; break; }
      was = is;
      if (performance.now() - start > 30) { model.found = `looking at frame ${model.frame(model.line[p])} …`; model.changed(); await new Promise((done) => setTimeout(done)); start = performance.now(); }
    }
  } else {
    for (let later = count > 0; p >= 0; p--) {
      const is = holds(p);
      if (!is && later && p + 1 !== from) { found = p + 1; break; }
      later = is;
      if (performance.now() - start > 30) { model.found = `looking at frame ${model.frame(model.line[p])} …`; model.changed(); await new Promise((done) => setTimeout(done)); start = performance.now(); }
    }
  }
  replica.seek(here, 1e6);
  replica.filter(query, part);
  model.shown = -1;
  if (found >= 0) {
    model.found = `It becomes true in frame ${grouped(model.frame(model.line[found]))}.`;
    model.hits = [model.line[found]];
    model.goPlace(found);
  } else {
    model.found = direction < 0 ? 'It does not become true before this frame.' : 'It does not become true after this frame.';
    model.changed();
  }
}
