// Runs a program in build/machines, which is the current folder, for tools/machines.sh.
import fs from "fs";
import { WASI } from "wasi";

const [name, ...rest] = process.argv.slice(2);
const wads = "/usr/share/games/doom";
const wasi = new WASI({
    version: "preview1",
    args: [name, ...rest],
    preopens: fs.existsSync(wads) ? { ".": ".", [wads]: wads } : { ".": "." },
    returnOnExit: true,
});
const program = await WebAssembly.compile(fs.readFileSync(name));
const running = await WebAssembly.instantiate(program, { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(running);
