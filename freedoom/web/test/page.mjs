/* page.mjs - the page in a browser: it shows a picture soon, obeys the keys, rewinds, and plays to
 * the same states as this machine does.
 *
 *     node page.mjs PLAYWRIGHT PAGE TWIN OUT SCRIPTS WAD...
 *
 * SCRIPTS is how many random games are compared. Pictures go to the folder OUT; times are printed,
 * and not judged: this machine may be busy. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

const [playwright, folder, twin, out, scripts, ...wads] = process.argv.slice(2);
const { chromium } = (await import(path.resolve(playwright, "index.js"))).default;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const TICKS = 350;
let wrong = 0;

function check(good, text) {
    console.log((good ? "  good   " : "  WRONG  ") + text);
    wrong += good ? 0 : 1;
}

function twinSays(...words) {
    return execFileSync(twin, [...words.map(String)], { encoding: "utf8" }).trim();
}

const server = http.createServer((request, response) => {
    const name = path.join(folder, path.normalize(new URL(request.url, "http://x").pathname));
    const file = name.endsWith("/") ? name + "index.html" : name;
    if (!fs.existsSync(file)) {
        response.writeHead(404).end();
        return;
    }
    response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
    fs.createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const site = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});

async function open(address) {
    const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
    page.setDefaultTimeout(300000);
    page.on("pageerror", (error) => check(false, address + ": " + error.message));
    await page.goto(address);
    await page.waitForFunction(() => game.ready !== 0);
    return page;
}

const ask = (page, name, ...values) =>
    page.evaluate(([n, v]) => {
        const answer = game.call[n](...v);
        return typeof answer === "bigint" ? BigInt.asUintN(64, answer).toString(16).padStart(16, "0") : answer;
    }, [name, values]);

const wait = (page, ms) => page.waitForTimeout(ms);
const picture = (page) => page.evaluate(() => document.getElementById("picture").toDataURL());
const shoot = (page, name) => page.screenshot({ path: path.join(out, `web-${name}.png`) });

/* Of sorted times, the one after this share of them. */
const at = (times, share) => times.sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];

const spread = (times) => {
    const [median, most, worst] = [0.5, 0.99, 1].map((share) => at([...times], share).toFixed(1));
    return `median ${median} ms, 99 % within ${most} ms, worst ${worst} ms`;
};

const share = (times) => `${(times.filter((time) => time < 1000 / 60).length / times.length * 100).toFixed(2)} % in time for 60 a second`;

async function testGame() {
    console.log("the game, from a server");
    const page = await open(site);
    const { first, firstBytes, ready, bytes } = await page.evaluate(() => ({ ...game, files: null, call: null, times: null, ticks: null, gaps: null }));
    check(firstBytes <= 3e6, `first picture after ${firstBytes} bytes and ${first.toFixed(0)} ms; all maps after ${bytes} bytes and ${ready.toFixed(0)} ms`);
    check((await ask(page, "web_map_count")) === 68, "all maps are simulated");
    await page.waitForFunction(() => game.call.web_tick() > 5);
    await shoot(page, "first");

    const before = await picture(page);
    await page.keyboard.press("KeyH");
    await wait(page, 300);
    await shoot(page, "help");
    check((await picture(page)) !== before, "H changes the picture");
    await page.keyboard.press("KeyH");

    const x = await ask(page, "web_x"), y = await ask(page, "web_y"), angle = await ask(page, "web_angle");
    await page.keyboard.down("ArrowLeft");
    await wait(page, 200);
    await page.keyboard.up("ArrowLeft");
    const turned = await ask(page, "web_angle");
    await page.keyboard.down("ArrowRight");
    await wait(page, 200);
    await page.keyboard.up("ArrowRight");
    await page.keyboard.down("KeyW");
    await wait(page, 2500);
    await page.keyboard.up("KeyW");
    check(turned > angle, "the left arrow turns to the left");
    check(Math.hypot((await ask(page, "web_x")) - x, (await ask(page, "web_y")) - y) > 64, "W walks");
    await shoot(page, "walked");

    await page.keyboard.press("Tab");
    await wait(page, 400);
    await shoot(page, "map");
    await page.keyboard.press("Tab");
    await page.keyboard.press("KeyC");
    await wait(page, 800);
    await shoot(page, "costs");
    await page.keyboard.press("KeyC");

    const tick = await ask(page, "web_tick");
    await page.keyboard.down("KeyR");
    await wait(page, 800);
    check((await ask(page, "web_mode")) === 1, "R rewinds");
    await shoot(page, "rewind");
    await page.keyboard.up("KeyR");
    await page.waitForFunction(() => game.call.web_mode() === 0);
    check((await ask(page, "web_tick")) < tick, "and the game goes on from there");
    await wait(page, 300);
    check((await ask(page, "web_ghosts")) > 0, "with ghosts");
    await shoot(page, "ghosts");
    await page.close();
}

