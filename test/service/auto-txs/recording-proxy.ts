/** A real server before a real node: it passes all on, takes down what is sent, and loses some of it on the way. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { keccak256 } from 'viem';
import type { Hex } from '../../../src/core/block.ts';
import type { Anvil } from '../../helpers/anvil.ts';
import { listen } from '../../helpers/listen.ts';
import { serveWebSockets, type WebSocketPeer } from '../../helpers/web-socket-server.ts';

/** What becomes of a transaction that is sent through it. */
export interface Passage {
  /** How long it is on its way to the node, ms; `null`: it never gets there, and nobody answers. */
  readonly thereMs: number | null;
  /** How long the answer is on its way back, ms; `null`: it never gets there. */
  readonly backMs: number | null;
  /** The connection breaks once the node has it. */
  readonly breaks?: boolean;
}

interface Call {
  readonly id?: number;
  readonly method?: string;
  readonly params?: readonly unknown[];
}

export async function startRecordingProxy(
  { url, wsUrl }: Pick<Anvil, 'url' | 'wsUrl'>,
  hooks: {
    readonly passageOf: (hash: Hex) => Passage;
    readonly onAnswered: (hash: Hex) => void;
  },
) {
  const left: Hex[] = [];
  const upstreams = new Map<WebSocketPeer, ReturnType<typeof openUpstream>>();
  const http = createServer(async (request, response) => {
    const body = await text(request);
    const headers = { 'content-type': 'application/json' };
    const ask = async () => (await fetch(url, { method: 'POST', headers, body })).text();
    const peer = {
      send: (answer: string) => response.writeHead(200, headers).end(answer),
      drop: () => request.socket.destroy(),
    };
    const call: Call = JSON.parse(body);
    if (call.method === 'eth_sendRawTransaction') await passOn(call, ask, peer);
    else peer.send(await ask());
  });
  serveWebSockets(http, (message, peer) => {
    const upstream = upstreams.get(peer) ?? openUpstream(wsUrl, peer);
    upstreams.set(peer, upstream);
    const call: Call = JSON.parse(message);
    if (call.method !== 'eth_sendRawTransaction') return upstream.send(message);
    void passOn(call, () => upstream.ask(call.id ?? 0, message), peer);
  });

  /** @param ask gives a transaction to the node and resolves to its response */
  async function passOn(
    { params }: Call,
    ask: () => Promise<string>,
    peer: Pick<WebSocketPeer, 'send' | 'drop'>,
  ): Promise<void> {
    const hash = keccak256(params?.[0] as Hex);
    left.push(hash);
    const { thereMs, backMs, breaks = false } = hooks.passageOf(hash);
    if (thereMs === null) return;
    if (thereMs > 0) await setTimeout(thereMs);
    const answer = await ask();
    if (breaks) return peer.drop();
    if (backMs === null) return;
    if (backMs > 0) await setTimeout(backMs);
    peer.send(answer);
    hooks.onAnswered(hash);
  }

  const { port, stop } = await listen(http);
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    left: left as readonly Hex[],
    stop: async () => {
      for (const [peer, upstream] of upstreams) {
        peer.drop();
        upstream.close();
      }
      await stop();
    },
  };
}

/** A connection to the node for each one from the service; it outlives that, for what is on its way arrives. */
function openUpstream(target: string, peer: WebSocketPeer) {
  const socket = new WebSocket(target);
  const opened = once(socket, 'open');
  const asked = new Map<number, (answer: string) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = String(data);
    const { id }: Call = JSON.parse(message);
    const settle = id === undefined ? undefined : asked.get(id);
    if (settle === undefined) return peer.send(message);
    asked.delete(id ?? 0);
    settle(message);
  });
  const send = (message: string): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(message);
    else void opened.then(() => socket.send(message));
  };
  return {
    send,
    ask: (id: number, message: string): Promise<string> => {
      const { promise, resolve } = Promise.withResolvers<string>();
      asked.set(id, resolve);
      send(message);
      return promise;
    },
    close: () => socket.close(),
  };
}
