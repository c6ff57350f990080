/* find.js: the search page. Sphinx's index, read otherwise: words of other libraries are taken for ours,
 * pages that have some of the words are shown if none has all, and each result has a sentence.
 *
 * sentences.js, which tools/site.py writes, has the first sentence of each page, part and name. */
"use strict";
(() => {
    /* Words that mean the same here. The first is ours; behind the arrow is the page that is meant. */
    const WORDS = `
        destroy delete despawn kill free remove erase          > concepts/entities
        create spawn new make add                              > concepts/entities
        instantiate prefab clone copy duplicate template blueprint > concepts/relations
        hierarchy node parent child children tree scene attach transform > concepts/relations
        relationship relation link pair target                 > concepts/relations
        timer cooldown delay timeout interval after            > cookbook/timers
        cooldown recharge                                      > cookbook/cooldowns
        inspector debug debugger explorer inspect gui          > more/inspector
        misuse error assert crash warning                      > concepts/errors
        system schedule pipeline phase stage                   > concepts/jobs
        thread job parallel multithread async task lock        > concepts/threads
        query view filter iterate loop foreach each            > concepts/plans
        storage archetype table layout sparse                  > concepts/storages
        command buffer deferred defer record                   > concepts/commands
        snapshot rewind rollback undo back restore history     > concepts/snapshots
        network netcode multiplayer session lockstep ggpo udp enet desync float > concepts/network
        delta replicate sync                                   > concepts/deltas
        file save load serialize serialise json journal        > concepts/files
        observer callback event hook signal reactive trigger   > concepts/callbacks
        singleton resource global context unique               > reference/singleton
        group owning                                           > concepts/groups
        memory allocator allocation heap                       > concepts/memory
        browser wasm webassembly emscripten web                > concepts/browser
        benchmark bench speed performance fast                 > more/bench/index
        install build cmake package download                   > start/install
        state fsm machine behaviour behavior ai                > cookbook/state_machine
        tag flag marker                                        > cookbook/tags_as_states
        cplusplus cpp cxx hpp                                  > start/cpp
        python numpy cffi                                      > start/python
        rust lua zig csharp go java binding bindings ctypes ffi language languages > start/languages
        flecs entt bevy unity port migrate                     > moving/coming_from
    `.trim().split("\n").map((line) => {
        const [words, page] = line.split(">").map((part) => part.trim());
        return { words: words.split(/\s+/), page };
    });

    const split = (query) => query.toLowerCase().replace(/\bc\s?\+\+|\bc\s?plus\s?plus\b/g, " cplusplus ").replace(/\bc#/g, " csharp ")
        .split(/[^a-z0-9_]+/).filter((word) => word && !stopwords.includes(word));

    /* How much each page is about a word: page number -> score. `places` gets parts of pages. */
    function about(word, index, places) {
        const stemmer = new Stemmer(), found = new Map();
        const give = (pages, score) => (pages === undefined ? [] : [].concat(pages)).forEach((page) => found.set(page, Math.max(score, found.get(page) ?? 0)));
        const rows = WORDS.filter(({ words }) => words.includes(word));
        const all = new Map([[word, 1]]);
        rows.forEach(({ words }) => words.forEach((other) => all.has(other) || all.set(other, 0.5)));
        for (const [one, weight] of all) {
            const stem = stemmer.stemWord(one);
            give(index.terms[stem], 4 * weight);
            give(index.titleterms[stem], 14 * weight);
            if (one.length > 3 && weight === 1 && !index.terms[stem]) {
                Object.keys(index.terms).filter((term) => term.includes(one)).forEach((term) => give(index.terms[term], 2));
            }
        }
        rows.forEach(({ words, page }, k) => give(index.docnames.indexOf(page), (words[0] === word ? 34 : 30) - k));
        found.delete(-1);
        for (const [prefix, objects] of Object.entries(index.objects)) {
            for (const [page, kind, , anchor, name] of Array.isArray(objects) ? objects : Object.entries(objects).map(([name, of]) => [...of, name])) {
                const full = (prefix ? prefix + "." : "") + name, lower = full.toLowerCase();
                if (lower !== word && !(word.length > 3 && lower.includes(word))) { continue; }
                const score = lower === word ? 40 : lower.startsWith(word) ? 9 : 6;
                give(page, 3);
                places.push({ page, title: full, anchor: "#" + (anchor === "" ? full : anchor === "-" ? index.objnames[kind][1] + "-" + full : anchor),
                    about: `${index.objnames[kind][2]} of ${index.titles[page]}`, score, word });
            }
        }
        return found;
    }

    function find(query) {
        const index = Search._index, words = [...new Set(split(query))], places = [];
        const each = words.map((word) => about(word, index, places));
        const pages = new Map();
        each.forEach((found) => found.forEach((score, page) => {
            const at = pages.get(page) ?? { score: 0, words: 0 };
            pages.set(page, { score: at.score + score, words: at.words + 1 });
        }));
        const whole = [...pages.values()].some((at) => at.words === words.length);
        const results = [...pages].filter(([, at]) => !whole || at.words === words.length)
            .map(([page, at]) => ({ page, title: index.titles[page], anchor: "", score: at.score + 20 * at.words }));
        for (const place of places) {
            const others = words.filter((word) => word !== place.word && !place.title.toLowerCase().includes(word));
            if (others.length === 0) { results.push({ ...place, score: place.score + 20 * words.length }); }
        }
        for (const [title, parts] of Object.entries(index.alltitles ?? {})) {
            const lower = title.toLowerCase();
            if (words.length && words.every((word) => lower.includes(word === "cplusplus" ? "c++" : word))) {
                parts.filter(([page, id]) => id && title !== index.titles[page]).forEach(([page, id]) => results.push({ page, title, anchor: "#" + id, about: index.titles[page], score: 12 + 20 * words.length }));
            }
        }
        const seen = new Set();
        return { whole: whole || results.length === 0, results: results.sort((a, b) => b.score - a.score || a.title.length - b.title.length)
            .filter(({ page, anchor }) => !seen.has(page + anchor) && seen.add(page + anchor)).slice(0, 60) };
    }

    function show(query) {
        const { whole, results } = find(query), index = Search._index;
        Search.stopPulse();
        Search.title.textContent = "Search results";
        Search.status.textContent = results.length === 0 ? "Nothing found: no page has one of these words."
            : `${results.length} found${whole ? "" : ": no page has all of these words, these have some"}.`;
        for (const { page, title, anchor, about: of } of results) {
            const name = index.docnames[page], item = Search.output.appendChild(document.createElement("li"));
            const link = item.appendChild(document.createElement("a"));
            link.href = name + ".html" + anchor;
            link.innerHTML = title; /* Sphinx has escaped it */
            const line = item.appendChild(document.createElement("p"));
            line.className = "sentence";
            line.textContent = (of ? of.replace(/<[^>]*>/g, "") + ". " : "") + (sentences[name + anchor]
                ?? (name.startsWith("files/") ? "A file of the repository." : of ? "" : "A program to read and to run."));
        }
    }

    const base = document.currentScript.src.replace(/find\.js.*$/, "");
    function take() {
        if (typeof Search === "undefined") { return false; }
        Search.query = (query) => {
            const script = document.createElement("script");
            script.src = base + "sentences.js";
            script.onload = () => show(query);
            document.head.append(script);
        };
        return true;
    }
    if (!take()) { /* before Sphinx does, which waits for the document too */
        document.addEventListener("DOMContentLoaded", take);
    }
})();
