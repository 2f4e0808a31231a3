/**
 * A service whose nodes answer oddly in turns, with right answers between, while alerts fire and auto-txs are due. The seconds of it
 * are those of `ODD_NODES_SECONDS` (an hour: 3600); in a short run an oddity lasts for three blocks.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, it, onTestFinished } from 'vitest';
import { PATHS } from '../../src/contract/routes.ts';
import { askWith, createKey, startServe } from '../cli/served-program.ts';
import { sign } from '../helpers/auto-tx-rig.ts';
import { type Received, startReceiver } from '../helpers/receiver.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import {
  BOTTOM,
  createOddChain,
  ODD_CHAIN_ID,
  type OddBlock,
  STEP,
  SUGGESTED_TIP,
  startOddNode,
  WAVE,
} from './odd-chain.ts';
import { ODDITIES, type Oddity } from './oddities.ts';

const ALERTS = 20;
const AUTO_TXS = 20;
/** Blocks before the service begins. */
const BEFORE = 12 * WAVE;
/** Blocks by which an oddity may delay what an alert sees: a forecast is believed until it has failed. */
const LATE = 3;

/** For so many blocks each oddity is there, and in how many its turn is over. A long turn begins where the price rests. */
const LONG = { odd: WAVE / 2, turn: WAVE * 1.5 };
const SHORT = { odd: 3, turn: 4 };

interface Watched {
  readonly id: string;
  readonly condition: 'LESS_THAN' | 'GREATER_THAN';
  readonly wei: number;
}

/** Numbers of the blocks at which the price crosses the threshold; the first is where an alert finds it crossed. */
function crossings(
  { condition, wei }: Watched,
  prices: readonly { number: number; wei: number }[],
): number[] {
  const isBeyond = (price: number) => (condition === 'LESS_THAN' ? price <= wei : price >= wei);
  return prices.flatMap((price, index) => {
    const before = prices[index - 1];
    return isBeyond(price.wei) && (before === undefined || !isBeyond(before.wei)) ? [price.number] : [];
  });
}

interface OrderedTx {
  readonly status: string;
  readonly attempts: number;
}

interface Judged {
  readonly received: readonly Received[];
  readonly watched: readonly Watched[];
  readonly prices: readonly { readonly number: number; readonly wei: number }[];
}

/** What was due by the prices against what has arrived. The same event may be sent again, under the same id. */
function judged({ received, watched, prices }: Judged) {
  const arrived = received.map(({ headers, body }) => ({
    id: String(headers['idempotency-key']),
    ...(JSON.parse(body) as { readonly alertId: string; readonly blockNumber: number }),
  }));
  const last = prices.at(-1)?.number ?? 0;
  const events = [...new Map(arrived.map((event) => [event.id, event])).values()].filter(
    ({ blockNumber }) => blockNumber <= last,
  );
  const found = { firings: events.length, due: 0, lost: [] as string[], surplus: [] as string[] };
  for (const each of watched) {
    const due = crossings(each, prices);
    const left = events.filter(({ alertId }) => alertId === each.id).map(({ blockNumber }) => blockNumber);
    found.due += due.length;
    for (const number of due) {
      const place = left.findIndex((fired) => Math.abs(fired - number) <= LATE);
      if (place >= 0) left.splice(place, 1);
      else if (number <= last - LATE) found.lost.push(`${each.condition} ${each.wei} at ${number}`);
    }
    for (const number of left) found.surplus.push(`${each.condition} ${each.wei} at ${number}`);
  }
  const places = events.map(({ alertId, blockNumber }) => `${alertId} at ${blockNumber}`);
  return { ...found, twice: places.filter((place, index) => places.indexOf(place) !== index) };
}

/** A line of the log without what differs from one time to the next. */
const kindOf = (line: string) =>
  line.replace(/^\S+ /, '').replace(/0x[0-9a-f]+…?|[\d.,]+(?: ?(?:ms|s)\b)?/g, '#');

