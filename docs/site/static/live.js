/* live.js: what runs inside a page, once it is asked for: a picture with a button becomes a frame. */
"use strict";
for (const place of document.querySelectorAll(".live")) {
    const button = document.createElement("button");
    button.textContent = place.dataset.button;
    button.addEventListener("click", () => {
        const frame = document.createElement("iframe");
        frame.src = place.dataset.src;
        frame.title = place.dataset.button;
        frame.allow = "fullscreen; autoplay";
        place.replaceChildren(frame);
        frame.focus();
    });
    place.append(button);
}
