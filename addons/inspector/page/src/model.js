// What the page knows: the replica, where in time it is, what is selected. Views read it; changes
// end with changed(), which paints once a frame.

import { Link } from './link.js';

const WORDS = 8;
const LIMIT = 384e6;

class Model {
  replica = null;
  link = null;
  file = null;           // {name, size, read}: a recording
  status = null;         // the program's
  problem = '';          // what went wrong last
  rejected = '';         // why the replica does not show what the program sends: stays until it does
  stuck = -1;            // entry that cannot be reached
  said = '';             // what went well last
  info = { first: 0, end: 0, at: -1, tail: -1, memory: 0, limit: LIMIT, frame: 0, entities: 0, types: 0, version: 0 };
  entry = new Float64Array(WORDS * 1024);  // WORDS numbers an entry, from entryBase on
  entryBase = 0;
  entryEnd = 0;
  line = [];             // entries from the first to the tip, by sequence number
  place = new Map();     // of an entry in the line
  tip = -1;
  target = -1;           // entry to go to
  following = true;      // the newest frame
  play = 0;              // -1, 0, 1: what a recording does by itself
  speed = 35;            // frames a second then
  marked = -1;           // entry that Diff compares with; -1: the one before
  types = [];
  typeOf = new Map();
  selected = null;       // {index, generation}
  headAt = -1e9;         // when the newest frame was shown last
  opened = false;        // an entity was selected to begin with
  pane = 'Tree';         // what a narrow page shows
  tab = 'Diff';
  query = '';
  find = '';
  wrong = '';            // about the query
  rowCount = 0;
  shown = -1;            // version that rowCount belongs to
  timings = { seek: 0, tree: 0, paint: 0, first: 0 };
  notes = { times: [], log: [] };
  show = () => {};       // paints all that is shown
  pending = false;
  painted = false;       // the first rows are

  changed() {
    if (!this.pending) {
      this.pending = true;
      if (!this.timings.first || this.painted) { this.soon = requestAnimationFrame(() => this.paint()); } // else behind the first rows
      this.fallback = setTimeout(() => this.paint(), 500); // a hidden page paints nothing
    }
  }

  paint() {
    if (!this.pending) { return; }
    this.pending = false;
    cancelAnimationFrame(this.soon);
    clearTimeout(this.fallback);
    const start = performance.now();
    this.advance(start);
    if (this.ready) { this.refresh(); }
    this.show();
    this.timings.paint = performance.now() - start;
    if (this.play || !this.there()) { this.changed(); }
  }

  there() { return this.target < 0 || this.info.at === this.target || this.stuck === this.target; }
  live() { return this.link !== null && this.link.state === 'open'; }
  atHead() { return this.info.at >= 0 && this.info.at === this.info.tail; }
  // A frame that is on its way takes no field away from who writes in it.
  canEdit() {
    const now = performance.now();
    if (this.atHead()) { this.headAt = now; }
    return this.live() && this.following && now - this.headAt < 1000;
  }

  // ------------------------------------------------------------------------------------- time

  advance(now) {
    if (!this.ready) { return; }
    this.readEntries();
    if (this.play && this.there() && this.line.length) {
      const due = Math.floor((now - this.playedAt) * this.speed / 1000);
      if (due > 0) {
        this.playedAt = now;
        const next = this.placeNow() + this.play * Math.min(due, 8);
        this.target = this.line[Math.max(0, Math.min(this.line.length - 1, next))];
        if (next <= 0 || next >= this.line.length - 1) { this.play = 0; }
      }
    }
    if (this.following && this.info.tail >= 0) { this.target = this.info.tail; }
    if (this.target >= 0 && this.target < this.info.first) { this.target = this.info.first; }
    if (this.target >= 0 && this.info.at !== this.target && this.stuck !== this.target) {
      const from = performance.now();
      const done = this.replica.seek(this.target, this.file && this.file.read < this.file.size ? 60 : 12);
      this.timings.seek = performance.now() - from;
      if (typeof done === 'string') {
        this.stuck = this.target;
        this.play = 0;
        if (this.following) { this.reject('state', done); } else { this.problem = done; this.target = this.info.at; }
      } else if (this.following) {
        this.accept('state');
      }
      this.info = this.replica.info();
    }
  }

