/* see.js: looks at the site in a browser: `make test-site`.
 *
 * Every page at four widths: it loads without an error, asks no other host, and is not wider than the
 * window. Search finds things, and every program runs and ends well, from files and from a server.
 * Pictures of some pages go to out/site, to be looked at. */
"use strict";
const fs = require("fs");
const http = require("http");
const path = require("path");
const { chromium } = require("playwright-core");

const root = path.resolve(__dirname, "../../build/site");
const out = path.resolve(__dirname, "../../out/site");
const only = process.argv[2]; /* a part of a page's name */
const shown = ["index", "see", "start/languages", "start/program", "concepts/storages", "concepts/snapshots", "cookbook/index", "cookbook/timers",
    "reference/index", "reference/core", "reference/functions", "moving/coming_from", "more/bench/index"];
/* What is looked for, the page that has it, and among how many first results. */
const questions = [["sett_query_create", "reference/core.html", 3], ["cooldown", "cookbook/cooldowns.html", 2], ["snapshot undo", "editor_undo"],
    ["delete", "concepts/entities.html", 2], ["despawn", "concepts/entities.html", 2], ["kill", "concepts/entities.html", 2],
    ["spawn", "concepts/entities.html", 2], ["instantiate", "concepts/relations.html", 3], ["clone", "concepts/relations.html", 3],
    ["node", "concepts/relations.html", 3], ["timer", "cookbook/timers.html", 2], ["debug", "more/inspector.html", 3],
    ["multiplayer", "concepts/network.html", 3], ["flecs", "moving/coming_from.html", 3], ["undo", "concepts/snapshots.html", 3], ["c++", "start/cpp.html", 1],
    ["python", "start/python.html", 1], ["lua", "start/languages.html", 1], ["delete zebra", "concepts/entities.html", 2]];
let bad = 0;

function wrong(text) {
    console.log(text);
    bad++;
}

function pagesBelow(folder) {
    return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const full = path.join(folder, entry.name);
        return entry.isDirectory() ? (entry.name === "_static" ? [] : pagesBelow(full))
            : entry.name.endsWith(".html") ? [path.relative(root, full)] : [];
    });
}

function serve() {
    const types = { html: "text/html", js: "text/javascript", css: "text/css", wasm: "application/wasm", svg: "image/svg+xml" };
    const server = http.createServer((request, answer) => {
        const file = path.join(root, decodeURIComponent(new URL(request.url, "http://x").pathname));
        fs.readFile(file, (error, bytes) => {
            answer.writeHead(error ? 404 : 200, { "Content-Type": types[file.split(".").pop()] || "application/octet-stream" });
            answer.end(bytes);
        });
    });
    return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

(async () => {
    fs.rmSync(out, { recursive: true, force: true });
    fs.mkdirSync(out, { recursive: true });
    const server = await serve();
    const bases = { file: "file://" + root + "/", server: "http://127.0.0.1:" + server.address().port + "/" };
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
    const pages = pagesBelow(root).filter((name) => !only || name.includes(only));
    let seen = 0;
    const programs = [];
    for (const [size, width, height] of [["phone", 390, 844], ["tablet", 900, 700], ["desk", 1280, 900], ["wall", 2560, 1300]]) {
        const page = await browser.newPage({ viewport: { width, height } });
        let now = "";
        page.on("pageerror", (error) => wrong(now + ": " + error));
        page.on("console", (message) => message.type() === "error" && wrong(now + ": " + message.text()));
        page.on("requestfailed", (request) => wrong(now + ": cannot load " + request.url()));
        page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || wrong(now + ": asks for " + request.url()));
        for (const name of pages) {
            now = name;
            await page.goto(bases.file + name, { waitUntil: "load" });
            const found = await page.evaluate(() => ({
                wide: document.documentElement.scrollWidth - window.innerWidth,
                broken: [...document.images].filter((i) => i.complete && i.naturalWidth === 0).map((i) => i.src),
                runs: document.querySelectorAll(".run").length,
            }));
            if (found.wide > 0) {
                wrong(`${name}: ${found.wide} pixels wider than a ${size}`);
            }
            found.broken.forEach((image) => wrong(name + ": cannot show " + image));
            if (shown.includes(name.replace(".html", ""))) {
                await page.screenshot({ path: path.join(out, `${name.replace(/\W/g, "_")}.${size}.png`) });
            }
            if (found.runs && size === "phone") {
                programs.push([name, found.runs]);
            }
            seen++;
        }
        await page.close();
    }
    console.log(`${seen} views of ${pages.length} pages`);

    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    page.on("pageerror", (error) => wrong(page.url() + ": " + error));
    let searches = 0, ran = 0;
    for (const [from, base] of Object.entries(bases)) {
        for (const [words, target, first] of questions) {
            await page.goto(base + "search.html?q=" + encodeURIComponent(words));
            await page.waitForFunction(() => /found|did not match/i.test(document.querySelector("#search-results")?.textContent || ""), null, { timeout: 30000 })
                .catch(() => {});
            const links = await page.$$eval("#search-results a", (items) => items.map((a) => a.href));
            searches++;
            const seen = first ? links.slice(0, first) : links;
            if (await page.$$eval("#search-results li", (items) => items.some((item) => !item.querySelector(".sentence")?.textContent))) {
                wrong(`search from a ${from}: "${words}" has a result without a sentence`);
            }
            if (!seen.some((link) => link.includes(target))) {
                wrong(`search from a ${from}: "${words}" does not find ${target}, only ${links.slice(0, 5)}`);
            }
        }
        for (const [name, count] of programs) {
            await page.goto(base + name);
            for (let k = 0; k < count; k++) {
                const place = page.locator(".run").nth(k);
                await place.locator("button").click();
                const handle = await place.elementHandle();
                await page.waitForFunction((e) => e.dataset.status !== undefined, handle, { timeout: 60000 }).catch(() => {});
                const status = await place.getAttribute("data-status");
                const text = await place.locator("pre").textContent();
                ran++;
                if (status !== "0" || text.trim() === "") {
                    wrong(`${name} from a ${from}: status ${status}: ${text.slice(0, 300)}`);
                }
            }
            if (from === "file" && name === "cookbook/timers.html") {
                await page.locator(".run").first().scrollIntoViewIfNeeded();
                await page.screenshot({ path: path.join(out, "run.phone.png") });
            }
        }
    }
    /* What tools/see.sh has made runs in its page: the game, and the inspector with a recording. */
    await page.goto(bases.file + "see.html");
    for (const [name, ready] of [["game", () => window.game !== undefined && game.ready !== 0 && game.call.web_tick() > 5],
        ["inspector", () => window.inspector?.info.frame === 1050]]) {
        const button = page.locator(`.live[data-src*="${name}"] button`);
        if (await button.count() === 0) {
            console.log(`skipped: the ${name} in "See it": tools/see.sh could not make it`);
            continue;
        }
        await button.click();
        await page.waitForTimeout(500);
        const frame = page.frames().find((one) => one.url().includes("/see/" + name));
        await frame.waitForFunction(ready, null, { timeout: 120000 }).catch(() => wrong(`see: the ${name} does not run`));
        await page.screenshot({ path: path.join(out, `see.${name}.png`) });
    }
    console.log(`${searches} searches, ${ran} runs of ${programs.length} programs, ${bad} faults`);
    await browser.close();
    server.close();
    process.exit(bad ? 1 : 0);
})();
