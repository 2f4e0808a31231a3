/** A young chain whose price goes up and down in even steps, and its two nodes, that answer oddly when they are told to. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { keccak256, recoverTransactionAddress, toHex } from 'viem';
import type { Hex } from '../../src/core/block.ts';
import { GWEI } from '../helpers/auto-tx-rig.ts';
import { blockHash } from '../helpers/chain-blocks.ts';
import { listen } from '../helpers/listen.ts';
import { serveWebSockets, type WebSocketPeer } from '../helpers/web-socket-server.ts';
import type { Oddity } from './oddities.ts';

export const ODD_CHAIN_ID = 918_273;
/** Rises and falls by a tenth a block, between rests. */
const STEPS = 10;
const REST = 6;
export const WAVE = 2 * (STEPS + REST);
export const BOTTOM = 10 * 1e9;
export const STEP = 1.1;
const GAS_LIMIT = 30_000_000n;
const TARGET_GAS = GAS_LIMIT / 2n;
export const SUGGESTED_TIP = GWEI / 10n;
const TIPS = [5n, 6n, 8n, 10n, 12n, 15n, 20n].map((share) => (share * GWEI) / 100n);
const SENDER = '0x00000000000000000000000000000000000000aa';
const RECEIVER = '0x00000000000000000000000000000000000000bb';

export interface OddBlock {
  readonly number: number;
  /** How many blocks were mined before; heights may be left out. */
  readonly place: number;
  readonly timestamp: number;
  readonly baseFee: bigint;
  readonly gasUsed: bigint;
  readonly isUnpaid: boolean;
  readonly sent: readonly SentTransaction[];
}

