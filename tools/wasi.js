/* wasi.js: what a WebAssembly program asks of a system, for the pages of the site and for Freedoom's:
 * text goes to a function, files live in memory and end with the program. A classic script, so that
 * it works in a page that was opened as a file; it sets settWasi, also where it is imported.
 *
 *     const wasi = settWasi({ print: (text) => ..., files: {name: Uint8Array}, args: [...] });
 *     const { instance } = await WebAssembly.instantiate(bytes, wasi.imports);
 *     wasi.run(instance)       a program with a main: returns its exit status
 *     wasi.begin(instance)     one whose functions are called: initializes it
 *
 * Files may be added to `files` later. */
(function () {
    "use strict";
    const OK = 0, BADF = 8, NOENT = 44, NOSYS = 52;
    const CREAT = 1, TRUNC = 8, APPEND = 1;

    function Exit(status) {
        this.status = status;
        this.message = "the program ended with status " + status;
    }

    globalThis.settWasi = function ({ print, files: given = {}, args = [] }) {
        const files = new Map(); /* path -> {bytes, size} */
        const open = [null, null, null, { folder: true }];
        const utf8 = new TextDecoder();
        let memory;
        const view = () => new DataView(memory.buffer);
        const array = (at, size) => new Uint8Array(memory.buffer, at, size);
        const path = (at, size) => utf8.decode(array(at, size).slice()).replace(/^(\.?\/)+/, "");
        function find(name) {
            if (!files.has(name) && Object.hasOwn(given, name)) {
                files.set(name, { bytes: given[name], size: given[name].length });
            }
            return files.get(name);
        }
        const texts = args.map((text) => new TextEncoder().encode(text + "\0"));
        const u32 = (at, value) => view().setUint32(at, value, true);
        const u64 = (at, value) => view().setBigUint64(at, BigInt(value), true);

        function each(vectors, count, work) { /* over scattered pieces of memory; returns the sum */
            let sum = 0;
            for (let k = 0; k < count; k++) {
                const size = view().getUint32(vectors + 8 * k + 4, true);
                const done = work(array(view().getUint32(vectors + 8 * k, true), size));
                sum += done;
                if (done < size) {
                    break;
                }
            }
            return sum;
        }
        function read(file, at) {
            return (piece) => {
                const size = Math.max(0, Math.min(piece.length, file.size - at.place));
                piece.set(file.bytes.subarray(at.place, at.place + size));
                at.place += size;
                return size;
            };
        }
        function write(file, at) {
            return (piece) => {
                const end = at.place + piece.length;
                if (end > file.bytes.length) {
                    const larger = new Uint8Array(Math.max(end, 2 * file.bytes.length));
                    larger.set(file.bytes);
                    file.bytes = larger;
                }
                file.bytes.set(piece, at.place);
                at.place = end;
                file.size = Math.max(file.size, end);
                return piece.length;
            };
        }
        const ofFile = (fd, work) => (open[fd] && open[fd].file ? (work(open[fd]), OK) : BADF);
        function stat(out, file) {
            array(out, 64).fill(0);
            view().setUint8(out + 16, file.folder ? 3 : 4);
            u64(out + 24, 1);
            u64(out + 32, file.folder ? 0 : file.size);
        }

        const wasi = {
            args_get: (list, at) => {
                texts.forEach((text, k) => {
                    u32(list + 4 * k, at);
                    array(at, text.length).set(text);
                    at += text.length;
                });
                return OK;
            },
            args_sizes_get: (count, size) => {
                u32(count, texts.length);
                u32(size, texts.reduce((sum, text) => sum + text.length, 0));
                return OK;
            },
            environ_get: () => OK,
            environ_sizes_get: (count, size) => (u32(count, 0), u32(size, 0), OK),
            clock_res_get: (clock, out) => (u64(out, 1000000), OK),
            clock_time_get: (clock, precision, out) => {
                const ms = clock === 0 ? Date.now() : performance.now();
                u64(out, Math.round(ms * 1e6));
                return OK;
            },
            random_get: (at, size) => (crypto.getRandomValues(array(at, size)), OK),
            sched_yield: () => OK,
            poll_oneoff: () => NOSYS,
            proc_exit: (status) => {
                throw new Exit(status);
            },
            fd_close: (fd) => (open[fd] ? ((open[fd] = null), OK) : BADF),
            fd_datasync: () => OK,
            fd_sync: () => OK,
            fd_fdstat_get: (fd, out) => {
                array(out, 24).fill(0);
                view().setUint8(out, fd < 3 ? 2 : open[fd] && open[fd].folder ? 3 : 4);
                u64(out + 8, 0x1fffffff);
                u64(out + 16, 0x1fffffff);
                return fd < 3 || open[fd] ? OK : BADF;
            },
            fd_fdstat_set_flags: () => OK,
            fd_filestat_get: (fd, out) => (open[fd] ? (stat(out, open[fd].file || open[fd]), OK) : BADF),
            fd_filestat_set_size: (fd, size) => ofFile(fd, (f) => (f.file.size = Number(size))),
            fd_prestat_get: (fd, out) => (fd === 3 ? (u32(out, 0), u32(out + 4, 1), OK) : BADF),
            fd_prestat_dir_name: (fd, out) => (array(out, 1).set([46]), OK), /* "." */
            fd_read: (fd, vectors, count, out) =>
                ofFile(fd, (f) => u32(out, each(vectors, count, read(f.file, f)))),
            fd_pread: (fd, vectors, count, offset, out) =>
                ofFile(fd, (f) => u32(out, each(vectors, count, read(f.file, { place: Number(offset) })))),
            fd_pwrite: (fd, vectors, count, offset, out) =>
                ofFile(fd, (f) => u32(out, each(vectors, count, write(f.file, { place: Number(offset) })))),
            fd_readdir: () => NOSYS,
            fd_seek: (fd, offset, whence, out) =>
                ofFile(fd, (f) => {
                    f.place = Number(offset) + [0, f.place, f.file.size][whence];
                    u64(out, f.place);
                }),
            fd_tell: (fd, out) => ofFile(fd, (f) => u64(out, f.place)),
            fd_write: (fd, vectors, count, out) => {
                if (fd === 1 || fd === 2) {
                    const text = (piece) => (print(utf8.decode(piece.slice())), piece.length);
                    u32(out, each(vectors, count, text));
                    return OK;
                }
                return ofFile(fd, (f) => {
                    f.place = f.append ? f.file.size : f.place;
                    u32(out, each(vectors, count, write(f.file, f)));
                });
            },
            path_create_directory: () => OK,
            path_filestat_get: (fd, flags, at, size, out) => {
                const file = find(path(at, size));
                const folder = path(at, size) === "." || path(at, size) === "";
                return file || folder ? (stat(out, file || { folder }), OK) : NOENT;
            },
            path_open: (fd, look, at, size, create, rights, inheriting, flags, out) => {
                const name = path(at, size);
                let file = find(name);
                if (name === "." || name === "") {
                    file = null;
                    open.push({ folder: true });
                } else if (!file && !(create & CREAT)) {
                    return NOENT;
                } else {
                    file = file || { bytes: new Uint8Array(4096), size: 0 };
                    files.set(name, file);
                    file.size = create & TRUNC ? 0 : file.size;
                    open.push({ file, place: 0, append: (flags & APPEND) !== 0 });
                }
                u32(out, open.length - 1);
                return OK;
            },
            path_remove_directory: () => NOENT,
            path_rename: (fd, from, fromSize, to, at, size) => {
                const file = find(path(from, fromSize));
                files.delete(path(from, fromSize));
                return file ? (files.set(path(at, size), file), OK) : NOENT;
            },
            path_unlink_file: (fd, at, size) => (files.delete(path(at, size)) ? OK : NOENT),
        };

        function attempt(start) { /* returns the exit status */
            try {
                start();
            } catch (error) {
                if (!(error instanceof Exit)) {
                    throw error;
                }
                return error.status;
            }
            return 0;
        }
        return {
            imports: { wasi_snapshot_preview1: new Proxy(wasi, { get: (known, name) => known[name] ?? (() => NOSYS) }) },
            run(instance) {
                memory = instance.exports.memory;
                return attempt(instance.exports._start);
            },
            begin(instance) {
                memory = instance.exports.memory;
                return attempt(instance.exports._initialize);
            },
        };
    };
})();
