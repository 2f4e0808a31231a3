import type { ChainConfig, Client } from 'viem';
import {
  ClientError,
  chainStatus,
  createGasClient,
  type GasClientOptions,
  type SnapshotView,
} from './client/index.ts';

/** How long a transaction waits for a service that does not respond. */
const WITHIN_MS = 1_000;
const ENDPOINT = '/gas/current';

export interface GasFeesOptions extends Pick<GasClientOptions, 'url' | 'apiKey' | 'fetch' | 'signal'> {
  /** The lane of the caps: `slow` is cheap, `fast` is for the next block. Default: `average`. */
  readonly lane?: 'slow' | 'average' | 'fast';
  /** Called once when viem's own estimate replaces the service's, and again after the service was used in between. */
  readonly onFallback?: (reason: ClientError) => void;
}

interface Caps {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/**
 * Makes a viem chain price its transactions by a v1 service: `{ ...mainnet, ...gasFees({ url, apiKey }) }`. Sends at
 * most one request a block. If the service does not respond within a second, is stale, or serves another chain, uses
 * viem's own estimate: no failure of the service is thrown. Keeps the fees that the caller sets, and legacy transactions.
 *
 * `fees` alone would not suffice: a node with `eth_fillTransaction`, such as geth and anvil, fills in fees before
 * viem requests them, so they are set before that.
 * @throws RangeError for an invalid `url`.
 */
export function gasFees({
  lane = 'average',
  onFallback,
  ...service
}: GasFeesOptions): Pick<ChainConfig, 'fees' | 'prepareTransactionRequest'> {
  const gas = createGasClient({ ...service, timeoutMs: WITHIN_MS });
  let asked: { readonly block: bigint; readonly caps: Promise<Caps | null> } | null = null;
  let isFallback = false;

  const request = async (node: Client): Promise<Caps | null> => {
    try {
      const chainId = node.chain?.id ?? Number(await node.request({ method: 'eth_chainId' }));
      const caps = capsOf(await gas.gasCurrent(), lane, chainId);
      isFallback = false;
      return caps;
    } catch (error) {
      if (!(error instanceof ClientError)) {
        asked = null;
        throw error;
      }
      if (!isFallback) onFallback?.(error);
      isFallback = true;
      return null;
    }
  };

  /** @param head known to viem only within a transaction */
  const capsAt = async (node: Client, head?: bigint | null): Promise<Caps | null> => {
    const block = head ?? BigInt(await node.request({ method: 'eth_blockNumber' }));
    if (asked?.block !== block) asked = { block, caps: request(node) };
    return asked.caps;
  };

  return {
    fees: {
      // `null` makes viem use its own estimate.
      estimateFeesPerGas: async ({ block, client, request: given, type }) => {
        const caps = type === 'legacy' ? null : await capsAt(client, block?.number);
        return caps && besideGiven(caps, given);
      },
      maxPriorityFeePerGas: async ({ block, client }) => {
        const caps = await capsAt(client, block?.number);
        if (caps !== null) return caps.maxPriorityFeePerGas;
        const own = await client.request({ method: 'eth_maxPriorityFeePerGas' }).catch(() => null);
        return own === null ? null : BigInt(own);
      },
    },
    prepareTransactionRequest: async (given, { client }) => {
      const isLegacy = given.gasPrice !== undefined || given.type === 'legacy' || given.type === 'eip2930';
      if (isLegacy || !given.parameters?.includes('fees')) return given;
      const caps = await capsAt(client);
      return caps === null ? given : Object.assign(given, besideGiven(caps, given));
    },
  };
}

/** The caps of a transaction that may have one of its own. */
function besideGiven(caps: Caps, given: Partial<Caps> = {}): Caps {
  const { maxFeePerGas: most, maxPriorityFeePerGas = lower(caps.maxPriorityFeePerGas, most) } = given;
  const base = caps.maxFeePerGas - caps.maxPriorityFeePerGas;
  return { maxFeePerGas: most ?? base + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

const lower = (one: bigint, other = one): bigint => (other < one ? other : one);

/** @throws ClientError (`unavailable`) when the snapshot is unsuitable for a transaction of this chain. */
function capsOf(snapshot: SnapshotView, lane: keyof SnapshotView['lanes'], chainId: number): Caps {
  const unavailable = (message: string) => new ClientError('unavailable', message, { endpoint: ENDPOINT });
  const { source } = snapshot;
  if (snapshot.chainId !== null && snapshot.chainId !== chainId) {
    throw unavailable(`${source.name} has the prices of chain ${snapshot.chainId}, not of ${chainId}`);
  }
  const status = chainStatus(snapshot, Date.now());
  if (status.kind === 'stale') throw unavailable(`the prices of ${source.name} are stale: ${status.reason}`);
  if (status.kind === 'catching-up') throw unavailable(`${source.name} is catching up with its chain`);
  const { maxFeePerGas, maxPriorityFeePerGas } = snapshot.lanes[lane];
  if (maxFeePerGas === null || maxPriorityFeePerGas === null) {
    throw unavailable(`${source.name} does not say what to cap a transaction at`);
  }
  return { maxFeePerGas, maxPriorityFeePerGas };
}
