import { setTimeout as sleep } from 'node:timers/promises';
import { DEVELOPMENT_SIGNERS } from '../chain/development-keys.ts';
import { DEVELOPMENT_ACCOUNTS } from '../chain/simulated-node.ts';
import type { SimulatedSource } from '../chain/simulated-source.ts';
import type { AlertCreationInput } from '../contract/alerts.ts';
import type { AutoTxCreationInput } from '../contract/auto-txs.ts';
import { BASE_PATH, PATHS } from '../contract/routes.ts';
import { eachLane } from '../core/advice.ts';
import { gasFactsAt } from '../core/auto-txs/gas-check.ts';
import { NEW_ORDER } from '../core/auto-txs/order.ts';
import { preflight } from '../core/auto-txs/preflight.ts';
import { type AutoTxEvent, confirmationsOf, type Observation } from '../core/auto-txs/state-machine.ts';
import { type StoredAutoTx, stepStored } from '../core/auto-txs/stored-auto-tx.ts';
import { ownPriceAt, paysAt } from '../core/auto-txs/target.ts';
import type { Block, Hex } from '../core/block.ts';
import { chainRules } from '../core/chain-rules.ts';
import { chainProfile, SIMULATED_CHAIN_ID } from '../core/chains.ts';
import { decodeTransaction } from '../core/transactions/decode-transaction.ts';
import { weiOfGwei } from '../core/units.ts';
import { AutoTxStore } from '../store/auto-txs.ts';
import { addCoinPrices, type CoinPriceRow, NOTED_EVERY_SEC } from '../store/coin-prices.ts';
import type { Database } from '../store/database.ts';
import { OPERATOR } from '../store/tables.ts';
import { newAutoTx } from './auto-txs/auto-tx-change.ts';
import { inclusionBy } from './auto-txs/observation.ts';
import { preflightFacts } from './auto-txs/preflight-facts.ts';
import type { Service } from './service.ts';

const { payer: PAYER, outpaced: OUTPACED, waiting: WAITING } = DEVELOPMENT_SIGNERS;
const [RECIPIENT = PAYER.address, TOKEN = PAYER.address] = DEVELOPMENT_ACCOUNTS.slice(4);

const ETHER = 10n ** 18n;
const TIP = 10_000_000n;
const BLOCK_SEC = 12;
const BLOCKS_AN_HOUR = 3_600 / BLOCK_SEC;
/** The first screens have their figures by then. */
const SETTLED_MS = 1_000;

export interface DemoOptions {
  readonly service: Service;
  readonly source: SimulatedSource;
  readonly database: Database;
  readonly signal: AbortSignal;
}

/** Three alerts, of which one fires at once, and auto-txs: one to be sent soon, one executed, one failed, one draft; two for a fork. */
export async function fillDemo(options: DemoOptions): Promise<void> {
  const { service, source, database, signal } = options;
  await service.ready;
  await sleep(SETTLED_MS, undefined, { signal });
  const head = await source.head();
  await addCoinPrices(database, coinPricesBefore(head, source));
  const past = await source.blocks(head.number - 6 * BLOCKS_AN_HOUR, head.number - BLOCKS_AN_HOUR / 3);
  const gwei = Number(next(head)) / 1e9;
  const [quiet, ...loud] = alertsAt(gwei);
  const id = await request(service, 'POST', PATHS.alerts, quiet);
  await request(service, 'PUT', PATHS.alertStatus.replace('{id}', id), { status: 'DISABLED' });
  for (const alert of loud) await request(service, 'POST', PATHS.alerts, alert);
  await addExecuted(options, past);
  await addFailed(options, past);
  const drafted: AutoTxCreationInput = {
    to: RECIPIENT,
    value: (ETHER / 4n).toString(),
    targetGasPriceGwei: twoDigits(gwei * 0.8),
    note: 'sign me in the wallet',
  };
  await request(service, 'POST', PATHS.autoTxs, drafted);
  await addWaiting(options, head);
  if (source.ethConfig !== undefined) await addForked(options, gwei);
}

/** As if the demo had followed its chain for a day. */
function coinPricesBefore(head: Block, source: SimulatedSource): CoinPriceRow[] {
  const blocks = NOTED_EVERY_SEC / BLOCK_SEC;
  return Array.from({ length: (24 * 3_600) / NOTED_EVERY_SEC + 1 }, (_, index) => ({
    since: head.timestamp - (index + 1) * NOTED_EVERY_SEC,
    native_usd: source.nativeUsdAt(head.number - (index + 1) * blocks),
  }));
}

/** Answers the id of what was made or changed. */
async function request(
  { fetch }: Service,
  method: 'POST' | 'PUT',
  path: string,
  body: unknown,
): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const url = `http://gastop.internal${BASE_PATH}${path}`;
  const response = await fetch(new Request(url, { method, headers, body: JSON.stringify(body) }));
  const text = await response.text();
  if (!response.ok) throw new Error(`the demo's ${method} ${path} is answered ${response.status}: ${text}`);
  return String(JSON.parse(text).id);
}

