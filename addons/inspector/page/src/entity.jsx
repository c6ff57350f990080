import { h, Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { model } from './model.js';
import { grouped } from './numbers.js';
import { handle } from './tree.jsx';
import { Member, Reference, hex, plain } from './value.jsx';
import { watch } from './watch.jsx';
import { askWriter } from './ask.jsx';

let last = { key: '', version: -1, now: null, before: null };

// The entity as it is, and as it was in the frame that was shown before.
function read() {
  const entity = model.selected;
  const key = handle(entity);
  if (last.key !== key) { last = { key, version: -1, now: null, before: null }; }
  if (last.version !== model.info.version) {
    const now = model.replica.entity(entity.index, entity.generation);
    const same = JSON.stringify(now) === JSON.stringify(last.now);
    last = { key, version: model.info.version, now, at: model.info.at,
      before: same && last.at === model.info.at ? last.before : last.now };
  }
  return last;
}

function Component({ type, value, before, can, reference }) {
  const [open, setOpen] = useState(true);
  const set = can && ((next) => model.ask('set', { entity: reference, component: type.name, value: next })
    .then((answer) => answer && model.say(`${type.name} of ${reference} was set`)));
  const tag = type.size === 0;
  const ask = (path, now, member) => (
    <>
      {typeof now === 'number' && <button title="Draw this number over time" aria-label={`Draw ${type.name}.${path} over time`} onClick={() => watch(type, path)}>∿</button>}
      <button title="Who wrote this value?" aria-label={`Who wrote ${type.name}.${path}?`} onClick={() => askWriter(type, path)}>w</button>
    </>
  );
  return (
    <div class="component" data-component={type.name}>
      <div class="head">
        <span class="title" onClick={() => setOpen(!open)}>{tag ? '·' : open ? '▾' : '▸'} {type.name}</span>
        <span class="note">{tag ? 'tag' : `${type.size} B, ${type.storage}`}</span>
        {type.skip && <span class="skip" title="The type has SETT_SAVE_SKIP: its values are not in the stream">not saved</span>}
        {type.skip && model.live() && <Live type={type} reference={reference} />}
        {can && type.form === 'value' && <button class="quiet" title={`Remove ${type.name}`}
          onClick={() => model.ask('remove', { entity: reference, component: type.name })}>✕</button>}
      </div>
      {open && !tag && !type.skip && (type.members.length && value && value.base64 === undefined
        ? type.members.map((member) => (
          <Member member={member} value={value[member.name]} before={before?.[member.name]} depth={0} path={member.name} ask={ask}
            set={set && ((next) => set({ [member.name]: next }))} />
        ))
        : value?.base64 !== undefined && <div class="member bytes">{hex(value.base64)}</div>)}
    </div>
  );
}

// The value of a type that is not saved, asked of the program.
function Live({ type, reference }) {
  const [text, setText] = useState(null);
  return text === null
    ? <button onClick={async () => {
        const answer = await model.ask('live', { entity: reference });
        setText(answer ? String(answer.values?.[type.name] ?? 'absent') : null);
      }}>show as it is now</button>
    : <span class="text">{text}</span>;
}

function Add({ reference, has }) {
  const input = useRef(null);
  const add = async () => {
    const name = input.current.value.trim();
    if (name && await model.ask('add', { entity: reference, component: name })) { input.current.value = ''; }
  };
  const names = model.types.filter((type) => type.form === 'value' && !has.has(type.name));
  return (
    <span class="add">
      <input id="add" ref={input} placeholder="add component" list="addable" spellcheck={false}
        onKeyDown={(event) => { event.stopPropagation(); if (event.key === 'Enter') { add(); } if (event.key === 'Escape') { event.target.blur(); } }} />
      <datalist id="addable">{names.map((type) => <option value={type.name} />)}</datalist>
      <button onClick={add}>Add</button>
    </span>
  );
}

function Actions({ reference, prefab, has }) {
  return (
    <div class="tools actions">
      <Add reference={reference} has={has} />
      {prefab && <button onClick={async () => {
        const answer = await model.ask('instantiate', { prefab: reference });
        if (answer) { model.say(`${answer.entity} is an instance of ${reference}`); }
      }}>Instantiate</button>}
      <button class="danger" onClick={() => model.ask('destroy', { entity: reference })}>Destroy</button>
    </div>
  );
}

export function Entity() {
  if (!model.selected) {
    return (
      <section class="pane" aria-label="Entity">
        <div class="empty">Choose an entity on the left: arrows, or <kbd>/</kbd> to search.</div>
      </section>
    );
  }
  const { now, before } = read();
  const reference = handle(model.selected);
  if (!now) {
    const other = model.replica.generation(model.selected.index);
    return (
      <section class="pane" aria-label="Entity">
        <div class="tools"><b class="entity-name">{reference}</b></div>
        <div class="empty">{reference} does not live in frame {grouped(model.info.frame)}.
          {other !== 0 && <> At its index lives <Reference to={`#${model.selected.index}:${other}`} />.</>}</div>
      </section>
    );
  }
  const can = model.canEdit();
  const components = Object.entries(now.components).map(([name, value]) => [model.typeNamed.get(name), value]).filter(([type]) => type);
  const path = now.entity.startsWith('/') ? now.entity.slice(1).split('/') : null;
  const parent = path ? (path.length > 1 ? '/' + path.slice(0, -1).join('/') : null) : now.parent;
  return (
    <section class="pane" aria-label="Entity">
      <div class="tools entity-head">
        <b class="entity-name" id="entity-name">{model.label(reference)}</b>
        <span class="note">{model.label(reference) === reference ? '' : reference}</span>
        {parent && <span class="note">in <Reference to={parent} /></span>}
      </div>
      {can && <Actions reference={reference} has={new Set(Object.keys(now.components))} prefab={'Prefab' in now.components} />}
      {model.live() && !can && <div class="hint">
        {model.following ? 'Waiting for the newest frame.' : <>This is the past. <button onClick={() => model.goLive()}>Back to live</button> to change
          values, or <button onClick={() => restore()}>play on from here</button>.</>}</div>}
      <div class="scroll components" tabIndex={0}>
        {components.map(([type, value]) => (
          <Component key={type.name} type={type} value={value} before={before?.components?.[type.name]} can={can} reference={reference} />
        ))}
        {now.links && Object.entries(now.links).map(([name, list]) => (
          <div class="component" key={name}>
            <div class="head"><span class="title">→ {name}</span><span class="note">{list.length} {list.length === 1 ? 'target' : 'targets'}</span></div>
            {list.slice(0, 200).map((link) => (
              <div class="member"><span class="label">target</span>
                <span class="value"><Reference to={typeof link === 'string' ? link : link.to} />
                  {link.data !== undefined && <span class="digits">{plain(link.data)}</span>}</span></div>
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

// The game goes on from the frame that is shown; what came after it becomes another branch.
export async function restore() {
  const frame = model.info.frame;
  if (await model.ask('restore', { frame })) {
    model.goLive();
    model.say(`The game is in frame ${frame} again: what came after it is another branch.`);
  }
}
