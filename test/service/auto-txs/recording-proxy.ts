/** A real server before a real node: it passes all on, takes down what is sent, and loses some of it on the way. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { keccak256 } from 'viem';
import type { Hex } from '../../../src/core/block.ts';
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

export interface RecordingProxy {
  readonly url: string;
  /** Hashes in the order in which they left the service, each as often as it did. */
  readonly left: readonly Hex[];
  stop(): Promise<void>;
}

interface Call {
  readonly id?: number;
  readonly method?: string;
  readonly params?: readonly unknown[];
}

export async function startRecordingProxy(
  target: string,
  hooks: {
    /** Asked of each transaction when it has left. */
    readonly passageOf: (hash: Hex) => Passage;
    readonly onAnswered: (hash: Hex) => void;
  },
): Promise<RecordingProxy> {
  const left: Hex[] = [];
  const upstreams = new Map<WebSocketPeer, Upstream>();
  const http = createServer();
  serveWebSockets(http, (text, peer) => {
    const upstream = upstreams.get(peer) ?? openUpstream(target, peer);
    upstreams.set(peer, upstream);
    const call: Call = JSON.parse(text);
    if (call.method !== 'eth_sendRawTransaction') return upstream.send(text);
    const hash = keccak256(call.params?.[0] as Hex);
    left.push(hash);
    void passOn(call, text, { hash, passage: hooks.passageOf(hash), upstream, peer });
  });

  async function passOn(
    { id }: Call,
    text: string,
    on: {
      readonly hash: Hex;
      readonly passage: Passage;
      readonly upstream: Upstream;
      readonly peer: WebSocketPeer;
    },
  ): Promise<void> {
    const { thereMs, backMs, breaks = false } = on.passage;
    if (thereMs === null) return;
    if (thereMs > 0) await setTimeout(thereMs);
    const answer = await on.upstream.ask(id ?? 0, text);
    if (breaks) return on.peer.drop();
    if (backMs === null) return;
    if (backMs > 0) await setTimeout(backMs);
    on.peer.send(answer);
    hooks.onAnswered(on.hash);
  }

  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
    left,
    stop: async () => {
      for (const [peer, upstream] of upstreams) {
        peer.drop();
        upstream.close();
      }
      http.close();
      http.closeAllConnections();
    },
  };
}

interface Upstream {
  send(text: string): void;
  /** The answer to the call with this id, which goes to nobody else. */
  ask(id: number, text: string): Promise<string>;
  close(): void;
}

/** A connection to the node for each one from the service; it outlives that, for what is on its way arrives. */
function openUpstream(target: string, peer: WebSocketPeer): Upstream {
  const socket = new WebSocket(target);
  const opened = once(socket, 'open');
  const asked = new Map<number, (answer: string) => void>();
  socket.addEventListener('message', ({ data }) => {
    const text = String(data);
    const { id }: Call = JSON.parse(text);
    const settle = id === undefined ? undefined : asked.get(id);
    if (settle === undefined) return peer.send(text);
    asked.delete(id ?? 0);
    settle(text);
  });
  const send = (text: string) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(text);
    else void opened.then(() => socket.send(text));
  };
  return {
    send,
    ask: (id, text) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      asked.set(id, resolve);
      send(text);
      return promise;
    },
    close: () => socket.close(),
  };
}
