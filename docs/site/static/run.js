/* run.js: a button under each program that runs it in the page. All programs are in one file of
 * WebAssembly, which is loaded when the first of them is run: as it is over HTTP, as a script with
 * base64 inside where the page is a file, from which a browser does not let a page fetch. */
(function () {
    "use strict";
    const base = document.currentScript.src.replace(/run\.js.*$/, "programs/");
    let programs = null; /* a promise of the compiled file */

    function fetched() {
        return fetch(base + "programs.wasm").then((answer) => {
            if (!answer.ok) {
                throw new Error(answer.status + " programs.wasm");
            }
            return answer.arrayBuffer();
        });
    }

    function included() {
        return new Promise((resolve, reject) => {
            const script = document.createElement("script");
            script.src = base + "programs.js";
            script.onload = () => resolve(Uint8Array.from(atob(window.settPrograms), (c) => c.charCodeAt(0)));
            script.onerror = () => reject(new Error("programs.js cannot be loaded"));
            document.head.append(script);
        });
    }

    async function run(name, print) {
        programs = programs || (location.protocol === "file:" ? included() : fetched()).then(WebAssembly.compile);
        const module = await programs.catch((error) => {
            programs = null; /* try again next time */
            throw error;
        });
        const wasi = settWasi({ args: ["sett", name], print });
        return wasi.run(await WebAssembly.instantiate(module, wasi.imports));
    }

    function prepare(place) {
        const button = document.createElement("button");
        const out = document.createElement("pre");
        button.textContent = "Run";
        out.hidden = true;
        out.setAttribute("aria-live", "polite");
        button.onclick = async () => {
            let text = "";
            button.disabled = true;
            out.hidden = false;
            out.textContent = "...";
            place.removeAttribute("data-status");
            try {
                const status = await run(place.dataset.program, (more) => (text += more));
                place.dataset.status = status;
                out.textContent = text + (status === 0 ? "" : "exit status " + status);
            } catch (error) {
                place.dataset.status = "error";
                out.textContent = text + error;
            }
            button.disabled = false;
        };
        place.append(button, out);
    }

    document.addEventListener("DOMContentLoaded", () => {
        document.querySelectorAll(".run").forEach(prepare);
    });
})();
