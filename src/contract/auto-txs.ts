import * as z from 'zod';
import type { FieldProblem } from './alert-targets.ts';
import * as choices from './choices.ts';
import { type Body, checkBody } from './field-problems.ts';
import { Pending } from './pending.ts';
import * as wire from './primitives.ts';
import { flag, listOf, maybe, object, pageOf, text, whole } from './primitives.ts';

/** Nonces are below 2^64 − 1 (EIP-2681); those above 2^53 are refused: no account gets there. */
const Nonce = whole(0).meta({ id: 'Nonce', description: "Number of the sender's transaction" });

/** A loop: a pattern of pairs overflows the stack on a long text. */
const isHex = (text: string) =>
  text.startsWith('0x') && text.length % 2 === 0 && !/[^0-9a-fA-F]/.test(text.slice(2));

const Calldata = z
  .string()
  .max(choices.CALLDATA_LONGEST)
  .refine(isHex, 'must be hex: 0x and pairs of digits')
  .describe('What the call is given, or the code of a new contract');

const ValueWei = z
  .string()
  .regex(/^\d{1,78}$/, { error: 'must be whole wei, as a decimal string', abort: true })
  .refine((wei) => BigInt(wei) < 2n ** 256n, 'must be less than 2^256 wei')
  .describe('Wei to send, as a decimal string');

const EXPIRY_DAYS = choices.EXPIRY_LONGEST_MS / 86_400_000;

/** Never returned; `core/transactions` checks its content. */
const SignedHex = z
  .string()
  .min(1)
  .max(choices.SIGNED_LONGEST)
  .describe('The raw signed transaction as hex, as eth_sendRawTransaction takes it; write-only');

const Target = wire.PriceGwei.describe('Price per gas at or below which it is broadcast, in gwei');

const MaxCost = z
  .union(
    [
      z.strictObject({
        maxCostUsd: z
          .number()
          .gt(0)
          .max(choices.MOST_COST_USD)
          .describe('US dollars in all: gas, blobs, and what a rollup takes for L1'),
      }),
      z.strictObject({
        maxShareOfValueRatio: z
          .number()
          .gt(0)
          .max(1)
          .describe('The same as a share of the native coins that it sends, 0.02 for 2 %'),
      }),
    ],
    {
      // When it is needed: the first number in a language costs a start 12 ms.
      error: () =>
        `must be {"maxCostUsd": 3}, at most ${choices.MOST_COST_USD.toLocaleString('en')}, or {"maxShareOfValueRatio": 0.02}, at most 1`,
    },
  )
  .meta({ id: 'AutoTxThreshold', description: 'The most that the transaction may cost in all' });

const threshold = MaxCost.nullable()
  .optional()
  .describe(
    'In place of `targetGasPriceGwei`: it is broadcast when it costs at most that itself, by the gas that a node estimates, or its gas limit',
  );

const fields = {
  gasSpeed: z.enum(choices.GAS_SPEEDS).describe('The lane whose price is compared with the target'),
  strictTargetPrice: flag('Compares what this transaction would pay in the next block instead of the lane'),
  note: wire.Note.describe('For yourself'),
  expiresAt: maybe(
    z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' }),
    `Until when it may be broadcast, at most ${EXPIRY_DAYS} days ahead; null: it does not expire`,
  ),
};

const draft = {
  to: wire.Address.nullable().optional().describe('Of a draft; null: it makes a contract'),
  value: ValueWei.optional().describe('Of a draft: wei, as a decimal string; default for a new one: 0'),
  data: Calldata.optional().describe('Call data of a draft; default for a new one: 0x'),
};

/** Body of `POST /auto-txs`: pending with a signature, otherwise a draft. */
export const AutoTxCreation = object('AutoTxCreation', 'A transaction that is to be broadcast at a price', {
  signedTransaction: SignedHex.optional(),
  ...draft,
  ...fields,
  targetGasPriceGwei: Target.nullable()
    .optional()
    .describe(`${Target.description}; required without threshold`),
  threshold,
  gasSpeed: fields.gasSpeed.default('AVERAGE'),
  strictTargetPrice: fields.strictTargetPrice.default(false),
  note: fields.note.default(''),
  expiresAt: fields.expiresAt.default(null),
});
export type AutoTxCreation = z.infer<typeof AutoTxCreation>;
/** As sent: fields with a default may be absent. */
export type AutoTxCreationInput = z.input<typeof AutoTxCreation>;

/** Body of `PUT /auto-txs/{id}`: changes the given fields. */
export const AutoTxUpdate = object('AutoTxUpdate', 'What is to change; to, value and data only of a draft', {
  signedTransaction: SignedHex.optional().describe('Signs a draft, or replaces what was never broadcast'),
  ...draft,
  ...z.object(fields).partial().shape,
  targetGasPriceGwei: Target.nullable().optional(),
  threshold,
  status: z
    .enum(['PENDING', 'DISABLED'])
    .optional()
    .describe('PENDING: broadcast at its target; DISABLED: not for now'),
});
export type AutoTxUpdate = z.infer<typeof AutoTxUpdate>;
export type AutoTxUpdateInput = z.input<typeof AutoTxUpdate>;