  readEntries() {
    const info = this.info = this.replica.info();
    if (info.end < this.entryEnd) { this.forget(); }
    if (info.end > this.entryEnd) {
      const fresh = this.replica.entries(Math.max(this.entryEnd, info.first), info.end);
      if (this.entryEnd < info.first) { this.entryBase = this.entryEnd = info.first; }
      const need = (info.end - this.entryBase) * WORDS;
      if (need > this.entry.length) {
        const larger = new Float64Array(need * 2);
        larger.set(this.entry);
        this.entry = larger;
      }
      this.entry.set(fresh, (this.entryEnd - this.entryBase) * WORDS);
      this.entryEnd = info.end;
    }
    if (this.tip !== info.tail && (this.tip < 0 || this.following || this.parent(info.tail) === this.tip ||
                                   this.descends(info.tail, this.tip))) {
      this.setTip(info.tail);
    }
    if (this.line.length && this.line[0] < info.first) { this.setTip(this.tip, true); }
  }

  at(entry, word) { return this.entry[(entry - this.entryBase) * WORDS + word] ?? 0; }
  frame(entry) { return this.at(entry, 0); }
  parent(entry) { return entry < 0 ? -1 : this.at(entry, 1); }
  size(entry) { return this.at(entry, 2); }
  begun(entry) { return this.at(entry, 3); }
  ended(entry) { return this.at(entry, 4); }
  hash(entry) {
    const part = (word) => this.at(entry, word).toString(16).padStart(8, '0');
    return part(6) + part(5);
  }
  hashLow(entry) { return this.at(entry, 5); }

  descends(entry, ancestor) {
    for (let k = 0; entry >= this.info.first && k < 2000; k++) {
      if (entry === ancestor) { return true; }
      entry = this.parent(entry);
    }
    return false;
  }

  // The parent; a line that does not lead to the past ends.
  before(entry) {
    const parent = this.parent(entry);
    if (parent >= entry) { console.error('entry', entry, 'has parent', parent, JSON.stringify([this.info, this.entryBase, this.entryEnd])); }
    return parent < entry ? parent : -1;
  }

  // The line ends at an entry: all others are other branches.
  setTip(tip, again) {
    const last = this.line.length ? this.line[this.line.length - 1] : -1;
    const fresh = [];
    let at = tip;
    while (at >= this.info.first && at >= 0 && (again || at !== last)) {
      fresh.push(at);
      at = this.before(at);
    }
    if (again || at !== last || last < 0) {
      this.line = [];
      this.place.clear();
      if (!again && at >= this.info.first && at >= 0) {
        while (at >= this.info.first && at >= 0) { fresh.push(at); at = this.before(at); }
      }
    }
    for (let k = fresh.length - 1; k >= 0; k--) {
      this.place.set(fresh[k], this.line.length);
      this.line.push(fresh[k]);
    }
    this.tip = tip;
  }

  placeNow() { return this.place.get(this.target >= 0 ? this.target : this.info.at) ?? this.line.length - 1; }

  go(entry) {
    if (entry === undefined || entry < 0) { return; }
    this.target = entry;
    this.following = entry === this.info.tail && !this.file ? true : false;
    this.changed();
  }
  goPlace(place) { this.play = 0; this.go(this.line[Math.max(0, Math.min(this.line.length - 1, Math.round(place)))]); }
  step(by) {
    if (by > 0 && this.live() && this.atHead()) {
      this.ask('step', { frames: by });
      return;
    }
    this.goPlace(this.placeNow() + by);
  }
  goLive() {
    this.play = 0;
    if (this.link && this.link.state === 'closed' && !this.file) { this.link.open(); }
    this.following = true;
    this.setTip(this.info.tail);
    this.changed();
  }
  playBy(direction) {
    this.following = false;
    this.target = this.info.at;
    this.play = this.play === direction ? 0 : direction;
    this.playedAt = performance.now();
    this.changed();
  }
  // The space bar: the game runs or pauses, or the recording plays or stops.
  toggle() {
    if (this.play) { this.play = 0; this.changed(); return; }
    if (this.live() && this.following) {
      this.ask(this.status?.running ? 'pause' : 'run');
    } else {
      this.playBy(1);
    }
  }

