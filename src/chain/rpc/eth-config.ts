import * as z from 'zod';
import type { BlobSchedule, EthConfig } from '../../core/chain-rules.ts';
import { ChainError } from '../chain-source.ts';
import { request } from './client.ts';
import { nullish } from './decode.ts';
import type { NodePool } from './node-pool.ts';

/** Most gateways refuse the method; some do not answer at all. */
const WITHIN_MS = 5_000;

const MOST_BLOBS = 10_000;

/** A schedule that cannot be computed with (a fraction of 0) is none. */
const blobSchedule = z
  .object({
    target: z.int().min(0).max(MOST_BLOBS),
    max: z.int().min(0).max(MOST_BLOBS),
    baseFeeUpdateFraction: z.int().min(1),
  })
  .nullish()
  .catch(null)
  .transform((schedule): BlobSchedule | null => schedule ?? null);

const addresses = nullish(z.record(z.string(), z.string())).transform((named) => named ?? {});

/** Numbers as JSON numbers, as EIP-7910 wants them: others are not guessed at. */
const forkConfig = z.object({
  activationTime: z.int().min(0),
  chainId: z
    .string()
    .regex(/^0x[0-9a-fA-F]{1,14}$/)
    .transform(Number),
  blobSchedule,
  precompiles: addresses,
  systemContracts: addresses,
});

const ethConfig = z.object({ current: forkConfig, next: nullish(forkConfig) });

/** A believable answer to `eth_config` (EIP-7910); `null`: it is none, or of another chain. */
export function readEthConfig(response: unknown, chainId: number): EthConfig | null {
  const { data } = ethConfig.safeParse(response);
  if (data === undefined || data.current.chainId !== chainId) return null;
  const { current, next } = data;
  const isLater = next !== null && next.chainId === chainId && next.activationTime > current.activationTime;
  return { chainId, current, next: isLater ? next : null };
}

/** From the first node that has one; `null` where none has. Rejects when no node can be reached. */
export const requestEthConfig = (pool: NodePool): Promise<EthConfig | null> =>
  pool.run(async (node) => {
    try {
      const response = await request(node, z.unknown(), 'eth_config', [], { withinMs: WITHIN_MS });
      return readEthConfig(response, pool.chain?.id ?? 0);
    } catch (error) {
      // It says nothing about the node's health that it lacks this.
      if (error instanceof ChainError && error.code !== 'unreachable') return null;
      throw error;
    }
  });