const alertsAt = (gwei: number): AlertCreationInput[] => [
  {
    thresholdGwei: twoDigits(gwei * 0.5),
    gasSpeed: 'SLOW',
    condition: 'LESS_THAN',
    channels: ['TELEGRAM'],
    to: '123456789',
    note: 'monthly payouts',
  },
  {
    thresholdGwei: twoDigits(gwei * 4),
    gasSpeed: 'FAST',
    condition: 'GREATER_THAN',
    channels: ['WEBHOOK'],
    to: 'https://example.com/gas',
    note: 'pause the bot',
  },
  {
    // The base fee rises by at most an eighth a block, so it fires with the next one.
    thresholdGwei: twoDigits(gwei * 1.4 + 0.02),
    gasSpeed: 'AVERAGE',
    condition: 'LESS_THAN',
    channels: ['TERMINAL', 'EMAIL'],
    method: 'EMAIL',
    to: 'you@example.com',
    note: 'deploy the contract',
  },
];

const twoDigits = (gwei: number) => Number(gwei.toPrecision(2));

/** A price in wei as gwei with three digits, rounded up. */
function threeDigitsUp(wei: bigint): number {
  const unit = 10 ** (Math.floor(Math.log10(Number(wei))) - 2);
  return Number((Math.ceil(Number(wei) / unit) * unit).toPrecision(3)) / 1e9;
}

const sign = (
  account: typeof PAYER,
  transfer: { to: Hex; nonce?: number; value?: bigint; data?: Hex; gas?: bigint },
  cap: bigint,
) =>
  account.signTransaction({
    chainId: SIMULATED_CHAIN_ID,
    type: 'eip1559',
    nonce: 0,
    gas: 21_000n,
    ...transfer,
    maxFeePerGas: cap,
    maxPriorityFeePerGas: TIP,
  });

const next = ({ nextBaseFee, baseFeePerGas }: Block) => nextBaseFee ?? baseFeePerGas;

const cheapestOf = (blocks: readonly Block[]) =>
  blocks.reduce((found, each) => (each.baseFeePerGas < found.baseFeePerGas ? each : found));

/** It waited from the most expensive block of the last hours until the cheapest one, which included it. */
async function addExecuted(options: DemoOptions, past: readonly Block[]): Promise<void> {
  const cheapest = cheapestOf(past.slice(BLOCKS_AN_HOUR));
  const before = past.filter(({ number }) => number < cheapest.number);
  const dearest = before.reduce((found, each) => (each.baseFeePerGas > found.baseFeePerGas ? each : found));
  const word = (hex: string) => hex.padStart(64, '0');
  // transfer(address,uint256)
  const data: Hex = `0xa9059cbb${word(RECIPIENT.slice(2).toLowerCase())}${word((250n * 10n ** 6n).toString(16))}`;
  const signed = await sign(PAYER, { to: TOKEN, data, gas: 65_000n }, dearest.baseFeePerGas * 2n);
  const { receipt } = await options.source.backdate(signed, cheapest.number);
  const bid = decodeTransaction(signed);
  const price = paysAt(bid, cheapest.baseFeePerGas);
  const target = weiOfGwei(threeDigitsUp(price));
  const head = cheapest.number - 1;
  const sent: readonly AutoTxEvent[] = [
    { type: 'submit', reached: { head, price, target, lane: null } },
    { type: 'sent' },
  ];
  const seen = { inclusion: inclusionBy(receipt, bid, cheapest), isKnown: true, nextNonce: 1 };
  const events = [...sent.map((event) => [head, event] as const), ...observed(cheapest.number, seen)];
  await writePast(options, { signed, target, note: 'pay the supplier', from: dearest, events });
}

/** Another transaction of its sender used its nonce meanwhile. */
async function addFailed(options: DemoOptions, past: readonly Block[]): Promise<void> {
  const [from, mined] = [past[BLOCKS_AN_HOUR], past[3 * BLOCKS_AN_HOUR]];
  if (from === undefined || mined === undefined) throw new RangeError('the past is too short');
  const cap = 2n * next(from) + 20n * TIP;
  const rival = await sign(OUTPACED, { to: RECIPIENT, value: ETHER / 20n }, cap * 10n);
  await options.source.backdate(rival, mined.number);
  await writePast(options, {
    signed: await sign(OUTPACED, { to: RECIPIENT, value: ETHER / 10n }, cap),
    target: weiOfGwei(threeDigitsUp(from.baseFeePerGas / 4n)),
    note: 'top up the hot wallet',
    from,
    events: observed(mined.number, { inclusion: null, isKnown: false, nextNonce: 1 }),
  });
}

/** Blocks between its creation and the first candidate for its target, and the number of candidates. */
const WAITS_LEAST = 2;
const WAITS_MOST = 12;