/** Validates the body of `POST /auto-txs` without reading the signed transaction. `now`: ms since epoch. */
export const checkAutoTx = (body: unknown, now: number) =>
  checkBody(AutoTxCreation, body, (given) => [
    ...missingOfDraft(given),
    ...wrongTarget(given),
    ...wrongExpiry(given, now),
  ]);

export const checkAutoTxUpdate = (body: unknown, now: number) =>
  checkBody(AutoTxUpdate, body, (given) => {
    const isEmpty = Object.values(given).every((value) => value === undefined);
    const nothing = isEmpty ? [{ path: '', message: 'names nothing that is to change' }] : [];
    return [...twoTargets(given), ...wrongExpiry(given, now), ...nothing];
  });

function missingOfDraft({ signedTransaction, to, data = '0x' }: Body): FieldProblem[] {
  if (signedTransaction !== undefined) return [];
  if (to === undefined) {
    const message =
      'is missing: whom a draft is for, or null where it makes a contract; or give signedTransaction';
    return [{ path: 'to', message }];
  }
  if (to !== null || data !== '0x') return [];
  return [{ path: 'data', message: 'must be the code of the contract that is made, where to is null' }];
}

function wrongTarget(given: Body): FieldProblem[] {
  if (given.targetGasPriceGwei != null || given.threshold != null) return twoTargets(given);
  const message =
    'is missing: a price in gwei; or give threshold, the most that it may cost: {"maxCostUsd": 3} or {"maxShareOfValueRatio": 0.02}';
  return [{ path: 'targetGasPriceGwei', message }];
}

function twoTargets({ targetGasPriceGwei, threshold: limit }: Body): FieldProblem[] {
  if (targetGasPriceGwei == null || limit == null) return [];
  const message = 'goes without targetGasPriceGwei, which follows from it: give one of the two';
  return [{ path: 'threshold', message }];
}

function wrongExpiry({ expiresAt }: Body, now: number): FieldProblem[] {
  const { data: end } = AutoTxUpdate.shape.expiresAt.safeParse(expiresAt);
  if (end == null) return [];
  const left = Date.parse(end) - now;
  // An invalid date, such as February 30th, is not in the future either.
  if (!(left > 0)) return [{ path: 'expiresAt', message: 'must be in the future' }];
  const message = `must be at most ${EXPIRY_DAYS} days from now`;
  return left > choices.EXPIRY_LONGEST_MS ? [{ path: 'expiresAt', message }] : [];
}

const Check = object('AutoTxCheck', 'A pre-flight check', {
  name: text(`One of ${choices.CHECK_NAMES.join(', ')}`),
  result: z
    .enum(choices.CHECK_RESULTS)
    .describe('block: can never be included; wait: held until it passes; unknown: no node says'),
  ok: maybe(z.boolean(), 'false: needs attention (a block, no balance, a likely mistake); null: unknown'),
  code: maybe(z.string(), 'For programs, such as insufficient_balance'),
  message: text('What it found, and what it waits for'),
});

const Problem = z.strictObject({ code: z.string(), message: z.string() });

const Comparison = object('AutoTxComparison', 'What it paid against another price', {
  referencePrice: wire.Price,
  savedWei: wire.SignedAmount,
  savedUsd: z.number().nullable(),
});

