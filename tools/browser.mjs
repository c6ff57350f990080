/* browser.mjs - what tests have in common that drive Debian's chromium.
 *
 *     const test = await begin(PLAYWRIGHT);
 *     const page = await test.open(address, { width: 900, height: 950 });
 *     test.check(good, "what is good then");
 *     await test.end("name"); */
import path from "node:path";

export async function begin(playwright) {
    const { chromium } = (await import(path.resolve(playwright, "index.js"))).default;
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    });
    let wrong = 0;

    function check(good, text) {
        console.log((good ? "  good   " : "  WRONG  ") + text);
        wrong += good ? 0 : 1;
    }

    return {
        browser,
        check,

        /* Waits for it for half a minute. */
        async until(holds, text) {
            for (let k = 0; k < 300 && !(await holds()); k++) {
                await new Promise((resolve) => setTimeout(resolve, 100));
            }
            check(await holds(), text);
        },

        /* A page in a browser of its own; an error in it is a failure, unless it has to fail. */
        async open(address, size, fails = false) {
            const context = await browser.newContext({ viewport: size });
            const page = await context.newPage();
            page.setDefaultTimeout(60000);
            page.on("pageerror", (error) => fails || check(false, error.message));
            await page.goto(address);
            return page;
        },

        /* Prints the sum, and ends the program. */
        async end(name) {
            await browser.close();
            console.log(wrong === 0 ? name : `${name}: ${wrong} WRONG`);
            process.exit(wrong === 0 ? 0 : 1);
        },
    };
}
