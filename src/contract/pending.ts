import * as z from 'zod';
import * as wire from './primitives.ts';
import { listOf, maybe, object, text, whole } from './primitives.ts';

const FEES = {
  maxFeePerGas: wire.Price,
  maxPriorityFeePerGas: wire.Price,
  maxFeePerBlobGas: maybe(wire.Wei, 'In wei per blob gas; null: it has no blobs'),
  reason: wire.WhyNull,
};

const ToSign = object('ToSign', 'A transaction to sign: nothing is signed here', {
  nonce: whole(0),
  type: whole(0).describe('EIP-2718 type; 0 and 1 sign maxFeePerGas as their gas price'),
  ...FEES,
  gasLimit: whole(0),
  blobCount: whole(0),
  costWei: wire.Amount.describe('The most it can take beside its value, without what a rollup adds for L1'),
  costUsd: maybe(wire.Usd, 'The same at the present price of the coin'),
  expectedCostWei: wire.Amount.describe('What it would take in the next block'),
  missingWei: maybe(wire.Amount, 'What the balance lacks for it; null: the balance is not known'),
  rule: text('Who asks for these fees: the clients with the strictest rule, or the lane'),
});

const Cause = object('PendingCause', 'Why a transaction waits', {
  code: text(
    'nonce_used, mined_elsewhere, gas_limit, other_coin, nonce_gap, earlier_pending, insufficient_balance, cap_below_base, blob_cap_below_base, tip_too_low, rival, not_shared or payable',
  ),
  message: text('For people, one line'),
});

/** Of a transaction that is in no block: why it waits, how likely it is included as it is, and what to sign to free it. */
export const Pending = object('Pending', 'Why a pending transaction waits, and what frees it', {
  reason: text('The weightiest cause, for people'),
  causes: z.array(Cause).describe('All of them, the weightiest first'),
  nodesAsked: whole(0),
  nodesPending: whole(0).describe('How many of them have it in their pool'),
  probabilities: listOf('That its price comes within so many seconds, as the table of waits says it', {
    withinSec: whole(1),
    probability: maybe(wire.Ratio, 'null: not the price holds it back, or too little history'),
  }),
  probabilityReason: maybe(z.string(), 'Why there is no probability; null where there is'),
  before: listOf("The sender's nonces before it that are not mined, at most 8", {
    nonce: whole(0),
    state: text(
      'missing: in no pool; stuck: its price is too low; payable: on its way; hidden: in a pool that does not show its fees; unknown: behind a gap, where no pool tells',
    ),
    hash: wire.Hash.nullable(),
    sign: maybe(ToSign, 'What frees it: a transfer of 0 to oneself where it is missing, else a replacement'),
  }),
  replacement: maybe(ToSign, 'The same transaction with these fees; null: it can never be mined'),
  cancellation: maybe(
    ToSign,
    'A transfer of 0 to oneself with its nonce, of blobs as many as it has; null: its gas is not known',
  ),
  pools: listOf('The least fees that each client takes in its place, by its own rule', {
    client: z.string(),
    ...FEES,
  }),
  costReason: maybe(z.string(), 'What is not in the costs; null: they are whole'),
});
export type Pending = z.infer<typeof Pending>;