/** An auto-tx in every response. It never holds the signed bytes. */
export const AutoTx = object('AutoTx', 'A transaction that is broadcast when gas reaches a price', {
  id: z.string(),
  status: z.enum(choices.AUTO_TX_STATUSES),
  targetGasPriceGwei: maybe(Target, `${Target.description}; null: its threshold stands for none now`),
  threshold: MaxCost.nullable().describe('The most that it may cost in all; null: it has a target in gwei'),
  effectiveThresholdGwei: maybe(
    z.number(),
    'The price per gas that its threshold stands for now, in gwei; null: none, for thresholdReason, or it has no threshold',
  ),
  effectiveSince: maybe(wire.Timestamp, 'Since when'),
  thresholdReason: maybe(z.string(), 'Why its threshold stands for no price now, so that it waits'),
  warnings: listOf('What does not refuse it, and needs attention', { path: z.string(), message: z.string() }),
  ...fields,
  chainId: wire.ChainId,
  type: whole(0, 4).nullable().describe('EIP-2718 type; null: a draft'),
  from: maybe(wire.Address, 'null: a draft'),
  to: maybe(wire.Address, 'null: it makes a contract'),
  value: wire.Amount,
  data: maybe(z.string(), 'null in lists, where it is long: ask for the one'),
  nonce: Nonce.nullable(),
  gasLimit: whole(0).nullable(),
  maxFeePerGas: wire.Wei.nullable(),
  maxPriorityFeePerGas: wire.Wei.nullable(),
  gasPrice: wire.Wei.nullable(),
  hash: wire.Hash.nullable(),
  checks: z.array(Check),
  checkedAt: wire.Timestamp.nullable(),
  createdAt: wire.Timestamp,
  updatedAt: wire.Timestamp,
  submittedAt: maybe(wire.Timestamp, 'When it was last submitted'),
  executedAt: maybe(wire.Timestamp, 'When it was final in a block'),
  blockNumber: wire.BlockNumber.nullable(),
  gasUsed: whole(0).nullable(),
  effectiveGasPrice: wire.Wei.nullable(),
  costWei: maybe(wire.Amount, 'What it paid in all'),
  costUsd: wire.Usd.nullable(),
  savedWei: maybe(wire.Amount, 'Against its price at its creation, or 0; null as savings'),
  savings: maybe(
    z.strictObject({ atCreation: Comparison.nullable(), dayMean: Comparison.nullable() }),
    'Against what it would have paid itself at its creation, and at the mean base fee of the 24 hours before it was mined; `null` until it is mined, where it reverted, and where it paid more than half above its target',
  ),
  failure: Problem.nullable(),
  hold: Problem.extend({ retryAt: wire.Timestamp })
    .nullable()
    .describe('What kept it from being broadcast though its target was reached'),
  attempts: whole(0),
  unseenSince: maybe(
    wire.Timestamp,
    'Since when no node shows it though it was sent, as relays that hide their pool; it stays SUBMITTED. null: a node shows it, or it is not submitted',
  ),
  resends: whole(0).describe(
    'How often the same bytes were sent again in this attempt, as no node showed them',
  ),
  resendAt: maybe(
    wire.Timestamp,
    'When it is sent again at the earliest, while its target is reached and its checks pass: after 1, 2, 5, 15 and 60 minutes, then every hour',
  ),
  mayBeMined: flag('Nodes may have its signed bytes, so it may be mined whatever its status'),
  confirmations: maybe(whole(0), 'Blocks that have it, its own included'),
  confirmationsNeeded: whole(1),
  reachProbability: maybe(
    wire.Ratio,
    'Of its target within `reachWithinSec`; null: not pending, or too little history',
  ),
  reachWithinSec: maybe(whole(1), 'Seconds until it expires; a day, where that is further off or never'),
  keyId: maybe(z.string(), "The id of the key that made it; null: one's own"),
});
export type AutoTx = z.infer<typeof AutoTx>;

export const AutoTxDetails = AutoTx.extend({
  timeline: listOf('What happened, newest first, at most 200', {
    at: wire.Timestamp,
    kind: z.string(),
    blockNumber: wire.BlockNumber.nullable(),
    message: z.string(),
  }),
  pending: maybe(
    Pending,
    'Of a submitted one that is in no block: why it waits, and what to sign in the wallet to replace or cancel it; null for others',
  ),
}).meta({ id: 'AutoTxDetails', description: 'An auto-tx and what happened to it' });
export type AutoTxDetails = z.infer<typeof AutoTxDetails>;
export const AutoTxList = pageOf(AutoTx).meta({ id: 'AutoTxList', description: 'Auto-txs, newest first' });
export type AutoTxList = z.infer<typeof AutoTxList>;

/** `GET /auto-txs/accounts/{address}`: a sender's account for pre-flight checks, without the signed bytes. */
export const AutoTxAccount = object('AutoTxAccount', 'A sender as the chain knows it', {
  chainId: wire.ChainId,
  address: wire.Address,
  nonce: Nonce.describe('The next one that the chain takes'),
  pendingNonce: Nonce.describe("The next one after those in the node's pool"),
  balanceWei: wire.Amount,
  waiting: listOf('Auto-txs of this sender and this key that may still be broadcast, by nonce', {
    id: z.string(),
    nonce: Nonce,
    status: z.enum(choices.AUTO_TX_STATUSES),
  }),
  dataFees: maybe(
    z.strictObject({
      rate: wire.Amount.describe('16 × base fee scalar × L1 base fee + blob base fee scalar × L1 blob fee'),
      operatorPerMillionGas: wire.Amount,
      operatorConstant: wire.Amount,
    }),
    'What an OP-stack chain takes beside gas, in wei; 0: the chain takes none; null: not known',
  ),
  dataFeesReason: maybe(z.string(), 'Why it is not known; null where it is'),
  code: maybe(
    z.enum(choices.CODE_KINDS),
    'What code the account has; delegated: that of another account (EIP-7702); null: not known',
  ),
  blockGasLimit: maybe(whole(0), 'Gas limit of the newest block; null: not known'),
});
export type AutoTxAccount = z.infer<typeof AutoTxAccount>;