/* A phone: touches as the browser itself makes them, with two fingers at once. */
async function testPhone(width, height) {
    console.log(`a phone of ${width} by ${height}`);
    const context = await browser.newContext({ viewport: { width, height }, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    page.setDefaultTimeout(300000);
    page.on("pageerror", (error) => check(false, "phone: " + error.message));
    await page.route("**/first.wad.gz", (route) => setTimeout(() => route.continue(), 400));
    await page.goto(site + "?alone", { waitUntil: "commit" });
    await page.waitForSelector("#note");
    check(/loading/.test(await page.textContent("#note")), "it says that it is loading");
    await page.waitForFunction(() => window.game !== undefined && game.ready !== 0);
    check((await page.textContent("#note")) === "touch to play", "and then, touch to play");
    const tick = await ask(page, "web_tick");
    await wait(page, 1500);
    check((await ask(page, "web_tick")) > tick, "before the first touch it plays by itself");
    check((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, "nothing is wider than the screen");
    await shoot(page, `phone-${width}`);

    const session = await context.newCDPSession(page);
    const touch = (type, ...points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    const left = { x: width * 0.2, y: height * 0.6, id: 1 }, right = { x: width * 0.7, y: height * 0.6, id: 2 };
    await touch("touchStart", left);
    await touch("touchEnd");
    check(await page.isHidden("#note"), "a touch begins the game");
    const before = [await ask(page, "web_x"), await ask(page, "web_y"), await ask(page, "web_angle")];
    const walking = { ...left, y: left.y - 60 };
    await touch("touchStart", left);
    await touch("touchMove", walking);
    await touch("touchStart", walking, right);
    for (let k = 1; k <= 20; ++k) {
        await touch("touchMove", walking, { ...right, x: right.x - 3 * k });
        await wait(page, 60);
    }
    check((await page.evaluate(() => game.keys.held)) === 1, "two fingers: the left one walks");
    await shoot(page, `phone-${width}-fingers`);
    await touch("touchEnd");
    const after = [await ask(page, "web_x"), await ask(page, "web_y"), await ask(page, "web_angle")];
    check(Math.hypot(after[0] - before[0], after[1] - before[1]) > 32 && after[2] > before[2], "he has walked, and turned to the left");
    check((await page.evaluate(() => game.keys.held)) === 0, "and stands when they are lifted");
    await touch("touchStart", right);
    await touch("touchEnd");
    await wait(page, 1000);
    check((await page.evaluate(() => game.shots === 1 && game.keys.held === 0)), "a tap on the right shoots, once");
    const centre = async (name) => page.evaluate((id) => { const box = document.getElementById(id).getBoundingClientRect(); return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; }, name);
    await touch("touchStart", { ...(await centre("back")), id: 1 });
    await wait(page, 500);
    check((await ask(page, "web_mode")) === 1, "a button rewinds");
    await touch("touchEnd");
    await page.waitForFunction(() => game.call.web_mode() === 0);
    const { heard, loudest } = await page.evaluate(() => game);
    check(heard > 11025 * 2 && loudest > 1000, `it can be heard: ${heard} samples, the loudest ${loudest}`);
    await context.close();
}

async function testFile() {
    console.log("the page as a file");
    const page = await open("file://" + path.resolve(folder, "index.html") + "?alone");
    await wait(page, 500);
    check((await ask(page, "web_tick")) > 1, "it plays without a server");
    await shoot(page, "file");
    await page.close();
}

async function testSame() {
    console.log("the same states as on this machine");
    const page = await open(site + "?test");
    check(await ask(page, "web_start", true, 1, 64, 64), "all maps can be made");
    const time = await page.evaluate((ticks) => {
        const start = performance.now();
        game.call.web_simulate(ticks);
        return (performance.now() - start) / ticks;
    }, TICKS);
    const [hash, native] = twinSays("simulate", TICKS, ...wads).split(" ");
    check((await ask(page, "web_hash")) === hash, `${TICKS} ticks of all maps end in ${hash}`);
    console.log(`         ${time.toFixed(2)} ms a tick, natively ${native}: ${(time / native).toFixed(2)} times`);
    let same = 0;
    const begun = Date.now();
    const expected = twinSays("script", 1, scripts, TICKS, ...wads).split("\n");
    for (let i = 0; i < scripts; ++i) {
        same += (await ask(page, "web_script", i + 1, TICKS)) === expected[i] ? 1 : 0;
    }
    check(same === Number(scripts), `${same} of ${scripts} random games, rewound and played again (${((Date.now() - begun) / 1000).toFixed(0)} s)`);
    for (const numbers of [0, 1]) {
        await march(page, numbers);
    }
    await page.close();
}

/* In turns, so that a busy machine is busy for both. */
async function march(page, numbers) {
    const there = [], here = [];
    await ask(page, "web_march", 10000, 200, numbers);
    for (let i = 0; i < 40; ++i) {
        there.push(await ask(page, "web_march", 10000, 1000, numbers));
        here.push(Number(twinSays("march", 1000, numbers)));
    }
    const ratio = (share) => (at(there, share) / at(here, share)).toFixed(2);
    console.log(`         P += V dt over ${numbers ? "numbers" : "structs"}: median ${at(there, 0.5).toFixed(3)} ns, ` +
        `natively ${at(here, 0.5).toFixed(3)}: ${ratio(0.5)} times (fastest ${ratio(0)}, quartiles ${ratio(0.25)} and ${ratio(0.75)})`);
}

async function testFrames() {
    console.log("frames, while it plays by itself for 30 s");
    const page = await open(site + "?demo");
    await wait(page, 30000);
    const { times, ticks, gaps } = await page.evaluate(() => ({ times: game.times, ticks: game.ticks, gaps: game.gaps }));
    check(times.length > 100, `${times.length} frames`);
    console.log(`         made in ${spread(times)}; ${share(times)}`);
    console.log(`         ticks: ${spread(ticks)}\n         pictures: ${spread(times.map((time, i) => time - ticks[i]))}`);
    console.log(`         one after the other: ${spread(gaps.slice(1))}`);
    await shoot(page, "demo");
    await page.close();
}

fs.mkdirSync(out, { recursive: true });
try {
    await testGame();
    await testPhone(390, 844);
    await testPhone(844, 390);
    await testFile();
    await testSame();
    await testFrames();
} finally {
    await browser.close();
    server.close();
}
console.log(wrong === 0 ? "all good" : `${wrong} wrong`);
process.exit(wrong === 0 ? 0 : 1);
