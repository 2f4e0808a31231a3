/** The little of RFC 6455 that a test's server needs: text frames both ways, close, no extensions. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

export interface WebSocketPeer {
  send(text: string): void;
  /** Begins a message of so many bytes, of which none is sent. */
  begin(bytes: number): void;
  /** Breaks the connection off without a closing handshake. */
  drop(): void;
}

export interface WebSocketServer {
  peers(): readonly WebSocketPeer[];
}

export function serveWebSockets(
  server: Server,
  onMessage: (text: string, peer: WebSocketPeer) => void,
): WebSocketServer {
  const peers = new Set<WebSocketPeer>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const key = request.headers['sec-websocket-key'] ?? '';
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const peer: WebSocketPeer = {
      send: (text) => socket.write(frame(1, Buffer.from(text))),
      begin: (bytes) => socket.write(frameHead(1, bytes)),
      drop: () => socket.destroy(),
    };
    peers.add(peer);
    let buffer = Buffer.alloc(0);
    let message = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('close', () => peers.delete(peer));
    socket.on('data', (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk]);
      for (let next = readFrame(buffer); next; next = readFrame(buffer)) {
        buffer = buffer.subarray(next.size);
        if (next.opcode === 8) {
          socket.end(frame(8, next.payload.subarray(0, 2)));
          return;
        }
        if (next.opcode === 9) socket.write(frame(10, next.payload));
        if (next.opcode > 2) continue;
        message = Buffer.concat([message, next.payload]);
        if (!next.final) continue;
        const text = message.toString('utf8');
        message = Buffer.alloc(0);
        onMessage(text, peer);
      }
    });
  });
  return { peers: () => [...peers] };
}

const frame = (opcode: number, payload: Buffer) =>
  Buffer.concat([frameHead(opcode, payload.length), payload]);

function frameHead(opcode: number, length: number): Buffer {
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (length < 126) head[1] = length;
  else if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return head;
}

/** One masked frame from a client; `null` until all of it has come. */
function readFrame(buffer: Buffer): { final: boolean; opcode: number; payload: Buffer; size: number } | null {
  if (buffer.length < 2) return null;
  const first = buffer.readUInt8(0);
  const short = buffer.readUInt8(1) & 0x7f;
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (buffer.length < 6 + extra) return null;
  const length =
    extra === 0 ? short : extra === 2 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
  const size = 6 + extra + length;
  if (buffer.length < size) return null;
  const mask = buffer.subarray(2 + extra, 6 + extra);
  const payload = Buffer.from(buffer.subarray(6 + extra, size));
  for (let i = 0; i < length; i++) payload.writeUInt8(payload.readUInt8(i) ^ (mask[i % 4] ?? 0), i);
  return { final: (first & 0x80) !== 0, opcode: first & 0x0f, payload, size };
}