  // --------------------------------------------------------------------------------- what is shown

  refresh() {
    if (this.info.types !== this.types.length || this.typesOf !== this.info.branch) {
      this.readTypes();
    }
    if (this.shown !== this.info.version) {
      const start = performance.now();
      const count = this.replica.tree();
      this.timings.tree = performance.now() - start;
      this.wrong = count < 0 ? this.replica.why() : '';
      this.rowCount = Math.max(0, count);
      this.info = this.replica.info();
      this.shown = this.info.version;
      if (this.rowCount && !this.timings.first) {
        this.timings.first = performance.now();
        requestAnimationFrame(() => setTimeout(() => { // painted
          document.documentElement.dataset.first = String(Math.round(performance.now()));
          this.painted = true;
          if (this.pending) { this.paint(); }
        }));
      }
      if (this.rowCount && !this.opened) { this.begin(); }
    }
    for (const note of this.info.notes ? this.replica.notes() : []) { this.note(note); }
  }

  // To begin with: the first entity with children, and these.
  begin() {
    this.opened = true;
    const first = Math.max(0, this.replica.firstParent());
    const generation = this.replica.generation(first);
    if (!this.selected && generation) {
      this.replica.expand(first, true);
      this.select({ index: first, generation }, true);
    }
  }

  // What an entity is called everywhere: its name, its first constant, or its prefab's name; else its handle.
  label(reference) {
    if (this.labelsOf !== this.info.version) { this.labels = new Map(); this.labelsOf = this.info.version; }
    let label = this.labels.get(reference);
    if (label === undefined) {
      const [, index, generation] = /^#(\d+):(\d+)$/.exec(reference) ?? [];
      label = index === undefined ? reference.split('/').pop() : this.replica.label(Number(index), Number(generation));
      this.labels.set(reference, label);
    }
    return label || reference;
  }

  readTypes() {
    this.types = this.replica.types();
    this.typeOf = new Map(this.types.map((type) => [type.id, type]));
    this.typeNamed = new Map(this.types.map((type) => [type.name, type]));
    this.typesOf = this.info.branch;
    this.countedOf = this.info.version;
  }
  // The types, with the counts of the frame that is shown.
  counted() {
    if (this.countedOf !== this.info.version) { this.readTypes(); }
    return this.types;
  }

