import type { ChainFees, ChainFeesFnParameters } from 'viem';
import { ClientError, createGasClient, type GasClientOptions, type SnapshotView } from './client/index.ts';

/** viem waits for the fees of each transaction: no longer than this for a service that does not respond. */
const WITHIN_MS = 1_000;
const ENDPOINT = '/gas/current';

export interface GasFeesOptions extends Pick<GasClientOptions, 'url' | 'apiKey' | 'fetch' | 'signal'> {
  /** Whose caps are used: `slow` is cheap, `fast` is for the next block. Default: `average`. */
  readonly lane?: 'slow' | 'average' | 'fast';
  /** Called once when viem's own estimate begins to stand in, and again only if the service was of use in between. */
  readonly onFallback?: (reason: ClientError) => void;
}

interface Caps {
  readonly price: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/**
 * The `fees` of a viem chain, by a service that speaks v1: `{ ...mainnet, fees: gasFees({ url, apiKey }) }`. Sends at most
 * one request a block. Where the service does not respond within a second, is stale, or serves another chain, viem's own
 * estimate is used; nothing is thrown. What the caller sets of a transaction's fees stays.
 * @throws RangeError where `url` cannot be a service's.
 */
export function gasFees({ lane = 'average', onFallback, ...service }: GasFeesOptions): ChainFees {
  const gas = createGasClient({ ...service, timeoutMs: WITHIN_MS });
  let asked: { readonly block: bigint; readonly caps: Promise<Caps | null> } | null = null;
  let isFallback = false;

  const request = async (node: ChainFeesFnParameters['client']): Promise<Caps | null> => {
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

  /** viem passes no block where `estimateFeesPerGas` is called by itself. */
  const capsAt = async ({ block, client }: ChainFeesFnParameters | DirectCall): Promise<Caps | null> => {
    const number = block?.number ?? BigInt(await client.request({ method: 'eth_blockNumber' }));
    if (asked?.block !== number) asked = { block: number, caps: request(client) };
    return asked.caps;
  };

  return {
    // `null` is viem's word for its own estimate.
    estimateFeesPerGas: async (call) => {
      const caps = await capsAt(call);
      if (caps === null) return null;
      const { multiply, request, type } = call;
      // The whole of a legacy price is paid, so it is not the cap but the price, with viem's own margin.
      if (type === 'legacy') return { gasPrice: request?.gasPrice ?? multiply(caps.price) };
      const most = request?.maxFeePerGas;
      const usual = most !== undefined && most < caps.maxPriorityFeePerGas ? most : caps.maxPriorityFeePerGas;
      const maxPriorityFeePerGas = request?.maxPriorityFeePerGas ?? usual;
      const maxFeePerGas = most ?? caps.maxFeePerGas - caps.maxPriorityFeePerGas + maxPriorityFeePerGas;
      return { maxFeePerGas, maxPriorityFeePerGas };
    },
    maxPriorityFeePerGas: async (call) => {
      const caps = await capsAt(call);
      if (caps !== null) return caps.maxPriorityFeePerGas;
      const own = await call.client.request({ method: 'eth_maxPriorityFeePerGas' }).catch(() => null);
      return own === null ? null : BigInt(own);
    },
  };
}

interface DirectCall extends Omit<ChainFeesFnParameters, 'block'> {
  readonly block?: undefined;
}

/** @throws ClientError (`unavailable`) where the snapshot is no basis for a transaction of this chain. */
function capsOf(snapshot: SnapshotView, lane: keyof SnapshotView['lanes'], chainId: number): Caps {
  const unavailable = (message: string) => new ClientError('unavailable', message, { endpoint: ENDPOINT });
  const { source, stale } = snapshot;
  if (snapshot.chainId !== null && snapshot.chainId !== chainId) {
    throw unavailable(`${source.name} has the prices of chain ${snapshot.chainId}, not of ${chainId}`);
  }
  if (stale === true) {
    throw unavailable(`the prices of ${source.name} are stale: ${source.problem?.message ?? 'no new block'}`);
  }
  const { price, maxFeePerGas, maxPriorityFeePerGas } = snapshot.lanes[lane];
  if (maxFeePerGas === null || maxPriorityFeePerGas === null) {
    throw unavailable(`${source.name} does not say what to cap a transaction at`);
  }
  return { price, maxFeePerGas, maxPriorityFeePerGas };
}
