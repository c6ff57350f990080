// The token of this tab, from the address or as link.js stored it; a connection to the program's stream with it.

export const token = () => /token=([0-9a-f]{32})/.exec(location.hash)?.[1] ?? sessionStorage.getItem('token');

export function dial() {
  const socket = new WebSocket(`ws://${location.host}/stream`, ['sett', token()]);
  socket.binaryType = 'arraybuffer';
  return socket;
}
