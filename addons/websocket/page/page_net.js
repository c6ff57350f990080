/* page_net.js: passes datagrams on between a WebAssembly program (page_net.h) and a server
 * (sett_websocket.h), each as a binary message of a WebSocket. A classic script, which sets settNet:
 *
 *     const net = settNet();
 *     const { instance } = await WebAssembly.instantiate(bytes, { ...wasi.imports, ...net.imports });
 *     await net.connect(instance.exports, location.host);
 *
 * `connect` fails if the server does not answer. A connection that is lost later is made again, once a
 * second; what is sent meanwhile is lost. */
(function () {
    "use strict";
    const LONGEST = 1200, AGAIN = 1000; // SETT_NET_DATAGRAM; milliseconds

    globalThis.settNet = function () {
        let program, socket = null;

        function send(at, size) {
            if (socket?.readyState === WebSocket.OPEN) {
                socket.send(new Uint8Array(program.memory.buffer, at, size).slice());
            }
        }

        function arrive({ data }) {
            if (data.byteLength > 0 && data.byteLength <= LONGEST) {
                const at = program.net_room();
                new Uint8Array(program.memory.buffer, at, data.byteLength).set(new Uint8Array(data));
                program.net_arrived(data.byteLength);
            }
        }

        function dial(address) {
            const again = () => setTimeout(() => dial(address).catch(again), AGAIN);
            return new Promise((resolve, reject) => {
                socket = new WebSocket(address);
                socket.binaryType = "arraybuffer";
                socket.onmessage = arrive;
                socket.onopen = () => {
                    socket.onclose = again;
                    resolve();
                };
                socket.onerror = () => reject(new Error("the server does not answer, or is full"));
            });
        }

        return {
            imports: { net: { send } },
            connect(exports, host) {
                program = exports;
                return dial((location.protocol === "https:" ? "wss://" : "ws://") + host + "/net");
            },
        };
    };
})();
