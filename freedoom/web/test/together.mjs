/* together.mjs - pages play with programs: a host, one who joins him by UDP, and pages by WebSocket,
 * all in one game. At frames that are final all have one hash; a page goes, and another comes in its
 * place.
 *
 *     node together.mjs PLAYWRIGHT PLAY FOLDER MAP OUT */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { begin } from "../../../tools/browser.mjs";

const [playwright, program, folder, map, out] = process.argv.slice(2);
const PLAYERS = 4, ALL = (1 << PLAYERS) - 1;
const port = 20000 + (process.pid % 20000);
const test = await begin(playwright);
const { check, until } = test;

function play(...options) {
    const child = spawn(program, [...options, "--map", map, "--players", PLAYERS],
        { env: { ...process.env, SDL_VIDEODRIVER: "dummy" } });
    const running = { child, said: "", ended: false };
    child.stdout.on("data", (text) => (running.said += text));
    child.stderr.on("data", (text) => (running.said += text));
    child.on("close", () => (running.ended = true));
    return running;
}

/* In each frame a page notes the hash of the latest frame that is final. */
async function join(player, more = "") {
    const address = `http://127.0.0.1:${port}/?join&demo&players=${PLAYERS}&player=${player}${more}`;
    const page = await test.open(address, { width: 700, height: 700 }, more !== "");
    await page.evaluate(() => {
        game.finals = {};
        setInterval(() => {
            if (game.call !== null) {
                game.finals[game.call.web_final_frame()] = BigInt.asUintN(64, game.call.web_final_hash()).toString(16).padStart(16, "0");
            }
        }, 20);
    });
    return page;
}
const ask = (page, name) => page.evaluate((n) => game.call?.[n](), name);
const finals = (page) => page.evaluate(() => game.finals);

/* Frames that both noted, from one on: how many, and whether the hashes are equal. */
function compare(one, other, from) {
    const frames = Object.keys(one).filter((frame) => Number(frame) >= from && frame in other);
    return { count: frames.length, equal: frames.every((frame) => one[frame] === other[frame]) };
}

const host = play("--serve", "--pages", folder, "--port", port, "--demo", 100000);
const joined = play("--join", `127.0.0.1:${port}`, "--player", 2, "--demo", 100000);
try {
    await until(() => host.said.includes("pages join at"), "the host says where pages join");
    const three = await join(3), four = await join(4);
    await until(async () => (await ask(four, "web_compared")) > 20, "two pages and two programs play");
    check((await ask(three, "web_present")) === ALL, "all four are there");
    let same = compare(await finals(three), await finals(four), 0);
    check(same.count > 5 && same.equal, `${same.count} final frames have one hash in both pages`);
    fs.mkdirSync(out, { recursive: true });
    await three.screenshot({ path: path.join(out, "web-together.png") });

    await four.context().close();
    await until(async () => ((await ask(three, "web_present")) & 8) === 0, "a page that is closed is gone");
    const other = await join(4, "&seed=2");
    await until(async () => /over: .*game_version/.test(await other.textContent("#note")),
        "a page with another game is rejected, and says so");
    await other.context().close();
    const again = await join(4);
    await until(async () => (await ask(again, "web_present")) === ALL && (await ask(again, "web_final_frame")) > 0,
        "another comes in its place");
    const came = await ask(again, "web_final_frame");
    await until(async () => (await ask(again, "web_final_frame")) > came + 80, "and plays on");
    same = compare(await finals(three), await finals(again), came);
    check(came > 0 && same.count > 3 && same.equal, `from frame ${came} on ${same.count} final frames are equal again`);

    host.child.kill("SIGINT"); // as Ctrl+C does
    joined.child.kill("SIGINT");
    const last = /(\d+) hashes were equal; ([0-9a-f]{16}) before frame (\d+)/;
    for (const [name, running] of [["host", host], ["player by UDP", joined]]) {
        await until(() => running.ended && last.test(running.said), `the ${name} ends well`);
        const [, count, hash, frame] = running.said.match(last) ?? [];
        const noted = { ...(await finals(three)), ...(await finals(again)) };
        check(running.child.exitCode === 0 && count > 50, `it found ${count} hashes equal`);
        check(noted[frame] === hash, `a page has its last one: ${hash} before frame ${frame}`);
    }
} catch (error) {
    check(false, error.message);
}
console.log([host, joined].map(({ said }) => said.replace(/^/gm, "         ")).join(""));
host.child.kill();
joined.child.kill();
await test.end("web_together: pages and programs in one game");
