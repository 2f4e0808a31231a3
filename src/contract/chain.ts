import * as z from 'zod';
import { listOf, maybe, object, whole } from './primitives.ts';

const gas = whole(1);

/** Usual work in gas. */
export const UsualGas = z.strictObject({
  gas: gas.describe('What it usually takes, in gas, by the rules of the newest block'),
  gasNext: maybe(
    gas,
    'The same by the fork to Amsterdam that is scheduled; null: none is, or no node says so',
  ),
});

const BlobSchedule = object('BlobSchedule', 'Blobs of a block, and how fast their fee follows (EIP-7840)', {
  target: whole(0),
  max: whole(0),
  baseFeeUpdateFraction: whole(1),
});

/** `GET /chain/rules`. */
export const ChainRules = object('ChainRules', 'The gas rules of the newest block, and the next fork', {
  rules: z
    .enum(['osaka', 'amsterdam', 'own', 'unknown'])
    .describe(
      "own: the chain has rules of its own; unknown: nothing tells whose rules hold, or they aren't known here",
    ),
  source: z
    .enum(['header', 'eth_config', 'none'])
    .describe(
      "What tells: the block's header, eth_config of the node (EIP-7910), or nothing but the chain itself",
    ),
  since: maybe(
    whole(0),
    'Time of the first block of the fork that holds, in Unix seconds; null: no node says so',
  ),
  next: maybe(
    object('NextFork', 'A fork that is scheduled', {
      at: whole(0).describe('Time of its first block, in Unix seconds'),
      kind: z
        .enum(['amsterdam', 'blobs', 'unknown'])
        .describe(
          'blobs: it changes the blob schedule alone; unknown: it changes rules that are not known here',
        ),
      blobSchedule: maybe(BlobSchedule, 'From then on; null: the node states none'),
    }),
    'null: none is scheduled, or no node says so',
  ),
  blobSchedule: maybe(BlobSchedule, 'Of the newest block; null: no node states one'),
  usualWork: listOf('What usual work takes by each rules, in gas: measured with real contract code', {
    name: z.string(),
    osaka: gas,
    amsterdam: gas,
  }),
});
