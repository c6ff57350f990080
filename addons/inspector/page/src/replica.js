// The replica: follow_view.c as WebAssembly, and the calls that the page makes.

const utf8 = new TextEncoder();
const text = new TextDecoder();

export class Replica {
  static async create(module) {
    const replica = new Replica();
    const instance = await WebAssembly.instantiate(await module, { wasi_snapshot_preview1: wasi(replica) });
    replica.c = instance.exports;
    replica.c._initialize?.();
    return replica;
  }

  u8(at, size) { return new Uint8Array(this.c.memory.buffer, at >>> 0, size); }
  why() {
    const at = this.c.follow_why() >>> 0, all = new Uint8Array(this.c.memory.buffer);
    return text.decode(all.subarray(at, all.indexOf(0, at)));
  }
  write(bytes) {
    const at = this.c.follow_input(bytes.length);
    if (!at) { throw new Error('memory ran out'); }
    this.u8(at, bytes.length).set(bytes);
    return bytes.length;
  }
  put(string) { return this.write(utf8.encode(string)); }
  taken(size) { return this.u8(this.c.follow_text_at(), size); }
  json(size) { return size ? JSON.parse(text.decode(this.taken(size))) : null; }

  reset() { this.c.follow_reset(); }
  limit(bytes) { this.c.follow_set_limit(bytes); }
  feed(bytes) { return this.c.follow_feed(this.write(bytes)) === 0 ? null : this.why(); }

  info() {
    const n = new Float64Array(this.c.memory.buffer, this.c.follow_info() >>> 0, 16);
    return {
      first: n[0], end: n[1], at: n[2], tail: n[3], memory: n[4], limit: n[5], frame: n[6], entities: n[7],
      types: n[8], version: n[9], branch: n[10], notes: n[11], open: n[12] !== 0, cut: n[14] !== 0,
    };
  }

  // Eight numbers an entry: frame, parent, bytes, begun, ended, hash low, hash high, branch | dead.
  entries(from, end) {
    const at = this.c.follow_entries(from) >>> 0;
    return at ? new Float64Array(this.c.memory.buffer, at, (end - from) * 8).slice() : new Float64Array(0);
  }

  // true: there; false: not yet; a string: why it cannot be reached.
  seek(entry, budget) {
    const done = this.c.follow_seek(entry, budget);
    return done < 0 ? this.why() : done === 1;
  }

  types() { return this.json(this.c.follow_types()) || []; }
  entity(index, generation) {
    const all = this.json(this.c.follow_entity(index, generation));
    return all ? all.entities[0] : null;
  }
  lookup(reference) {
    const index = this.c.follow_lookup(this.put(reference));
    return index < 0 ? null : { index, generation: this.c.follow_generation(index) };
  }
  generation(index) { return this.c.follow_generation(index) >>> 0; }

  filter(query, part) { return this.c.follow_filter(this.put(query + '\0' + part)); }
  tree() { return this.c.follow_tree(); }
  rows(from, count) { return this.json(this.c.follow_rows(from, count)) || []; }
  rowOf(index) { return this.c.follow_row_of(index); }
  expand(index, open) { this.c.follow_expand(index, open ? 1 : 0); }
  expandAll(open) { this.c.follow_expand_all(open ? 1 : 0); }
  fold(index, open) { this.c.follow_fold(index, open ? 1 : 0); }
  reveal(index) { this.c.follow_reveal(index); }
  plan() { return text.decode(this.taken(this.c.follow_plan())).replace(/\0$/, ''); }

  // The name that the page gives an entity, or ''.
  label(index, generation) { return text.decode(this.taken(this.c.follow_label(index, generation))); }
  firstParent() { return this.c.follow_first_parent(); }

  // Lists the changes of one component, of entities if it is 0.
  diff(a, b, component) {
    const count = this.c.follow_diff(a, b, component);
    return count < 0 ? { why: this.why() } : { count };
  }
  // By component: [id, changed, added, removed]; id 0: entities.
  counts() {
    const bytes = this.taken(this.c.follow_counts()).slice(), n = new Uint32Array(bytes.buffer), list = [];
    for (let k = 0; k < n.length; k += 4) { list.push([n[k], n[k + 1], n[k + 2], n[k + 3]]); }
    return list;
  }
  changes(from, count) { return this.json(this.c.follow_changes(from, count)) || []; }
  // What a scene draws: index, generation, x, y, radius, colour of each.
  points({ query, x, y, radius, colour }) {
    const size = this.c.follow_points(this.put([query, x, y, radius ?? '', colour ?? ''].join('\0')));
    return size > 0 ? new Float64Array(this.taken(size).slice().buffer) : new Float64Array(0);
  }
  pages(component) { return this.taken(this.c.follow_pages(component)).slice(); }
  member(index, component, path) { return this.c.follow_member(index, component, this.put(path)); }

  // Records of times and log: [{kind, frame, bytes}].
  notes() {
    const all = this.taken(this.c.follow_notes()).slice(), list = [];
    const view = new DataView(all.buffer);
    for (let at = 0; at + 16 <= all.length;) {
      const size = view.getUint32(at + 4, true);
      const frame = view.getUint32(at + 8, true) + 4294967296 * view.getUint32(at + 12, true);
      list.push({ kind: view.getUint32(at, true), frame, bytes: all.subarray(at + 16, at + 16 + size) });
      at += 16 + size;
    }
    return list;
  }
}

// What wasi-libc asks of its surroundings: a clock; all else fails, and is not used.
function wasi(replica) {
  const known = {
    clock_time_get(id, precision, at) {
      const now = BigInt(Math.round(performance.now() * 1e6));
      new DataView(replica.c.memory.buffer).setBigUint64(at, now, true);
      return 0;
    },
    proc_exit(code) { throw new Error('the replica ended: ' + code); },
  };
  return new Proxy({}, { get: (_, name) => known[name] || (() => 52), has: () => true });
}
