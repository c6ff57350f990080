// The connection to the program: requests by POST, the stream by a WebSocket.

import { Decompress } from 'fzstd';
import { dial, token } from './dial.js';

export class Link {
  constructor(on) {
    this.on = on; // {bytes, status, state}
    this.token = token();
    if (this.token) { sessionStorage.setItem('token', this.token); }
    this.state = 'closed';
  }

  // `early`: what early.js has begun.
  open(early) {
    this.wanted = true;
    this.say('opening');
    const socket = early?.socket ?? dial();
    socket.onopen = () => this.say('open');
    socket.onmessage = (event) => {
      if (typeof event.data === 'string') {
        const message = JSON.parse(event.data);
        if (message.status) { this.on.status(message.status); }
      } else {
        this.take(new Uint8Array(event.data));
      }
    };
    socket.onclose = () => {
      if (this.socket === socket) {
        this.say('closed');
        if (this.wanted) { setTimeout(() => this.wanted && this.socket === socket && this.open(), 1000); }
      }
    };
    this.socket = socket;
    if (socket.readyState === WebSocket.OPEN) { this.say('open'); }
    early?.held.forEach(socket.onmessage);
    if (socket.readyState === WebSocket.CLOSED) { socket.onclose(); }
  }

  // What begins the stream is plain; the messages behind it are one frame of zstd, each of whole blocks.
  take(bytes) {
    if (bytes[0] === 0x89) {
      this.zstd = new Decompress((piece) => this.on.bytes(piece));
      this.on.bytes(bytes);
    } else {
      this.zstd.push(bytes);
      // fzstd 0.1.1 keeps what is left of each message, which is nothing, in a list that only grows.
      if (!this.zstd.l) { this.zstd.c = []; }
    }
  }

  close() {
    this.wanted = false;
    this.socket?.close();
  }

  say(state) {
    this.state = state;
    this.on.state(state);
  }

  // The answer; throws an Error with a sentence if it is no success.
  async ask(what, more) {
    let answer;
    try {
      const reply = await fetch('/request', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Sett-Token': this.token || '' },
        body: JSON.stringify({ do: what, ...more }),
      });
      answer = await reply.json();
    } catch (error) {
      throw new Error('the program does not answer');
    }
    if (!answer.ok) { throw new Error(answer.error || 'the program rejected it'); }
    return answer;
  }
}
