// Runs build/machines/wasm in its folder, for tools/machines.sh.
import fs from "fs";
import { WASI } from "wasi";

const wasi = new WASI({
    version: "preview1",
    args: ["machines", ...process.argv.slice(2)],
    preopens: { ".": "." },
    returnOnExit: true,
});
const program = await WebAssembly.compile(fs.readFileSync("wasm"));
const running = await WebAssembly.instantiate(program, { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(running);