it(
  'nothing stops, is lost or doubled while nodes answer oddly in turns, and each oddity is a line of the log',
  async () => {
    const all = ODDITIES.length;
    const seconds = Number(process.env.ODD_NODES_SECONDS ?? SHORT.turn * all);
    const pace = seconds >= LONG.turn * all ? LONG : SHORT;
    const chain = createOddChain({ before: BEFORE, hiddenFor: pace === LONG ? 80 : 6 });
    const nodes = [await startOddNode(chain, 'ws'), await startOddNode(chain, 'http')];
    onTestFinished(() => Promise.all(nodes.map((node) => node.stop())).then(() => {}));
    const receiver = await startReceiver();
    const home = await temporaryFolder();
    const config = join(home, 'config.json');
    await writeFile(config, JSON.stringify({ plans: { free: { dailyLimit: null, perSecond: null } } }));
    const env = { GASTOP_RPC: nodes.map(({ url }) => url).join(' '), GASTOP_CONFIG: config };
    const program = await startServe(['--allow-private-targets', '--confirmations', '5'], { home, env });
    const ask = askWith(program.origin, await createKey({ home, env }));
    const headOfService = async () => (await ask<{ blockNumber: number }>(PATHS.gasCurrent)).blockNumber;
    await waitFor(async () => (await headOfService()) === chain.head().number, { what: 'its first prices' });

    const watched: Watched[] = [];
    for (let index = 0; index < ALERTS; index += 1) {
      const condition = index % 2 === 0 ? 'GREATER_THAN' : 'LESS_THAN';
      const wei = Math.round(BOTTOM * STEP ** (2.5 + (index >> 2))) + Number(SUGGESTED_TIP);
      const rule = { thresholdGwei: wei / 1e9, gasSpeed: 'AVERAGE', condition, cooldownMs: 0 };
      const target = { channels: ['WEBHOOK'], to: receiver.url };
      watched.push({ ...(await ask<{ id: string }>(PATHS.alerts, { ...rule, ...target })), condition, wei });
    }
    const orderEvery = Math.max(1, Math.floor((seconds - 40) / AUTO_TXS));
    const ordered: string[] = [];
    const order = async () => {
      const account = privateKeyToAccount(generatePrivateKey());
      const signedTransaction = await sign(account, { chainId: ODD_CHAIN_ID });
      ordered.push(
        (await ask<{ id: string }>(PATHS.autoTxs, { signedTransaction, targetGasPriceGwei: 13 })).id,
      );
    };

    const first = chain.head();
    const appearances: { readonly oddity: Oddity; readonly said: string }[] = [];
    let turn: { readonly oddity: Oddity; readonly from: number } | null = null;
    let furthest = { behind: 0, during: '' };
    const began = performance.now();
    const orders: Promise<void>[] = [];
    for (let count = 0; count < seconds; count += 1) {
      await sleep(Math.max(0, began + 1_000 * (count + 1) - performance.now()));
      const oddity =
        count % pace.turn < pace.odd ? (ODDITIES[Math.floor(count / pace.turn) % all] ?? null) : null;
      if (count % pace.turn === pace.turn - 1 && turn !== null) {
        appearances.push({ oddity: turn.oddity, said: program.stderr().slice(turn.from) });
        turn = null;
      }
      if (oddity !== null && chain.oddity === null) turn = { oddity, from: program.stderr().length };
      const isNew = oddity !== chain.oddity;
      chain.oddity = oddity;
      // A refusal shows when a connection is made, a subscription's number when one is asked for.
      if (isNew && (oddity?.handshake !== undefined || oddity?.subscription !== undefined))
        nodes[0]?.dropSockets();
      const block = chain.mine();
      for (const node of nodes) node.announce(block);
      if (count % orderEvery === 0 && orders.length < AUTO_TXS) orders.push(order());
      const behind = block.number - (await headOfService());
      if (behind > furthest.behind) furthest = { behind, during: oddity?.name ?? 'right answers' };
    }
    chain.oddity = null;
    const last = chain.head();
    const prices = chain.blocks.slice(first.place, last.place + 1).map((block: OddBlock) => ({
      number: block.number,
      wei: Number(chain.nextBaseFee(block) + SUGGESTED_TIP),
    }));
    await Promise.all(orders);

    // The right answers that follow, until all that was ordered is final.
    const executed = async () => {
      const block = chain.mine();
      for (const node of nodes) node.announce(block);
      await sleep(1_000);
      const autoTxs = await Promise.all(ordered.map((id) => ask<OrderedTx>(`${PATHS.autoTxs}/${id}`)));
      if (autoTxs.every(({ status }) => status === 'EXECUTED')) return autoTxs;
      throw new Error(autoTxs.map(({ status }) => status).join(', '));
    };
    const autoTxs = await waitFor(executed, { timeoutMs: 240_000, what: 'auto-txs that are executed' });
    await waitFor(async () => (await headOfService()) >= last.number, { what: 'the newest block' });
    const judge = () => judged({ received: receiver.received, watched, prices });
    await waitFor(() => judge().lost.length === 0, { timeoutMs: 30_000 }).catch(() => {});
    const found = judge();
    const lines = new Map<string, number>();
    for (const { oddity, said } of appearances) {
      const counted = new Map<string, number>();
      for (const line of said
        .split('\n')
        .filter((line) => / warn /i.test(line) || /"level":"warn"/.test(line)))
        counted.set(kindOf(line), (counted.get(kindOf(line)) ?? 0) + 1);
      for (const [kind, count] of counted)
        lines.set(`${oddity.name}: ${kind}`, Math.max(count, lines.get(`${oddity.name}: ${kind}`) ?? 0));
    }
    console.info(
      JSON.stringify(
        {
          blocks: last.place - first.place,
          appearances: appearances.length,
          webhooks: receiver.received.length,
          ...found,
          sends: [...chain.sent.values()].map(({ sends }) => sends),
          mined: [...chain.sent.values()].filter(({ minedAt }) => minedAt !== null).length,
          furthest,
          lines: Object.fromEntries(lines),
        },
        null,
        1,
      ),
    );
    expect(program.child.exitCode).toBeNull();
    expect(found.lost).toEqual([]);
    expect(found.surplus).toEqual([]);
    expect(found.twice).toEqual([]);
    expect(autoTxs.map(({ attempts }) => attempts)).toEqual(Array(AUTO_TXS).fill(1));
    expect([...chain.sent.values()].filter(({ minedAt }) => minedAt !== null)).toHaveLength(AUTO_TXS);
    for (const [line, most] of lines) expect(most, line).toBe(1);
  },
  2 * 3_600_000,
);