  // Records of times (7) and of the log (8), as docs/stream.md has them.
  note({ kind, frame, bytes }) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    const number = (size) => { at += size; return size === 8 ? Number(view.getBigUint64(at - 8, true)) : size === 4 ? view.getUint32(at - 4, true) : view.getUint16(at - 2, true); };
    const text = () => { const size = number(2); at += size; return new TextDecoder().decode(bytes.subarray(at - size, at)); };
    const list = kind === 7 ? this.notes.times : this.notes.log;
    try {
      if (kind === 7) {
        const systems = [];
        for (let count = number(4); count > 0; count--) { systems.push({ name: text(), runs: number(8), time_last: number(8), time_total: number(8) }); }
        list.push({ frame, systems });
      } else {
        const what = ['', 'created', 'destroyed', 'added', 'removed', 'edited'][bytes[at++]];
        const system = text(), component = text(), entity = `#${number(4)}:${number(4)}`, line = text();
        list.push({ frame, kind: what || line, entity, component, system, commands: line === 'commands' });
      }
    } catch { return; } // cut off
    if (list.length > 20000) { list.splice(0, 5000); }
  }
  // How long systems took, at the frame that is shown or before.
  timesNow() {
    const { times } = this.notes;
    let k = times.length - 1;
    while (k >= 0 && times[k].frame > this.info.frame) { k--; }
    return k >= 0 ? times[k] : null;
  }

  setFilter(query, find) {
    this.query = query;
    this.find = find;
    const start = performance.now();
    const count = this.replica.filter(query.trim(), find.trim());
    this.timings.filter = performance.now() - start;
    this.wrong = count < 0 ? this.replica.why() : '';
    this.rowCount = Math.max(0, count);
    this.info = this.replica.info();
    this.shown = this.info.version;
    this.changed();
  }

  select(entity, reveal) {
    this.selected = entity;
    if (entity && reveal) {
      this.replica.reveal(entity.index);
      this.revealed = entity.index;
    }
    this.changed();
  }
  follow(reference) {
    const entity = this.replica.lookup(reference);
    if (entity) { this.select(entity, true); } else { this.fail(`${reference} does not live in this frame`); }
  }
  expand(index, open) { this.replica.expand(index, open); this.info = this.replica.info(); this.changed(); }

  fold(index, open) { this.replica.fold(index, open); this.info = this.replica.info(); this.changed(); }

  // A world that cannot be shown is no empty one: the page says so, and the program's log. The first reason counts: what
  // follows cannot be read because of it.
  reject(part, why) {
    if (this.rejected) { return; }
    this.rejected = why;
    this.rejectedPart = part;
    this.changed();
    if (this.live()) { this.link.ask('report', { text: why.slice(0, 390) }).catch(() => {}); }
  }
  accept(part) { if (this.rejectedPart === part) { this.rejected = this.rejectedPart = ''; } }

  fail(why) { this.problem = why; this.said = ''; this.changed(); }
  say(what) { this.said = what; this.problem = ''; this.changed(); }

  // Asks the program; what it rejects is shown. Returns the answer, or null.
  async ask(what, more) {
    if (!this.link) { this.fail('a recording cannot be changed'); return null; }
    try {
      const answer = await this.link.ask(what, more);
      this.problem = '';
      this.changed();
      return answer;
    } catch (error) {
      this.fail(error.message);
      return null;
    }
  }

  // ------------------------------------------------------------------------------------- sources

  forget() {
    this.entryBase = this.entryEnd = 0;
    this.line = [];
    this.place.clear();
    this.tip = this.target = this.marked = this.stuck = -1;
    this.rejected = '';
    this.info = { ...this.info, at: -1, tail: -1, end: 0, first: 0, frame: 0 };
    this.selected = null;
    this.opened = false;
    this.types = [];
    this.shown = -1;
    this.notes = { times: [], log: [] };
  }

  connect(early) {
    this.link = new Link({
      bytes: (bytes) => {
        const why = this.replica.feed(bytes);
        if (why) { this.reject('stream', why); } else { this.accept('stream'); }
        const info = this.replica.info();
        if (info.memory > 1.6 * info.limit && !this.following) {
          this.link.close();
          this.fail('the past that is kept is full: the connection is closed until you go back to live');
        }
        this.changed();
      },
      status: (status) => { this.status = status; this.changed(); },
      // Its answer has the cookie, for which the first row does not wait.
      state: (state) => { this.changed(); if (state === 'open') { setTimeout(() => this.ask('status'), 300); } },
    });
    this.link.open(early);
  }

  async openFile(file) {
    if (this.link) { this.link.close(); this.link = null; }
    this.replica.reset();
    this.replica.limit(1500e6);
    this.replica.filter('', '');
    this.forget();
    this.query = this.find = '';
    this.file = { name: file.name, size: file.size, read: 0 };
    this.following = true;
    this.play = 0;
    this.problem = this.said = '';
    const piece = 1 << 20;
    for (let at = 0; at < file.size; at += piece) {
      const bytes = new Uint8Array(await file.slice(at, at + piece).arrayBuffer());
      const why = this.replica.feed(bytes);
      this.file.read = Math.min(file.size, at + piece);
      if (why) {
        this.fail(`${file.name}: ${why}`);
        this.file.read = file.size;
        break;
      }
      this.changed();
      if (at % (8 * piece) === 0) { await new Promise((done) => requestAnimationFrame(done)); }
    }
    this.changed();
  }
}

export const model = new Model();
