/* page.js - Freedoom in a page: loads the game, hands it the keys, and shows its pictures.
 *
 * What can be said in the address, after a ?:
 *
 *     alone      simulate the one map that is shown, and no other
 *     demo       it plays by itself
 *     size=WxH   of the picture (640x400)
 *     seed=N     of all chance
 *     test       load, and wait for a test to call */
"use strict";

/* Bits of keys.h, by the key's place on the keyboard. */
const KEYS = {
    KeyW: 0, ArrowUp: 0, KeyS: 1, ArrowDown: 1, KeyA: 2, KeyD: 3, ArrowLeft: 4, ArrowRight: 5,
    ControlLeft: 6, KeyE: 7, Space: 7, KeyR: 8, Backspace: 8, Tab: 9, KeyH: 10, KeyC: 11, KeyK: 12,
    KeyN: 13, KeyM: 14, Digit1: 15, Digit2: 16, Digit3: 17, Digit4: 18, Digit5: 19, Digit6: 20,
    Digit7: 21, Digit8: 22, Digit9: 23,
};
const BUTTONS = { 0: 6, 2: 7 };
const REWIND = 1 << 8;

const wanted = new URLSearchParams(location.search);
const [width, height] = (wanted.get("size") ?? "640x400").split("x").map(Number);
const canvas = document.getElementById("picture");
const note = document.getElementById("note");
const files = {};
const keys = { held: 0, pressed: 0, mouse: 0 };
let wasm;

/* For tests, and for who is curious. */
const game = { call: null, files, keys, first: 0, ready: 0, bytes: 0, times: [], ticks: [], gaps: [] };
window.game = game;

function say(text) {
    note.textContent = text;
    note.hidden = text === "";
}

function fail(reason) {
    say("It does not work here: " + (reason.message ?? reason));
    throw reason;
}

/* --- loading ---------------------------------------------------------------------------------- */

/* Opened as a file, a page may not fetch: then a script has the bytes as text. */
function loadScript(name) {
    return new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = "inline/" + name + ".js";
        script.onload = () => {
            const text = atob(window.inlined[name]);
            delete window.inlined[name];
            script.remove();
            resolve(new Response(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
        };
        script.onerror = () => reject(new Error(name + " is missing"));
        document.head.append(script);
    });
}

async function load(name) {
    const response = location.protocol === "file:" ? await loadScript(name) : await fetch(name);
    if (!response.ok) {
        throw new Error(name + " is missing");
    }
    const bytes = await response.arrayBuffer();
    game.bytes += bytes.byteLength;
    return bytes;
}

async function loadWad(name) {
    const packed = new Response(await load(name + ".gz"));
    const stream = packed.body.pipeThrough(new DecompressionStream("gzip"));
    files[name] = new Uint8Array(await new Response(stream).arrayBuffer());
}

function textAt(at) {
    const bytes = new Uint8Array(wasm.memory.buffer, at);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}

function check(good) {
    if (!good) {
        throw new Error(textAt(wasm.web_fault()));
    }
    return good;
}

function start(all) {
    check(wasm.web_start(all, Number(wanted.get("seed") ?? 1), width, height));
}

/* --- pictures --------------------------------------------------------------------------------- */

canvas.width = width;
canvas.height = height;
const context = canvas.getContext("2d", { alpha: false });

function draw(seconds) {
    const at = check(wasm.web_frame(seconds, keys.held, keys.pressed, keys.mouse));
    keys.pressed = keys.mouse = 0;
    const pixels = new Uint8ClampedArray(wasm.memory.buffer, at, width * height * 4);
    context.putImageData(new ImageData(pixels, width, height), 0, 0);
}

let last = 0;

function frame(now) {
    try {
        const begin = performance.now();
        game.gaps.push(now - last);
        draw((now - last) / 1000);
        game.times.push(performance.now() - begin);
        game.ticks.push(wasm.web_played());
        if (game.times.length > 36000) {
            game.times.length = game.ticks.length = game.gaps.length = 0;
        }
        last = now;
        requestAnimationFrame(frame);
    } catch (reason) {
        fail(reason);
    }
}

/* --- keys ------------------------------------------------------------------------------------- */

function press(bit, down) {
    const mask = 1 << bit;
    if (!down) {
        keys.held &= ~mask;
    } else if ((keys.held & mask) === 0) {
        keys.held |= mask;
        keys.pressed |= mask;
        wasm?.web_play_itself(false);
    }
}

addEventListener("keydown", (event) => {
    if (event.code in KEYS && !event.altKey && !event.metaKey) {
        event.preventDefault();
        press(KEYS[event.code], true);
    }
});
addEventListener("keyup", (event) => {
    if (event.code in KEYS) {
        press(KEYS[event.code], false);
    }
});
addEventListener("blur", () => {
    keys.held = 0;
});
canvas.addEventListener("mousedown", (event) => {
    if (document.pointerLockElement !== canvas) {
        canvas.requestPointerLock()?.catch?.(() => {});
    } else if (event.button in BUTTONS) {
        press(BUTTONS[event.button], true);
    }
});
addEventListener("mouseup", (event) => {
    if (event.button in BUTTONS) {
        press(BUTTONS[event.button], false);
    }
});
addEventListener("mousemove", (event) => {
    if (document.pointerLockElement === canvas) {
        keys.mouse += event.movementX;
    }
});
canvas.addEventListener("contextmenu", (event) => event.preventDefault());

/* For screens without a keyboard. */
const back = document.getElementById("back");
back.addEventListener("pointerdown", () => {
    keys.held |= REWIND;
});
for (const name of ["pointerup", "pointerleave", "pointercancel"]) {
    back.addEventListener(name, () => {
        keys.held &= ~REWIND;
    });
}

/* --- the whole -------------------------------------------------------------------------------- */

async function run() {
    say("loading");
    const wasi = settWasi({ files, print: (text) => console.log(text) });
    const [code] = await Promise.all([load("freedoom.wasm"), loadWad("first.wad")]);
    const { instance } = await WebAssembly.instantiate(code, wasi.imports);
    wasi.begin(instance);
    wasm = instance.exports;
    game.call = wasm;
    if (!wanted.has("test")) {
        start(false);
        draw(0.04);
        game.first = performance.now();
        game.firstBytes = game.bytes;
    }
    if (!wanted.has("alone")) {
        say("the other maps are on their way");
        await loadWad("levels.wad");
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }
    game.ready = performance.now();
    say("");
    if (wanted.has("test")) {
        return;
    }
    if (!wanted.has("alone")) {
        start(true);
    }
    wasm.web_play_itself(wanted.has("demo"));
    game.ready = last = performance.now();
    requestAnimationFrame(frame);
}

run().catch(fail);
