// What stands before the page's own script, which takes some time to compile: the connection and the replica, so
// that both come meanwhile. main.jsx takes them from here. A page that is a file has neither.
import { dial } from './dial.js';

if (location.protocol.startsWith('http')) {
  const held = [], socket = dial();
  const begun = new Promise((done) => {
    socket.onmessage = (event) => { held.push(event); done(); };
    setTimeout(done, 250);
  });
  globalThis.early = { socket, held, begun, replica: WebAssembly.compileStreaming(fetch('replica.wasm')) };
}