export interface SentTransaction {
  readonly hash: Hex;
  readonly from: Hex;
  readonly isHidden: boolean;
  sends: number;
  dueAt: number;
  minedAt: number | null;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

export type OddChain = ReturnType<typeof createOddChain>;

/** The wave at the block in that place, 0 to 1. */
function heightAt(place: number): number {
  const at = place % WAVE;
  if (at < REST) return 0;
  if (at < REST + STEPS) return at - REST;
  if (at < REST + STEPS + REST) return STEPS;
  return STEPS - (at - (REST + STEPS + REST));
}

export function createOddChain(options: { readonly before: number; readonly hiddenFor: number }) {
  const blocks: OddBlock[] = [];
  const byNumber = new Map<number, OddBlock>();
  const sent = new Map<Hex, SentTransaction>();
  const startedAt = Math.floor(Date.now() / 1_000) - options.before;
  let height = 0;
  const chain = {
    blocks,
    sent,
    oddity: null as Oddity | null,
    head: () => blocks.at(-1) as OddBlock,
    at: (number: number) => byNumber.get(number),
    nextBaseFee: ({ baseFee, gasUsed }: OddBlock) =>
      baseFee + (baseFee * (gasUsed - TARGET_GAS)) / TARGET_GAS / 8n,
    mine(): OddBlock {
      const parent = blocks.at(-1);
      const place = blocks.length;
      const baseFee = parent === undefined ? BigInt(BOTTOM) : chain.nextBaseFee(parent);
      const aim = BigInt(Math.round(BOTTOM * STEP ** heightAt(place + 1)));
      const number = height;
      const included = [...sent.values()].filter(({ minedAt, dueAt }) => minedAt === null && dueAt <= place);
      for (const transaction of included) transaction.minedAt = number;
      const block: OddBlock = {
        number,
        place,
        timestamp: startedAt + place,
        baseFee,
        gasUsed: TARGET_GAS + (TARGET_GAS * 8n * (aim - baseFee)) / baseFee,
        isUnpaid: chain.oddity?.isUnpaid === true,
        sent: included,
      };
      blocks.push(block);
      byNumber.set(number, block);
      height += chain.oddity?.skipsHeights === true && place % 4 === 1 ? 2 : 1;
      return block;
    },
    async send(raw: Hex): Promise<unknown> {
      const hash = keccak256(raw);
      const known = sent.get(hash);
      if (known !== undefined) {
        known.sends += 1;
        if (known.minedAt !== null) throw { code: -32000, message: 'nonce too low' };
        const message = known.isHidden
          ? 'Pending transaction with same nonce already exists'
          : 'already known';
        throw { code: -32000, message };
      }
      const from = (
        await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
      ).toLowerCase() as Hex;
      const isHidden = sent.size % 2 === 0;
      const dueAt = blocks.length + (isHidden ? options.hiddenFor : 3);
      sent.set(hash, { hash, from, isHidden, sends: 1, dueAt, minedAt: null });
      return hash;
    },
  };
  for (let count = 0; count < options.before; count += 1) chain.mine();
  return chain;
}

const hashOf = (block: OddBlock) => blockHash(block.number);
const paidHash = (number: number, index: number): Hex => keccak256(toHex(`${number}:${index}`));

function transactionsOf(chain: OddChain, block: OddBlock) {
  const at = { blockNumber: toHex(block.number), blockHash: hashOf(block) };
  const tip = block.isUnpaid ? 0n : SUGGESTED_TIP;
  const usual = [0, 1, 2].map((index) => ({
    ...{ hash: paidHash(block.number, index), from: SENDER as Hex, nonce: block.place * 3 + index },
    ...{ gasPrice: block.baseFee + tip, tip },
  }));
  const ours = block.sent.map(({ hash, from }) => ({
    ...{ hash, from, nonce: 0, gasPrice: block.baseFee + GWEI, tip: GWEI },
  }));
  return [...usual, ...ours].map(({ hash, from, nonce, gasPrice, tip: asked }, index) => ({
    transaction: {
      ...at,
      ...{
        hash,
        from,
        to: RECEIVER,
        type: '0x2',
        value: '0x1',
        nonce: toHex(nonce),
        gas: toHex(21_000),
        input: '0x',
      },
      ...{ gasPrice: toHex(gasPrice), maxFeePerGas: toHex(500n * GWEI), maxPriorityFeePerGas: toHex(asked) },
      ...{ transactionIndex: toHex(index), chainId: toHex(ODD_CHAIN_ID), v: '0x0', r: '0x1', s: '0x1' },
    },
    receipt: {
      ...at,
      ...{
        transactionHash: hash,
        transactionIndex: toHex(index),
        from,
        to: RECEIVER,
        type: '0x2',
        status: '0x1',
      },
      ...{ gasUsed: toHex(21_000), cumulativeGasUsed: toHex(21_000 * (index + 1)), logs: [] },
      ...(chain.oddity?.hidesPricePaid !== true && { effectiveGasPrice: toHex(gasPrice) }),
    },
  }));
}

function headerOf(chain: OddChain, block: OddBlock, isFull = false) {
  const parent = chain.blocks[block.place - 1];
  const transactions = transactionsOf(chain, block).map(({ transaction }) =>
    isFull ? transaction : transaction.hash,
  );
  return {
    number: toHex(block.number),
    hash: hashOf(block),
    parentHash: parent === undefined ? `0x${'0'.repeat(64)}` : hashOf(parent),
    // As genesis files of private networks have it.
    timestamp: toHex(block.number === 0 ? 0 : block.timestamp),
    ...{ baseFeePerGas: toHex(block.baseFee), gasUsed: toHex(block.gasUsed), gasLimit: toHex(GAS_LIMIT) },
    ...{ extraData: '0x', miner: SENDER, transactions },
  };
}

function feeHistory(chain: OddChain, count: number, newest: OddBlock, percentiles: readonly unknown[] = []) {
  const rows = chain.blocks.slice(Math.max(0, newest.place - count + 1), newest.place + 1);
  const ratios = rows.map(({ gasUsed }) => Number(gasUsed) / Number(GAS_LIMIT));
  const reward = rows.map(({ isUnpaid }) =>
    percentiles.map((_, index) => toHex(isUnpaid ? 0n : (TIPS[index % TIPS.length] ?? 0n))),
  );
  return {
    oldestBlock: toHex(rows[0]?.number ?? 0),
    baseFeePerGas: [...rows.map(({ baseFee }) => toHex(baseFee)), toHex(chain.nextBaseFee(newest))],
    gasUsedRatio: ratios,
    reward,
  };
}

/** What a node of the chain says when nothing is odd. Throws a JSON-RPC error. */
async function answerOf(chain: OddChain, method: string, params: readonly unknown[]): Promise<unknown> {
  const blockAt = (tag: unknown) =>
    tag === 'latest' || tag === 'pending' ? chain.head() : chain.at(Number(tag));
  const located = (hash: unknown) => {
    const kept = chain.sent.get(hash as Hex);
    const block = kept === undefined || kept.minedAt === null ? undefined : chain.at(kept.minedAt);
    const found = block && transactionsOf(chain, block).find(({ transaction }) => transaction.hash === hash);
    return { kept, found };
  };
  switch (method) {
    case 'eth_chainId':
      return toHex(ODD_CHAIN_ID);
    case 'eth_syncing':
      return false;
    case 'eth_blockNumber':
      return toHex(chain.head().number);
    case 'eth_getBlockByNumber': {
      const block = blockAt(params[0]);
      if (block) return headerOf(chain, block, params[1] === true);
      if (Number(params[0]) > chain.head().number || Number(params[0]) % 2 === 0) return null;
      throw { code: 1, message: `requested epoch was a null round (${Number(params[0])})` };
    }
    case 'eth_getBlockReceipts': {
      const block = blockAt(params[0]);
      return block ? transactionsOf(chain, block).map(({ receipt }) => receipt) : null;
    }
    case 'eth_feeHistory': {
      const newest = blockAt(params[1]) ?? blockAt(Number(params[1]) - 1);
      if (newest === undefined || Number(params[1]) > chain.head().number)
        throw { code: -32000, message: 'request beyond head block' };
      return feeHistory(chain, Number(params[0]), newest, params[2] as readonly unknown[]);
    }
    case 'eth_maxPriorityFeePerGas':
      return toHex(SUGGESTED_TIP);
    case 'eth_gasPrice':
      return toHex(chain.nextBaseFee(chain.head()) + SUGGESTED_TIP);
    case 'eth_getBalance':
      return toHex(10n ** 20n);
    case 'eth_getTransactionCount': {
      const own = [...chain.sent.values()].find(({ from }) => from === String(params[0]).toLowerCase());
      if (own === undefined) return '0x0';
      return own.minedAt !== null || (params[1] === 'pending' && !own.isHidden) ? '0x1' : '0x0';
    }
    case 'eth_getCode':
    case 'eth_call':
      return '0x';
    case 'eth_estimateGas':
      return toHex(21_000);
    case 'eth_getTransactionByHash': {
      const { kept, found } = located(params[0]);
      if (found) return found.transaction;
      if (kept === undefined || kept.isHidden) return null;
      return {
        ...{
          hash: kept.hash,
          from: kept.from,
          to: RECEIVER,
          type: '0x2',
          value: '0x1',
          nonce: '0x0',
          input: '0x',
        },
        ...{ gas: toHex(21_000), maxFeePerGas: toHex(500n * GWEI), maxPriorityFeePerGas: toHex(GWEI) },
        ...{ blockNumber: null, blockHash: null, transactionIndex: null },
      };
    }
    case 'eth_getTransactionReceipt':
      return located(params[0]).found?.receipt ?? null;
    case 'eth_sendRawTransaction':
      return chain.send(params[0] as Hex);
    default:
      throw { code: -32601, message: `the method ${method} does not exist/is not available` };
  }
}

/** One of the chain's nodes, over HTTP and WebSocket. */
export async function startOddNode(chain: OddChain, kind: 'ws' | 'http') {
  const subscribers = new Map<WebSocketPeer, string | number>();
  const odd = () => (chain.oddity !== null && [kind, 'both'].includes(chain.oddity.at) ? chain.oddity : null);

  async function responseTo({ id, method, params = [] }: Call): Promise<Record<string, unknown>> {
    const envelope = { jsonrpc: '2.0', id };
    const failure = odd()?.fails?.(method);
    if (failure) return { ...envelope, error: failure };
    try {
      const result = await answerOf(chain, method, params);
      return { ...envelope, result: odd()?.changes?.(method, result, params) ?? result };
    } catch (error) {
      return { ...envelope, error };
    }
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = JSON.parse(await text(request)) as Call;
    const { status = 200, headers = {}, body } = odd()?.overHttp?.(await responseTo(call)) ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body ?? JSON.stringify(await responseTo(call)));
  }

