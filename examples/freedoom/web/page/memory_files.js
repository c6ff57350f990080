/* memory_files.js - what the game asks of a system: files in memory, a clock, and a place for messages. */
"use strict";

/* files: {name: Uint8Array}. Returns the imports; `memory` is to be set to the instance's. */
function makeWasi(files, print) {
    const GOOD = 0, BAD = 8, MISSING = 44, NOT_SUPPORTED = 52, FOLDER = 3;
    const open = new Map(); /* by descriptor: {bytes, at} */
    let next = FOLDER + 1;
    const wasi = { memory: null };
    const view = () => new DataView(wasi.memory.buffer);
    const bytes = (at, size) => new Uint8Array(wasi.memory.buffer, at, size);
    const text = (at, size) => new TextDecoder().decode(bytes(at, size).slice());
    const set64 = (at, value) => view().setBigUint64(at, BigInt(value), true);

    const calls = {
        clock_time_get(id, precision, at) {
            set64(at, BigInt(Math.round(performance.now() * 1e6)));
            return GOOD;
        },
        fd_prestat_get(fd, at) {
            if (fd !== FOLDER) {
                return BAD;
            }
            view().setUint32(at, 0, true);
            view().setUint32(at + 4, 1, true);
            return GOOD;
        },
        fd_prestat_dir_name(fd, at) {
            bytes(at, 1)[0] = 46; /* "." */
            return GOOD;
        },
        fd_fdstat_get(fd, at) {
            bytes(at, 24).fill(0);
            bytes(at, 1)[0] = fd === FOLDER ? 3 : open.has(fd) ? 4 : 2;
            set64(at + 8, 0x1fffffffn);
            set64(at + 16, 0x1fffffffn);
            return GOOD;
        },
        path_open(folder, follow, path, size, flags, rights, inherited, state, at) {
            const name = text(path, size).replace(/^\.?\//, "");
            if (!Object.hasOwn(files, name)) {
                return MISSING;
            }
            open.set(next, { bytes: files[name], at: 0 });
            view().setUint32(at, next++, true);
            return GOOD;
        },
        fd_read(fd, list, count, at) {
            const file = open.get(fd);
            if (file === undefined) {
                return BAD;
            }
            let done = 0;
            for (let i = 0; i < count; ++i) {
                const to = view().getUint32(list + i * 8, true);
                const part = file.bytes.subarray(file.at, file.at + view().getUint32(list + i * 8 + 4, true));
                bytes(to, part.length).set(part);
                file.at += part.length;
                done += part.length;
            }
            view().setUint32(at, done, true);
            return GOOD;
        },
        fd_seek(fd, offset, whence, at) {
            const file = open.get(fd);
            if (file === undefined) {
                return BAD;
            }
            const base = whence === 0 ? 0 : whence === 1 ? file.at : file.bytes.length;
            file.at = base + Number(offset);
            set64(at, file.at);
            return GOOD;
        },
        fd_close(fd) {
            return open.delete(fd) ? GOOD : BAD;
        },
        fd_write(fd, list, count, at) {
            let done = 0;
            for (let i = 0; i < count; ++i) {
                const size = view().getUint32(list + i * 8 + 4, true);
                print(text(view().getUint32(list + i * 8, true), size));
                done += size;
            }
            view().setUint32(at, done, true);
            return GOOD;
        },
        proc_exit(status) {
            throw new Error("the game ended with status " + status);
        },
    };
    wasi.imports = {
        wasi_snapshot_preview1: new Proxy(calls, {
            get: (known, name) => known[name] ?? (() => NOT_SUPPORTED),
        }),
    };
    return wasi;
}
