/* run.js: a button under each program that runs it in the page. Programs are loaded when they are
 * run: as .wasm over HTTP, as scripts with base64 inside where the page is a file, from which a
 * browser does not let a page fetch. */
(function () {
    "use strict";
    const base = document.currentScript.src.replace(/run\.js.*$/, "programs/");
    window.settPrograms = {}; /* name -> base64; the scripts fill it */

    function load(name) {
        if (location.protocol !== "file:") {
            return fetch(base + name + ".wasm").then((answer) => {
                if (!answer.ok) {
                    throw new Error(answer.status + " " + name + ".wasm");
                }
                return answer.arrayBuffer();
            });
        }
        return new Promise((resolve, reject) => {
            const script = document.createElement("script");
            script.src = base + name + ".js";
            script.onload = () => {
                resolve(Uint8Array.from(atob(window.settPrograms[name]), (c) => c.charCodeAt(0)));
            };
            script.onerror = () => reject(new Error(name + ".js cannot be loaded"));
            document.head.append(script);
        });
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
                const bytes = await load(place.dataset.program);
                const status = await window.settRun(bytes, (more) => (text += more));
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
