import type { IncomingMessage, Server } from 'node:http';
import { WebSocketServer } from 'ws';

/** The little of its server that tests need; the client's types are beside the client. */
declare module 'ws' {
  interface ServerSocket {
    send(text: string): void;
    terminate(): void;
    close(code: number, reason: string): void;
    on(event: 'message', listener: (data: Buffer) => void): void;
    on(event: 'close' | 'error', listener: () => void): void;
  }
  export class WebSocketServer {
    constructor(options: {
      readonly server: Server;
      readonly verifyClient: (
        info: unknown,
        decide: (isWelcome: boolean, status?: number, words?: string) => void,
      ) => void;
    });
    on(event: 'error', listener: (error: Error) => void): void;
    on(event: 'connection', listener: (socket: ServerSocket, request: IncomingMessage) => void): void;
  }
}

export interface WebSocketPeer {
  send(text: string): void;
  begin(bytes: number): void;
  drop(): void;
  close(code: number, reason: string): void;
}

export function serveWebSockets(
  server: Server,
  onMessage: (text: string, peer: WebSocketPeer) => void,
  /** How a handshake is refused; `null`: it is not. */
  refusal: () => { readonly status: number; readonly words: string } | null = () => null,
): ReadonlySet<WebSocketPeer> {
  const peers = new Set<WebSocketPeer>();
  const verifyClient = (
    _: unknown,
    decide: (isWelcome: boolean, status?: number, words?: string) => void,
  ) => {
    const refused = refusal();
    decide(refused === null, refused?.status, refused?.words);
  };
  const sockets = new WebSocketServer({ server, verifyClient });
  // It passes on the server's own errors, such as a port that is taken: who makes that listen deals with them.
  sockets.on('error', () => {});
  sockets.on('connection', (socket, request) => {
    const peer: WebSocketPeer = {
      send: (text) => socket.send(text),
      begin: (bytes) => {
        const head = Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
        head.writeBigUInt64BE(BigInt(bytes), 2);
        request.socket.write(head);
      },
      drop: () => socket.terminate(),
      close: (code, reason) => socket.close(code, reason),
    };
    peers.add(peer);
    socket.on('error', () => {});
    socket.on('close', () => peers.delete(peer));
    socket.on('message', (data) => onMessage(data.toString(), peer));
  });
  return peers;
}