  const http = createServer(
    (request, response) => void respond(request, response).catch(() => response.destroy()),
  );
  const peers = serveWebSockets(
    http,
    async (message, peer) => {
      const call = JSON.parse(message) as Call;
      const oddity = odd();
      if (oddity?.closes) return peer.close(oddity.closes.code, oddity.closes.reason);
      if (call.method === 'eth_subscribe') {
        const subscription = oddity?.subscription ?? '0x9ce59a13059e417087c02d3236a0b1cd';
        subscribers.set(peer, subscription);
        return peer.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: subscription }));
      }
      const answer = await responseTo(call);
      peer.send(JSON.stringify(oddity?.losesId && 'error' in answer ? { ...answer, id: null } : answer));
    },
    () => odd()?.handshake ?? null,
  );
  const { port, stop } = await listen(http);
  return {
    url: `${kind}://127.0.0.1:${port}`,
    announce: (block: OddBlock) => {
      if (odd()?.isSilent) return;
      for (const [peer, subscription] of subscribers) {
        if (!peers.has(peer)) subscribers.delete(peer);
        else
          peer.send(
            JSON.stringify({
              ...{ jsonrpc: '2.0', method: 'eth_subscription' },
              params: { subscription, result: headerOf(chain, block) },
            }),
          );
      }
    },
    dropSockets: () => {
      for (const peer of peers) peer.drop();
    },
    stop: async () => {
      for (const peer of peers) peer.drop();
      await stop();
    },
  };
}
