/* page.js - Freedoom in a page: loads the game, hands it the keys, and shows its pictures.
 *
 * What can be said in the address, after a ?:
 *
 *     alone      simulate the one map that is shown, and no other
 *     join       play with others, at the host that shows this page (make serve), or join=host:port
 *     player=N   who one is then, from 2 on (2)
 *     players=N  and of how many (2)
 *     demo       it plays by itself, on and on; otherwise until the first key, click or touch
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

const wanted = new URLSearchParams(location.search);
const [width, height] = (wanted.get("size") ?? "640x400").split("x").map(Number);
const canvas = document.getElementById("picture");
const note = document.getElementById("note");
const files = {};
const keys = { held: 0, pressed: 0, mouse: 0 };
let wasm;

/* For tests, and for who is curious. */
const game = { call: null, files, keys, first: 0, ready: 0, bytes: 0, times: [], ticks: [], gaps: [], heard: 0, loudest: 0, shots: 0 };
window.game = game;

function say(text) {
    note.textContent = text;
    note.hidden = text === "";
}

function fail(reason) {
    say((wanted.has("join") ? "It is over: " : "It does not work here: ") + (reason.message ?? reason));
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
    if (game.first === 0) {
        say(`loading: ${(game.bytes / 1e6).toFixed(1)} MB`);
    }
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
        hear((now - last) / 1000);
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

/* --- sound ------------------------------------------------------------------------------------ */

const RATE = 11025;
const sound = document.getElementById("sound");
let audio, silent = false, due = 0;
let touched = false; // by a finger, the last time

/* A page may not make a sound before it is touched. */
function wake() {
    audio ??= new AudioContext();
    audio.resume().catch(() => {});
}

/* Each frame's sound is played behind the last one's; a frame that came late leaves a gap. */
function hear(seconds) {
    const at = wasm.web_listen(Math.min(seconds, 0.2)), count = wasm.web_heard();
    if (count === 0) {
        return;
    }
    const pairs = new Int16Array(wasm.memory.buffer, at, count * 2);
    game.heard += count;
    game.loudest = pairs.reduce((most, value) => Math.max(most, Math.abs(value)), game.loudest);
    if (audio?.state !== "running" || silent || due > audio.currentTime + 0.3) {
        return;
    }
    const buffer = audio.createBuffer(2, count, RATE);
    for (const side of [0, 1]) {
        const to = buffer.getChannelData(side);
        for (let i = 0; i < count; ++i) {
            to[i] = pairs[i * 2 + side] / 32768;
        }
    }
    const source = audio.createBufferSource();
    source.buffer = buffer;
    source.connect(audio.destination);
    due = due < audio.currentTime + 0.01 ? audio.currentTime + 0.06 : due;
    source.start(due);
    due += count / RATE;
}

sound.addEventListener("click", () => {
    silent = !silent;
    sound.textContent = silent ? "no sound" : "sound";
    wake();
});

/* --- keys ------------------------------------------------------------------------------------- */

/* The first key, click or touch: from now on it is played. */
function takeOver() {
    if (game.call !== null && game.ready !== 0) {
        wasm.web_play_itself(false);
        say("");
        wake();
        document.getElementById("hands").hidden = true;
    }
}

function press(bit, down) {
    const mask = 1 << bit;
    if (!down) {
        keys.held &= ~mask;
    } else if ((keys.held & mask) === 0) {
        keys.held |= mask;
        keys.pressed |= mask;
        takeOver();
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
    if (touched) { // what a browser makes of a tap
        return;
    }
    takeOver();
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

/* --- fingers ---------------------------------------------------------------------------------- */

const REACH = 14;    /* pixels that a finger moves before it walks */
const TURN = 2.2;    /* mouse steps a pixel */
const TAP = 250;     /* ms that a tap lasts at most */
const SHOT = 120;    /* ms that a tap holds the trigger */
const WALK = 0b1111; /* the bits of walking */
const fingers = new Map();
const place = document.getElementById("frame");

function walk(finger, event) {
    const x = event.clientX - finger.x, y = event.clientY - finger.y;
    keys.held = (keys.held & ~WALK) | (y < -REACH ? 1 : y > REACH ? 2 : 0) | (x < -REACH ? 4 : x > REACH ? 8 : 0);
}

/* The left half walks, as far from where the finger came down; the right half turns, and shoots. */
function touch(event) {
    touched = event.pointerType !== "mouse";
    if (!touched || event.target.closest("button")) {
        return;
    }
    takeOver();
    const box = place.getBoundingClientRect();
    const finger = { left: event.clientX < box.left + box.width / 2, x: event.clientX, y: event.clientY, at: performance.now(), far: 0 };
    fingers.set(event.pointerId, finger);
    if (finger.left) {
        finger.mark = document.createElement("div");
        finger.mark.id = "stick";
        finger.mark.style.left = event.clientX - box.left + "px";
        finger.mark.style.top = event.clientY - box.top + "px";
        place.append(finger.mark);
    }
}

function drag(event) {
    const finger = fingers.get(event.pointerId);
    if (finger?.left) {
        walk(finger, event);
    } else if (finger) {
        keys.mouse += (event.clientX - finger.x) * TURN;
        finger.far += Math.abs(event.clientX - finger.x) + Math.abs(event.clientY - finger.y);
        finger.x = event.clientX;
        finger.y = event.clientY;
    }
}

function lift(event) {
    const finger = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    finger?.mark?.remove();
    if (finger?.left) {
        keys.held &= ~WALK;
    } else if (finger && event.type === "pointerup" && finger.far < REACH && performance.now() - finger.at < TAP) {
        press(6, true);
        ++game.shots;
        setTimeout(() => press(6, false), SHOT);
    }
}

place.addEventListener("pointerdown", touch);
place.addEventListener("pointermove", drag);
place.addEventListener("pointerup", lift);
place.addEventListener("pointercancel", lift);

/* Buttons hold a key as long as they are held. */
for (const [name, bit] of [["back", 8], ["use", 7], ["map", 9]]) {
    const button = document.getElementById(name);
    button.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        press(bit, true);
        button.classList.add("down");
    });
    for (const end of ["pointerup", "pointerleave", "pointercancel"]) {
        button.addEventListener(end, () => {
            press(bit, false);
            button.classList.remove("down");
        });
    }
}
const coarse = matchMedia("(pointer: coarse)").matches;
if (coarse) {
    document.getElementById("back").textContent = "rewind";
}

/* --- together --------------------------------------------------------------------------------- */

/* All have this one map; what happens there is shown by the game itself. */
async function join(net) {
    say("connecting");
    await net.connect(wasm, wanted.get("join") || location.host);
    start(false);
    check(wasm.web_join(Number(wanted.get("players") ?? 2), Number(wanted.get("player") ?? 2)));
    document.getElementById("back").hidden = true;
}

/* --- the whole -------------------------------------------------------------------------------- */

async function run() {
    say("loading");
    const wasi = settWasi({ files, print: (text) => console.log(text) });
    const [code] = await Promise.all([load("freedoom.wasm"), loadWad("first.wad")]);
    const net = settNet();
    const { instance } = await WebAssembly.instantiate(code, { ...wasi.imports, ...net.imports });
    wasi.begin(instance);
    wasm = instance.exports;
    game.call = wasm;
    if (!wanted.has("test")) {
        start(false);
        draw(0.04);
        game.first = performance.now();
        game.firstBytes = game.bytes;
    }
    if (wanted.has("join")) {
        await join(net);
    } else if (!wanted.has("alone")) {
        say("loading: the other maps");
        await loadWad("levels.wad");
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }
    if (wanted.has("test")) {
        game.ready = performance.now();
        return;
    }
    if (!wanted.has("alone") && !wanted.has("join")) {
        start(true);
    }
    wasm.web_play_itself(!wanted.has("join") || wanted.has("demo"));
    wasm.web_hide_keys(coarse);
    say(wanted.has("demo") || wanted.has("join") ? "" : coarse ? "touch to play" : "click to play");
    document.getElementById("hands").hidden = wanted.has("demo");
    game.ready = last = performance.now();
    requestAnimationFrame(frame);
}

run().catch(fail);
