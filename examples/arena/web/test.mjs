/* test.mjs - two pages in a browser join the arena: each steers its ship, and sees the other's.
 *
 *     node test.mjs PLAYWRIGHT SERVER PAGE OUT */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const [playwright, program, folder, out] = process.argv.slice(2);
const { chromium } = (await import(path.resolve(playwright, "index.js"))).default;
let wrong = 0;

function check(good, text) {
    console.log((good ? "  good   " : "  WRONG  ") + text);
    wrong += good ? 0 : 1;
}

const server = spawn(program, ["127.0.0.1:0", folder, "120"]);
let said = "";
server.stdout.on("data", (text) => (said += text));
async function until(test, text) {
    for (let k = 0; k < 300 && !test(); k++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    check(test(), text);
}
await until(() => said.includes("\n"), "the server listens");
const address = said.match(/http:\S+/)[0];
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});

async function join() {
    const context = await browser.newContext({ viewport: { width: 900, height: 950 } });
    const page = await context.newPage();
    page.setDefaultTimeout(60000);
    page.on("pageerror", (error) => check(false, error.message));
    await page.goto(address);
    await page.waitForFunction(() => arena.state === 1 && arena.call.applied() > 20);
    return page;
}
const count = (page, name) => page.evaluate((n) => arena.call[n](), name);
const ships = async (page) => {
    const list = await page.evaluate(() => arena.list());
    const found = [];
    for (let k = 0; k < list.length; k += 3) {
        if (list[k + 2] !== 0) {
            found.push({ x: list[k], y: list[k + 1], own: list[k + 2] === 2 });
        }
    }
    return found.sort((a, b) => b.own - a.own);
};

try {
    const one = await join(), two = await join();
    check((await count(one, "number")) === 0 && (await count(two, "number")) === 1, "each page has a number");
    const before = await ships(one);
    check(before.length === 2 && before[0].own && !before[1].own, "a page sees its ship and the other's");
    await one.keyboard.down("ArrowDown");
    await one.waitForTimeout(1500);
    await one.keyboard.up("ArrowDown");
    await one.waitForTimeout(1000);
    const after = await ships(one), other = await ships(two);
    check(after[0].y - before[0].y > 300 && after[0].x === before[0].x, `its ship obeys: ${before[0].y} to ${after[0].y}`);
    check(other[1].x === after[0].x && other[1].y === after[0].y, "the other page sees it at the same place");
    check(other[0].y === before[1].y, "the other ship has not moved");
    const stones = (await one.evaluate(() => arena.list())).length / 3 - 2;
    check(stones > 20 && stones < 190, `${stones} of 200 stones are in sight`);
    fs.mkdirSync(out, { recursive: true });
    await one.screenshot({ path: path.join(out, "web-arena.png") });
    for (const page of [one, two]) {
        const [applied, failed, rejected, corrected] = await Promise.all(
            ["applied", "failed", "rejected", "corrected"].map((name) => count(page, name)));
        check(applied > 40 && failed === 0 && rejected === 0, `${applied} states, ${failed} failed, ${corrected} corrected`);
    }
    await one.context().close();
    await until(() => said.includes("client 0 leaves"), "who closes the page leaves the arena");
    await two.waitForTimeout(500);
    check((await ships(two)).length === 1, "and its ship is gone");
    const three = await join();
    check((await count(three, "number")) === 0, "another page takes its place");
} catch (error) {
    check(false, error.message);
}
await browser.close();
server.kill();
console.log(wrong === 0 ? "arena_web: two pages in one arena" : `arena_web: ${wrong} WRONG`);
process.exit(wrong === 0 ? 0 : 1);