/** Its target is the price of the first block cheaper than now: the simulated chain knows its future. */
async function addWaiting({ service, source }: DemoOptions, now: Block): Promise<void> {
  const ahead = await Promise.all(
    Array.from({ length: WAITS_MOST }, (_, place) => source.foresee(now.number + 1 + WAITS_LEAST + place)),
  );
  const cheaper = ahead.find(({ baseFeePerGas }) => baseFeePerGas * 100n < next(now) * 98n);
  const { baseFeePerGas } = cheaper ?? cheapestOf(ahead);
  const scheduled: AutoTxCreationInput = {
    signedTransaction: await sign(WAITING, { to: RECIPIENT, value: ETHER / 2n }, next(now) * 10n),
    targetGasPriceGwei: threeDigitsUp(baseFeePerGas + TIP),
    strictTargetPrice: true,
    note: 'move to cold storage',
  };
  await request(service, 'POST', PATHS.autoTxs, scheduled);
}

const BATCH_BYTES = 1_000;
/** The floor of that much data before Amsterdam (EIP-7623): since then it is 79,000 (EIP-7976). */
const BATCH_GAS = 61_000n;
/** Nobody has paid it yet. */
const NEWCOMER: Hex = '0x00000000000000000000000000000000000000a5';

/** Two that wait past the fork: one that no block can include since then, and one that would only lose its gas. */
async function addForked({ service }: DemoOptions, gwei: number): Promise<void> {
  const cap = weiOfGwei(twoDigits(gwei * 10));
  const data: Hex = `0x${'5a'.repeat(BATCH_BYTES)}`;
  const batch = await sign(PAYER, { nonce: 1, to: TOKEN, data, gas: BATCH_GAS }, cap);
  const first = await sign(OUTPACED, { nonce: 1, to: NEWCOMER, value: ETHER / 50n }, cap);
  for (const [signedTransaction, note] of [
    [first, 'first pay of a new account'],
    // Refused where the next block is of the fork: then it is too late to show.
    [batch, 'publish a batch of data'],
  ] as const) {
    const targetGasPriceGwei = twoDigits(gwei * 0.3);
    await request(service, 'POST', PATHS.autoTxs, { signedTransaction, targetGasPriceGwei, note });
  }
}

const CHAIN = chainProfile(SIMULATED_CHAIN_ID);
const CONFIRMATIONS = confirmationsOf(CHAIN);

type EventAt = readonly [head: number, event: AutoTxEvent];

/** Observations at its block, and again once it was final. */
const observed = (head: number, seen: Omit<Observation, 'head'>): EventAt[] =>
  [head, head + CONFIRMATIONS - 1].map((head) => [head, { type: 'observe', observation: { ...seen, head } }]);

interface PastAutoTx {
  readonly signed: Hex;
  readonly target: bigint;
  readonly note: string;
  readonly from: Block;
  readonly events: readonly EventAt[];
}

async function writePast(
  { database, source }: DemoOptions,
  { signed, target, note, from, events }: PastAutoTx,
): Promise<void> {
  const store = new AutoTxStore(database);
  const transaction = decodeTransaction(signed);
  const { to, value, data, hash } = transaction;
  const now = from.timestamp * 1_000 + 4_000;
  const order = { ...NEW_ORDER, target, isStrict: true };
  const id = `atx_${hash.slice(2, 18)}`;
  const nativeUsd = source.nativeUsdAt(from.number);
  const lane = { price: from.baseFeePerGas + TIP };
  const chain = {
    head: from,
    rules: chainRules(from, CHAIN, null),
    updatedAt: now,
    advice: {
      nextBaseFee: next(from),
      nextBlobBaseFee: from.nextBlobBaseFee,
      lanes: eachLane(() => lane),
    },
  };
  const balance = await source.balance(transaction.from);
  const facts = preflightFacts(
    { id, chainId: CHAIN.id, order, transaction },
    {
      profile: CHAIN,
      advice: chain.advice,
      nativeUsd,
      sender: { nextNonce: 0, pendingNonce: 0, balance, live: [] },
      gas: gasFactsAt(chain, CHAIN, now),
      now,
    },
  );
  const priceAtCreation = ownPriceAt(transaction, next(from));
  const made = newAutoTx(
    { id, owner: OPERATOR, chainId: CHAIN.id, order, note, to, value, data, priceAtCreation },
    transaction,
    preflight(facts),
    now,
  );
  await store.create({ ...made, nativeUsd }, Buffer.from(signed.slice(2), 'hex'), Number.POSITIVE_INFINITY);
  for (const [head, event] of events) {
    const [block = from] = await source.blocks(head, head);
    const at = block.timestamp * 1_000 + 1_000;
    const step = (stored: StoredAutoTx) =>
      stepStored(stored, event, { confirmations: CONFIRMATIONS, now: at });
    await store.change({ owner: OPERATOR, id }, step, 'owner');
  }
}
