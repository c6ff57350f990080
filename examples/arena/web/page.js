/* page.js: runs arena.wasm 20 times a second, and draws what its ship sees. */
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
    const wasi = settWasi({ print: (line) => console.log(line) });
    const net = settNet();
    const bytes = await (await fetch("arena.wasm")).arrayBuffer();
    const { instance } = await WebAssembly.instantiate(bytes, { ...wasi.imports, ...net.imports });
    arena.call = instance.exports;
    wasi.begin(instance);
    if (!arena.call.begin()) {
        throw new Error("memory ran out");
    }
    await net.connect(arena.call, location.host);
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
