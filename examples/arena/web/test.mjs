/* test.mjs - two pages in a browser join the arena: each steers its ship, and sees the other's.
 *
 *     node test.mjs PLAYWRIGHT SERVER PAGE OUT */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { begin } from "../../../tools/browser.mjs";

const [playwright, program, folder, out] = process.argv.slice(2);
const test = await begin(playwright);
const { check, until } = test;
const server = spawn(program, ["127.0.0.1:0", folder, "120"]);
let said = "";
server.stdout.on("data", (text) => (said += text));
await until(() => said.includes("\n"), "the server listens");
const address = said.match(/http:\S+/)[0];

async function join() {
    const page = await test.open(address, { width: 900, height: 950 });
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
server.kill();
await test.end("arena_web: two pages in one arena");
