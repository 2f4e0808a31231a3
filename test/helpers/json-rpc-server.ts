/** A JSON-RPC node over http and ws, answering from a scripted chain; it can lie, hang and answer garbage. */
import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';
import type { ScriptedBlock, ScriptedChain } from './scripted-chain.ts';
import { serveWebSockets } from './web-socket-server.ts';

export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly hang: true }
  | {
      readonly raw: string | Uint8Array;
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly write: (response: ServerResponse) => void };

export interface JsonRpcServerOptions {
  readonly port?: number;
  /** Longest page of `eth_feeHistory`: an error above it, or silently a shorter page. */
  readonly feeHistoryLimit?: number;
  readonly feeHistoryOverLimit?: 'error' | 'shorter';
  readonly rewards?: boolean;
  readonly blobs?: boolean;
  /** Of every subscription; default: one of its own. */
  readonly subscriptionId?: string | number;
  /** A say before the usual answer; `undefined` leaves it to the chain. */
  readonly answer?: (method: string, params: readonly unknown[]) => Reply | undefined;
  /** Changes the fields of a usual result. */
  readonly adjust?: (method: string, result: Record<string, unknown>) => Record<string, unknown>;
}

export type JsonRpcServer = Awaited<ReturnType<typeof startJsonRpcServer>>;

export async function startJsonRpcServer(chain: ScriptedChain, options: JsonRpcServerOptions = {}) {
  const sockets = new Set<Socket>();
  const subscriptions = new Map<string | number, (text: string) => void>();
  let lastSubscription = 0;

  const http = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const { id, reply } = replyTo(body);
    if ('hang' in reply) return;
    if ('write' in reply) return reply.write(response);
    const { status = 200, headers = {} } = 'raw' in reply ? reply : {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end('raw' in reply ? reply.raw : JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
  });
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const peers = serveWebSockets(http, (text, peer) => {
    const { id, method, reply } = replyTo(text);
    if (method === 'eth_subscribe' && !('error' in reply) && !('raw' in reply) && !('hang' in reply)) {
      const subscription = server.options.subscriptionId ?? `0x${(++lastSubscription).toString(16)}`;
      subscriptions.set(subscription, (message) => {
        if (peers.has(peer)) peer.send(message);
        else subscriptions.delete(subscription);
      });
      peer.send(JSON.stringify({ jsonrpc: '2.0', id, result: subscription }));
      return;
    }
    if ('hang' in reply || 'write' in reply) return;
    peer.send('raw' in reply ? String(reply.raw) : JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
  });

  function replyTo(text: string): { id: unknown; method: string; reply: Reply } {
    const call = JSON.parse(text) as { id: unknown; method: string; params?: unknown[] };
    const { id, method, params = [] } = call;
    server.requests.push({ method, params });
    const reply =
      server.options.answer?.(method, params) ?? adjusted(method, usualAnswer(server, method, params));
    return { id, method, reply };
  }

  function adjusted(method: string, reply: Reply): Reply {
    const { adjust } = server.options;
    const isObject = 'result' in reply && typeof reply.result === 'object' && reply.result !== null;
    return adjust && isObject ? { result: adjust(method, { ...reply.result }) } : reply;
  }

  const { port, stop } = await listen(http, options.port);
  const server = {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    port,
    chain,
    options,
    requests: [] as { readonly method: string; readonly params: readonly unknown[] }[],
    announce: (block: ScriptedBlock) => server.announceAs(headerOf(block)),
    announceAs: (header: Record<string, unknown>) => {
      for (const [subscription, send] of subscriptions) {
        const params = { subscription, result: header };
        send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
      }
    },
    subscribers: () => (peers.size === 0 ? 0 : subscriptions.size),
    dropSockets: () => {
      subscriptions.clear();
      for (const peer of peers) peer.drop();
    },
    connections: () => sockets.size,
    stop: async () => {
      const stopped = stop();
      for (const socket of sockets) socket.destroy();
      await stopped;
    },
  };
  return server;
}

const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

export function headerOf(block: ScriptedBlock): Record<string, unknown> {
  return {
    number: hex(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: hex(block.timestamp),
    baseFeePerGas: hex(block.baseFeePerGas),
    gasUsed: hex(block.gasUsed),
    gasLimit: hex(block.gasLimit),
    transactions: [],
  };
}

function usualAnswer(server: JsonRpcServer, method: string, params: readonly unknown[]): Reply {
  const { chain } = server;
  const numberOf = (tag: unknown) => (tag === 'latest' ? chain.head().number : Number(tag));
  switch (method) {
    case 'eth_chainId':
      return { result: hex(chain.chainId) };
    case 'eth_blockNumber':
      return { result: hex(chain.head().number) };
    case 'eth_getBlockByNumber': {
      const block = chain.at(numberOf(params[0]));
      return { result: block ? headerOf(block) : null };
    }
    case 'eth_feeHistory':
      return feeHistory(server, Number(params[0]), numberOf(params[1]), params[2]);
    case 'eth_subscribe':
      return { result: '0x0' };
    case 'eth_call':
      return { result: '0x' };
    default:
      return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } };
  }
}

function feeHistory(server: JsonRpcServer, wanted: number, newest: number, percentiles: unknown): Reply {
  const { chain, options } = server;
  const { feeHistoryLimit = 1_024, feeHistoryOverLimit = 'error', rewards = true, blobs = true } = options;
  if (newest > chain.head().number) {
    return { error: { code: -32000, message: 'request beyond head block' } };
  }
  if (wanted > feeHistoryLimit && feeHistoryOverLimit === 'error') {
    return { error: { code: -32602, message: `block count must not exceed ${feeHistoryLimit}` } };
  }
  const oldest = Math.max(0, newest - Math.min(wanted, feeHistoryLimit) + 1);
  const blocks = chain.blocks.slice(oldest, newest + 1);
  const following = chain.at(newest + 1);
  const newestBlock = chain.at(newest);
  const nextFee = following?.baseFeePerGas ?? chain.nextBaseFee(newestBlock);
  const nextBlobFee = following?.blobBaseFee ?? (newestBlock?.blobBaseFee ?? 0n) + 1n;
  const count = Array.isArray(percentiles) ? percentiles.length : 0;
  return {
    result: {
      oldestBlock: hex(oldest),
      baseFeePerGas: [...blocks.map((block) => hex(block.baseFeePerGas)), hex(nextFee)],
      gasUsedRatio: blocks.map((block) => Number(block.gasUsed) / Number(block.gasLimit)),
      ...(blobs && {
        baseFeePerBlobGas: [...blocks.map((block) => hex(block.blobBaseFee)), hex(nextBlobFee)],
        blobGasUsedRatio: blocks.map(() => 0),
      }),
      ...(rewards && { reward: blocks.map((block) => Array.from({ length: count }, () => hex(block.tip))) }),
    },
  };
}
