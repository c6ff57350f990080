// Values of components, by their members.

import { h, Fragment } from 'preact';
import { useRef, useEffect, useState } from 'preact/hooks';
import { model } from './model.js';

const isReference = (member) => member.kind === 'entity';

export function plain(value) {
  if (value === null || value === undefined) { return '–'; }
  if (typeof value === 'number') { return Number.isInteger(value) ? String(value) : String(Math.round(value * 1e6) / 1e6); }
  if (typeof value === 'string') { return value; }
  if (typeof value === 'boolean') { return value ? 'true' : 'false'; }
  if (Array.isArray(value)) { return value.map(plain).join(' '); }
  if (value.base64 !== undefined && Object.keys(value).length === 1) { return hex(value.base64); }
  return Object.entries(value).map(([name, part]) => `${name} ${plain(part)}`).join(', ');
}

export function hex(base64) {
  const bytes = [...atob(base64)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'));
  return bytes.slice(0, 64).join(' ') + (bytes.length > 64 ? ` … ${bytes.length} bytes` : '');
}

// One label everywhere; the handle beside it where it is not the label.
export function Name({ of, handle }) {
  const label = model.label(of);
  return <><span class={label === of ? 'number' : 'name'} title={of}>{label}</span>{handle && label !== of && <span class="number">{of}</span>}</>;
}

export function Reference({ to }) {
  if (!to) { return <span class="none">none</span>; }
  return <button class="link reference" title="Go to this entity" onClick={() => model.follow(to)}><Name of={to} /></button>;
}

// One value that has no parts.
function Shown({ member, value }) {
  if (isReference(member)) { return <Reference to={value} />; }
  if (member.bits) {
    return <span class="bits">{value.length ? value.map((bit) => <em>{plain(bit)}</em>) : <span class="none">none</span>}</span>;
  }
  if (member.kind === 'bool') { return <span class="bool">{value ? '☑ true' : '☐ false'}</span>; }
  if (member.constants) { return <span class="constant">{plain(value)}</span>; }
  return <span class={typeof value === 'string' ? 'text' : 'digits'}>{plain(value)}</span>;
}

// Text as it is typed becomes a value; undefined: it is none.
export function parse(member, typed) {
  const trimmed = typed.trim();
  if (member.kind === 'text') { return typed; }
  if (member.kind === 'entity') { return trimmed === '' || trimmed === 'none' ? null : trimmed; }
  if (member.kind === 'bool') { return trimmed === 'true' ? true : trimmed === 'false' ? false : undefined; }
  if (member.constants && !member.bits && member.constants.includes(trimmed)) { return trimmed; }
  if (/^[iu]64$/.test(member.kind) && /^-?\d{16,}$/.test(trimmed)) { return trimmed; }
  if (/^-?(NaN|Infinity)$/.test(trimmed)) { return trimmed; }
  const number = Number(trimmed);
  return trimmed !== '' && Number.isFinite(number) ? number : undefined;
}

function Editor({ member, value, done }) {
  const input = useRef(null);
  const [wrong, setWrong] = useState(false);
  useEffect(() => { input.current.focus(); input.current.select?.(); }, []);
  const finish = () => {
    const parsed = parse(member, input.current.value);
    if (parsed === undefined) { setWrong(true); return; }
    done(parsed);
  };
  const onKeyDown = (event) => {
    event.stopPropagation();
    if (event.key === 'Enter') { finish(); } else if (event.key === 'Escape') { done(); }
  };
  if (member.constants && !member.bits && member.count === 1) {
    return (
      <select ref={input} class="editor" value={value} onKeyDown={onKeyDown} onBlur={() => done()}
        onChange={finish}>
        {!member.constants.includes(value) && <option value={value}>{plain(value)}</option>}
        {member.constants.map((name) => <option value={name}>{name}</option>)}
      </select>
    );
  }
  const range = member.minimum !== undefined ? `${member.minimum} to ${member.maximum}` : member.kind;
  return <input ref={input} class={wrong ? 'editor wrong' : 'editor'} defaultValue={value === null ? '' : plain(value)}
    title={range} spellcheck={false} onKeyDown={onKeyDown} onBlur={() => done()} />;
}

function Bits({ member, value, set }) {
  return (
    <span class="bits edit">
      {member.constants.map((name) => (
        <label><input type="checkbox" checked={value.includes(name)}
          onChange={(event) => set(event.target.checked ? [...value, name] : value.filter((bit) => bit !== name))} />{name}</label>
      ))}
    </span>
  );
}

// The first number of the entity that is selected: {type, path}; null: it has none.
function firstNumber() {
  const { selected } = model, now = selected && model.replica.entity(selected.index, selected.generation);
  const look = (value, path) => {
    if (typeof value === 'number') { return path; }
    if (value === null || typeof value !== 'object' || Array.isArray(value) || value.base64 !== undefined) { return undefined; }
    for (const [name, part] of Object.entries(value)) {
      const found = look(part, path ? `${path}.${name}` : name);
      if (found) { return found; }
    }
    return undefined;
  };
  for (const [name, value] of Object.entries(now?.components ?? {})) {
    const type = model.typeNamed.get(name), path = type && type.members.length ? look(value, '') : undefined;
    if (path) { return { type, path }; }
  }
  return null;
}

// What a panel without content offers: its question, about the first number of the entity.
export function Offer({ id, words, act }) {
  const first = firstNumber();
  return first && <p><button id={id} onClick={() => act(first.type, first.path)}>
    {words} {model.label(`#${model.selected.index}:${model.selected.generation}`)}.{first.type.name}.{first.path}?</button></p>;
}

// Fingers do not tap twice, and do not hover.
const coarse = globalThis.matchMedia?.('(pointer: coarse)').matches;

// A member and what is in it. `set(value)` changes it, if it can be changed.
export function Member({ member, value, before, set, depth, path, ask }) {
  const [editing, setEditing] = useState(false);
  const [open, setOpen] = useState(true);
  const changed = before !== undefined && plain(before) !== plain(value);
  const parts = member.count !== 1 && member.kind !== 'text' && member.kind !== 'opaque'
    ? (Array.isArray(value) ? value.map((part, k) => [k, part]) : Object.entries(value ?? {}))
    : null;
  const nested = member.kind === 'struct' && !parts ? member.members : null;
  const name = member.label ?? member.name;
  const line = (content, unit) => (
    <div class={changed ? 'member changed' : 'member'} style={{ paddingLeft: `${8 + depth * 14}px` }}
      title={member.description} data-path={path}>
      <span class="label" onClick={() => (nested || parts) && setOpen(!open)}>{nested || parts ? (open ? '▾ ' : '▸ ') : ''}{name}</span>
      <span class="value">{content}{unit && <span class="unit">{unit}</span>}</span>
      {ask && !nested && !parts && <span class="ask">{ask(path, value, member)}</span>}
    </div>
  );
  if (nested) {
    return (
      <>
        {line(null)}
        {open && nested.map((part) => (
          <Member member={part} value={value?.[part.name]} before={before?.[part.name]} depth={depth + 1} ask={ask}
            path={`${path}.${part.name}`} set={set && ((next) => set({ [part.name]: next }))} />
        ))}
      </>
    );
  }
  if (parts) {
    const element = { ...member, count: 1, kind: member.kind };
    const all = (key, next) => Array.isArray(value)
      ? value.map((part, k) => (k === key ? next : part))
      : { ...value, [key]: next };
    return (
      <>
        {line(<span class="count">{parts.length}</span>, member.unit)}
        {open && parts.slice(0, 256).map(([key, part]) => (
          <Member member={{ ...element, label: String(key) }} value={part} before={before?.[key]} depth={depth + 1} ask={ask}
            path={Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`} set={set && ((next) => set(all(key, next)))} />
        ))}
      </>
    );
  }
  if (member.bits && set && editing) { return line(<Bits member={member} value={value} set={set} />); }
  if (editing && set) {
    return line(<Editor member={member} value={value} done={(next) => { setEditing(false); if (next !== undefined) { set(next); } }} />, member.unit);
  }
  const start = set && member.kind !== 'opaque'
    ? () => (member.kind === 'bool' ? set(!value) : setEditing(true))
    : undefined;
  return line(
    <span class={start ? 'can' : ''} tabIndex={start ? 0 : undefined}
      onDblClick={start} onKeyDown={(event) => { if (start && event.key === 'Enter') { event.stopPropagation(); event.preventDefault(); start(); } }}
      onClick={start && (coarse || member.kind === 'bool') ? start : undefined}>
      <Shown member={member} value={value} />
    </span>, member.unit);
}
