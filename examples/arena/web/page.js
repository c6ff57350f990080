/* page.js: passes messages on between the server and arena.wasm, 20 times a second, and draws. */
const RATE = 20, SIZE = 4096;
const states = ["connects", "plays", "is over"];
const arena = { state: 0, call: null, held: new Set() }; // also for tests
const text = document.getElementById("state");
const context = document.getElementById("arena").getContext("2d");

addEventListener("keydown", (event) => arena.held.add(event.key.toLowerCase()));
addEventListener("keyup", (event) => arena.held.delete(event.key.toLowerCase()));
addEventListener("blur", () => arena.held.clear());
const held = (...keys) => keys.some((key) => arena.held.has(key)) ? 1 : 0;

async function begin() {
    const socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/net");
    socket.binaryType = "arraybuffer";
    await new Promise((resolve, reject) => {
        socket.onopen = resolve;
        socket.onerror = () => reject(new Error("the server does not answer, or is full"));
    });
    const wasi = settWasi({ print: (line) => console.log(line) });
    const memory = () => arena.call.memory.buffer;
    const send = (at, size) => {
        if (socket.readyState === WebSocket.OPEN) {
            socket.send(new Uint8Array(memory(), at, size).slice());
        }
    };
    const bytes = await (await fetch("arena.wasm")).arrayBuffer();
    const { instance } = await WebAssembly.instantiate(bytes, { ...wasi.imports, page: { send } });
    arena.call = instance.exports;
    wasi.begin(instance);
    if (!arena.call.begin()) {
        throw new Error("memory ran out");
    }
    socket.onmessage = ({ data }) => {
        if (data.byteLength <= 1200) {
            new Uint8Array(memory(), arena.call.room(), data.byteLength).set(new Uint8Array(data));
            arena.call.arrived(data.byteLength);
        }
    };
    setInterval(tick, 1000 / RATE);
}

arena.list = () => { // x, y, kind of all that is seen; 2 is this page's ship
    const count = arena.call.draw();
    return Array.from(new Float32Array(arena.call.memory.buffer, arena.call.drawn(), 3 * count));
};

function tick() {
    const x = held("arrowright", "d") - held("arrowleft", "a");
    const y = held("arrowdown", "s") - held("arrowup", "w");
    arena.state = arena.call.tick(x, y);
    const list = arena.list();
    context.clearRect(0, 0, 800, 800);
    for (let k = 0; k < list.length; k += 3) {
        const half = list[k + 2] === 0 ? 3 : 7;
        context.fillStyle = ["#66727e", "#e0a030", "#50c0ff"][list[k + 2]];
        context.fillRect((list[k] * 800) / SIZE - half, (list[k + 1] * 800) / SIZE - half, 2 * half, 2 * half);
    }
    text.textContent = `${states[arena.state]}; ${list.length / 3} in sight, ${arena.call.applied()} states`;
}

begin().catch((error) => {
    arena.state = 2;
    text.textContent = error.message;
});
