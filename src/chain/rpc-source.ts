import { chainProfile } from '../core/chains.ts';
import { ConcurrencyLimit, systemClock, type TestableClock } from './async.ts';
import { ChainError, type ChainSource } from './chain-source.ts';
import { request, requestHead } from './rpc/client.ts';
import { bytes, nullish, quantity, receiptResponse, safeInteger, transactionResponse } from './rpc/decode.ts';
import { requestEthConfig } from './rpc/eth-config.ts';
import { parseNodeUrl } from './rpc/failures.ts';
import { followChain } from './rpc/follow.ts';
import { NodePool, PoolNode } from './rpc/node-pool.ts';
import { readPools } from './rpc/pools.ts';
import { readBlock, readBlocks, readNewest, readTransactions } from './rpc/read.ts';
import { createDataFees } from './rpc/read-data-fees.ts';
import { sendTransaction } from './rpc/send.ts';

/** A full block with its receipts may be tens of megabytes. */
const WHOLE_BLOCKS_AT_ONCE = 4;
/** If one node lacks something, it mostly does not exist: a slow second node must not delay that response. */
const SECOND_OPINION_MS = 1_500;

export interface RpcSourceOptions {
  /** http, https, ws or wss; the first is preferred while it is healthy. */
  readonly urls: readonly string[];
  /** Ignores nodes of another chain; default: the chain of the first node that responds. */
  readonly expectedChainId?: number;
  readonly requestTimeoutMs?: number;
  /** How often a node's chain is verified again, ms; default: once a minute, a development node every second. */
  readonly recheckMs?: number;
  readonly clock?: TestableClock;
}

/** A source over nodes also holds sockets: `close` closes them (idle ones close by themselves). */
export interface RpcSource extends ChainSource {
  close(): void;
}

/** Follows a chain through one or more of its nodes. Throws a `ChainError` for an invalid URL. */
export function createRpcSource(options: RpcSourceOptions): RpcSource {
  const { clock = systemClock, requestTimeoutMs = 10_000 } = options;
  const nodes = options.urls.map((text) => new PoolNode(parseNodeUrl(text), requestTimeoutMs));
  const { expectedChainId = null, recheckMs = null } = options;
  const pool = new NodePool(nodes, { expectedChainId, recheckMs, clock });
  const wholeBlocks = new ConcurrencyLimit(WHOLE_BLOCKS_AT_ONCE);

  return {
    kind: 'rpc',
    get name() {
      return pool.name;
    },
    now: () => clock.now(),
    // The pool requests the chain id before any work, so no other work is needed.
    chain: () => pool.run(async () => pool.chain ?? chainProfile(0)),
    acceptRestart: () => pool.acceptRestart(),
    confirmChain: () => pool.confirmChain(),
    head: () =>
      pool.run(async (node) => {
        const header = await requestHead(node);
        pool.observe(node, header);
        const [block] = await readBlocks(node, header.number, header.number, header, { clock });
        if (block) return block;
        const words = 'has no fees of its newest block yet: it is asked again';
        throw new ChainError('bad-response', `${node.name} ${words}`);
      }),
    blocks: (from, to, { signal } = {}) =>
      pool.run(
        async (node) => {
          const head = await request(node, safeInteger, 'eth_blockNumber', [], { signal });
          return readBlocks(node, from, to, head, { clock, signal });
        },
        { signal },
      ),
    newest: (most, { known, signal }) =>
      pool.run(
        (node) => readNewest(node, most, known, (head) => pool.observe(node, head), { clock, signal }),
        { signal },
      ),
    subscribe: ({ known, signal }) => followChain({ pool, clock, known, signal }),
    call: ({ to, data }) => pool.run((node) => request(node, bytes, 'eth_call', [{ to, data }, 'latest'])),
    sendRawTransaction: (signed, options = {}) => sendTransaction(pool, signed, options),
    transaction: (hash) =>
      pool.run((node) => request(node, nullish(transactionResponse), 'eth_getTransactionByHash', [hash]), {
        patienceMs: SECOND_OPINION_MS,
      }),
    receipt: (hash) =>
      pool.run((node) => request(node, nullish(receiptResponse), 'eth_getTransactionReceipt', [hash]), {
        patienceMs: SECOND_OPINION_MS,
      }),
    block: (number, { signal } = {}) =>
      pool.run((node) => readBlock(node, number, { signal }), { signal, patienceMs: SECOND_OPINION_MS }),
    transactionsOf: (block, { signal } = {}) =>
      wholeBlocks.take(
        () => pool.run((node) => readTransactions(node, block, { clock, signal }), { signal }),
        signal,
      ),
    nonce: (address, at) =>
      pool.run((node) => request(node, safeInteger, 'eth_getTransactionCount', [address, at])),
    balance: (address) => pool.run((node) => request(node, quantity, 'eth_getBalance', [address, 'latest'])),
    code: (address) => pool.run((node) => request(node, bytes, 'eth_getCode', [address, 'latest'])),
    dataFees: createDataFees(pool, clock),
    ethConfig: () => requestEthConfig(pool),
    pools: (request) => readPools(pool, request),
    estimateGas: ({ to, value, ...call }) => {
      const asked = { ...call, ...(to !== null && { to }), value: `0x${value.toString(16)}` };
      return pool.run((node) => request(node, quantity, 'eth_estimateGas', [asked]));
    },
    health: () => pool.health(),
    close: () => {
      for (const node of nodes) node.link.close();
    },
  };
}
