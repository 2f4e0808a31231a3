import stringWidth from 'string-width';
import { describe, expect, it, vi } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import type { GasClient, MetricsQuery } from '../../../src/client/gas-client.ts';
import type { SnapshotView } from '../../../src/client/views/gas.ts';
import type { MetricsView, TxRowView } from '../../../src/client/views/metrics.ts';
import { PendingView } from '../../../src/client/views/pending.ts';
import { ExplorerPane, explorerRequest } from '../../../src/tui/panes/explorer/explorer-pane.tsx';
import { PENDING } from '../../cli/explorer-answers.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { BLOCK, SNAPSHOT, TX } from '../fake-gas.ts';
import { type ShowOptions, showScreen, until } from '../show-screen.tsx';

const HEAD = SNAPSHOT.blockNumber ?? 0;
const AT = SNAPSHOT.blockTimestamp ?? 0;
const HASH = TX.hash;

function page<Row>(rows: readonly Row[], total = rows.length): MetricsView<Row> {
  return { chainId: 1, from: null, to: null, bucket: 'block', page: 0, size: 500, total, rows };
}

function series<Row>(head: number, count: number, row: (number: number) => Row) {
  return page(
    Array.from({ length: count }, (_, place) => {
      const blockNumber = head - count + 1 + place;
      return { timestamp: AT + (blockNumber - HEAD) * 12_000, blockNumber, ...row(blockNumber) };
    }),
  );
}

function chain(head = HEAD, count = 100): Partial<GasClient> {
  return {
    baseFee: async () =>
      series(head, count, (number) => {
        const wei = 50_800_000 + (head - number) * 1_000_000;
        return { open: wei, min: wei, mean: wei, max: wei, close: wei };
      }),
    gasUsedRatio: async () => series(head, count, (number) => ({ mean: (number % 10) / 10, max: null })),
    priorityFee: async () => series(head, count, () => ({ value: 10_000_000 })),
    block: async (number) => ({ ...BLOCK, blockNumber: number === 'latest' ? head : number }),
    txs: async (query) => transactions(query),
  };
}

const COUNT = 212;

function transactions({
  page: at = 0,
  size = 100,
}: Omit<MetricsQuery, 'bucket'> = {}): MetricsView<TxRowView> {
  const row = (index: number, blockNumber: number): TxRowView => ({
    ...TX,
    hash: `0x${index.toString(16).padStart(64, '0')}`,
    blockNumber,
    transactionIndex: index,
    status: index % 3 === 0 ? 'REVERTED' : 'SUCCESS',
    to: index % 5 === 0 ? null : TX.to,
    priorityFeePerGas: index * 1_000_000,
  });
  const all = [
    ...Array.from({ length: 3 }, (_, index) => row(900 + index, HEAD + 1)),
    ...Array.from({ length: COUNT }, (_, place) => row(COUNT - 1 - place, HEAD)),
  ];
  return page(all.slice(at * size, (at + 1) * size), all.length);
}

const show = (options: Partial<ShowOptions> = {}) =>
  showScreen({ Pane: ExplorerPane, scope: 'explorer', ...options, gas: { ...chain(), ...options.gas } });

async function open(options: Partial<ShowOptions> = {}, sought?: string) {
  const shown = show(options);
  await shown.shows('▸ 24,337,604');
  if (sought === undefined) await shown.press('return');
  else {
    await shown.press('/');
    shown.paste(`${sought}\n`);
    await shown.shows('⏎ opens it');
    await shown.press('return');
  }
  return shown;
}

const next = (by = 1): SnapshotView => ({
  ...SNAPSHOT,
  blockNumber: HEAD + by,
  blockTimestamp: AT + by * 12_000,
});
const refusal = (
  code: 'not-found' | 'plan' | 'unreachable',
  message: string,
  endpoint = '/metrics/base-fee',
) => new ClientError(code, message, { endpoint });

describe('the list of blocks', () => {
  it('shows the latest first: number, age, base fee and its change, fullness and the median tip', async () => {
    const { lines } = await until(show(), '24,337,604');
    expect(lines()[1]).toMatch(/^ +block +age +time +base fee +change +gas used +tip p50$/);
    expect(lines()[2]).toMatch(
      /^ ▸ 24,337,604 {6}4s {2}\d\d:\d\d:\d\d {4}0\.0508 {3}↓ −1\.9 % {2}████░░░░░░ {2}40 % {3}0\.0100$/,
    );
    expect(lines()[3]).toMatch(/^ {3}24,337,603 +16s +\d\d:\d\d:\d\d +0\.0518/);
  });

  it('adds tips, transactions and what was burnt where there is room, once all visible blocks have them', async () => {
    const frames: string[] = [];
    let release = () => {};
    const last = new Promise<void>((resolve) => {
      release = resolve;
    });
    const block: GasClient['block'] = async (number) => {
      if (number === HEAD - 3) await last;
      return { ...BLOCK, blockNumber: Number(number) };
    };
    const asked = vi.fn(block);
    const { lines, shows } = show({ columns: 120, rows: 6, gas: { block: asked } });
    await shows('24,337,601');
    await waitFor(() => asked.mock.calls.length === 4);
    frames.push(...lines());
    release();
    await shows('0.00124', /0\.00200 – 0\.500 +212 +0\.00124$/m);
    expect(lines()[1]).toMatch(/age +time +base fee .*tip p50 +p25 – p95 +txs +burnt ETH$/);
    // Until then there is neither a dash nor a place for one, and nothing moves when they come.
    expect(frames[1]).toMatch(/tip p50$/);
    expect(lines()[3]?.startsWith(frames[3] ?? '?')).toBe(true);
  });

  it('leaves blank what a block that comes into view has not got yet', async () => {
    const block: GasClient['block'] = (number) =>
      Number(number) > HEAD - 3
        ? Promise.resolve({ ...BLOCK, blockNumber: Number(number) })
        : new Promise(() => {});
    const { leads, lines, shows } = show({ columns: 120, rows: 5, gas: { block } });
    await shows(/24,337,602 .* 212 /);
    await leads('G', '24,337,505');
    expect(lines()[1]).toContain('burnt ETH');
    expect(lines()[3]).toMatch(/24,337,506 .*0\.0100$/);
  });

  it.each([
    [140, 30],
    [160, 42],
    [200, 47],
  ])('stands beside the block under its cursor, and its transactions, at %i × %i', async (columns, rows) => {
    const { leads, lines, screen } = await until(
      show({ columns, rows, isOwnService: true }),
      / ▸ 24,337,604/,
      '│ Block 24,337,604',
      / transactions +212/,
    );
    expect(lines().length).toBe(rows);
    expect(screen()).not.toContain('burnt ETH');
    await leads(['j', 'j'], /│ Block 24,337,602/, /▸ 24,337,602/);
    // Enter gives the keys to the block, its arrows move both halves, and Esc gives them back.
    await leads('enter', '▸ Block 24,337,602');
    await leads('left', '▸ Block 24,337,601', / ▸ 24,337,601/);
    await leads('esc', '│ Block 24,337,601');
    await leads('k', '│ Block 24,337,602', / ▸ 24,337,602/);
  });

  it('asks a service elsewhere for the transactions of an open block only, beside the list, too', async () => {
    const txs = vi.fn<GasClient['txs']>(async (query) => transactions(query));
    const { leads, shows } = show({ columns: 140, rows: 42, gas: { txs } });
    await shows('│ Block 24,337,604', '⏎ lists its transactions');
    expect(txs).not.toHaveBeenCalled();
    await leads('enter', '▸ Block 24,337,604', 'from → to');
  });

  it('asks for each block once where there is room, and has no tips of an empty one', async () => {
    const asked: number[] = [];
    const block: GasClient['block'] = async (number) => {
      asked.push(Number(number));
      return { ...BLOCK, blockNumber: Number(number), gasUsedRatio: Number(number) % 2 };
    };
    const { lines, shows, renew } = show({ columns: 120, rows: 5, gas: { block } });
    await shows(/ 100 % .* 0\.00200 – 0\.500/);
    await waitFor(() => asked.length === 3);
    await renew();
    await shows(/ 0 % .* — +212/);
    expect([asked, lines().length]).toEqual([[HEAD, HEAD - 1, HEAD - 2], 5]);
  });

  it.each([[80, 3], ...(isSlowRun ? [[120, 4]] : [])])(
    'asks at %i columns %i questions per block at most, and none while it is not shown',
    async (columns, most) => {
      let asked: string[] = [];
      let head = HEAD;
      const counted = Object.fromEntries(
        Object.keys(chain()).map((name) => [
          name,
          (...given: never[]) => {
            asked.push(name);
            const ask = chain(head)[name as 'block'] as (...given: never[]) => unknown;
            return ask(...given);
          },
        ]),
      );
      // Four rows: the blocks' own questions are soon done.
      const { arrive, shows, unmount } = show({ gas: counted, columns, rows: 6 });
      const details = columns === 120 ? '0.500 +212' : '';
      await shows(new RegExp(`24,337,601.*0\\.0100.*${details}`));
      for (const by of [1, 2, 3]) {
        asked = [];
        head = HEAD + by;
        arrive(next(by));
        await shows(new RegExp(`▸ 24,337,60${4 + by} .* 0\\.0100.*${details}`));
        expect(asked.length).toBeLessThanOrEqual(most);
        expect(asked).toContain('baseFee');
      }
      unmount();
      asked = [];
      await new Promise((resolve) => setImmediate(resolve));
      expect(asked).toEqual([]);
    },
  );

  it('moves its cursor with j, k, the arrows, pages, g and G', async () => {
    const { leads, lines } = await until(show(), '▸ 24,337,604');
    const steps = { j: 603, down: 602, k: 603, up: 604, pagedown: 585, b: 604, space: 585, pageup: 604 };
    for (const [key, block] of Object.entries({ ...steps, end: 505, home: 604 })) {
      await leads(key, `▸ 24,337,${block}`);
    }
    await leads('G', '▸ 24,337,505');
    expect(lines()[0]).toMatch(/81 newer \(g\)/);
    await leads('g', '▸ 24,337,604');
  });

  it('keeps the cursor on its block while new ones arrive, and follows the newest from the top', async () => {
    const { leads, shows, arrive, lines } = await until(show({ rows: 12 }), '▸ 24,337,604');
    arrive(next());
    await shows('▸ 24,337,605');
    await leads(['j', 'j'], '▸ 24,337,603');
    arrive(next(2));
    await shows('24,337,606');
    expect(lines().find((line) => line.includes('▸'))).toContain('24,337,603');
  });

  it('goes on where a service lacks one of its metrics, and names it', async () => {
    const { shows, screen } = show({
      gas: {
        priorityFee: () => Promise.reject(refusal('not-found', 'no such path')),
        gasUsedRatio: () => Promise.reject(refusal('plan', 'the plan of this key does not allow it')),
      },
    });
    await shows(
      'no tips: this service has none',
      'no fullness: plan lacks /metrics/base-fee',
      /24,337,604 +4s .* 0\.0508/,
    );
    expect(screen()).not.toMatch(/tip p50|gas used/);
  });

  it('says why there is nothing and what can be done', async () => {
    const nothing = () => Promise.reject(refusal('unreachable', 'nothing answers at 127.0.0.1:9'));
    await show({ gas: { baseFee: nothing, gasUsedRatio: nothing, priorityFee: nothing } }).shows(
      'No answer for the latest blocks',
      'nothing answers at 127.0.0.1:9',
      'next try in',
      '/ looks up a block or a transaction',
    );
  });

  it('asks again for a block that came while the last questions were under way', async () => {
    let head = HEAD;
    let hold: Promise<void> = Promise.resolve();
    const { arrive, shows, screen } = show({
      gas: {
        baseFee: (query) => chain(head).baseFee?.(query) ?? Promise.reject(),
        gasUsedRatio: (query) => chain(head).gasUsedRatio?.(query) ?? Promise.reject(),
        priorityFee: async (query) => {
          const asOf = head;
          await hold;
          return (await chain(asOf).priorityFee?.(query)) ?? Promise.reject();
        },
      },
    });
    await shows(/▸ 24,337,604 .* 0\.0100$/m);
    const slow = Promise.withResolvers<void>();
    hold = slow.promise;
    head = HEAD + 1;
    arrive(next(1));
    await shows('▸ 24,337,605');
    head = HEAD + 2;
    arrive(next(2));
    await shows('▸ 24,337,606');
    expect(screen()).not.toMatch(/24,337,606 .* 0\.0100$/m);
    slow.resolve();
    await shows(/▸ 24,337,606 .* 0\.0100$/m);
  });

  it('joins what is said of a block without a number by its second', async () => {
    const bare = <Row extends object>(jitter: number, row: Row) =>
      page([0, 1, 2].map((ago) => ({ timestamp: AT - ago * 12_000 + jitter, blockNumber: null, ...row })));
    const { shows, lines } = show({
      snapshot: { ...SNAPSHOT, blockNumber: null },
      gas: {
        baseFee: async () => bare(0, { open: 5e7, min: 5e7, mean: 5e7, max: 5e7, close: 5e7 }),
        gasUsedRatio: async () => bare(137, { mean: 0.4, max: null }),
        priorityFee: async () => bare(-212, { value: 10_000_000 }),
      },
    });
    await shows(/0\.0500 .*40 % +0\.0100/);
    expect(lines().filter((line) => /0\.0500 .*40 % +0\.0100/.test(line))).toHaveLength(3);
    expect(lines().filter((line) => / 0\.0100$/.test(line))).toHaveLength(3);
  });
});

describe('a block', () => {
  it('shows every field, its tips drawn, and its transactions', async () => {
    const { shows, screen } = await open({ columns: 120, rows: 37 });
    await shows(
      'Block 24,337,604',
      'new contract',
      '1 confirmation',
      'base fee      0.0508 gwei',
      'next base     0.0497 gwei (−2.2 %)',
      'gas used      24,480,000 of 36,000,000',
      '██████████████░░░░░░  68 %',
      'blob fee      0.000000001 gwei',
      'blobs         3  (393,216 blob gas, excess 0)',
      'burnt         0.00124 ETH  $4.00',
      'transactions  212',
      `fees go to    ${BLOCK.feeRecipient}`,
      `hash          ${BLOCK.hash}`,
      `parent        ${BLOCK.parentHash}`,
      'p95 0.500',
      /0\.00100 ├─+█+●█+─+┤ 2\.00/,
      /212 +2 +0x0{8}\S+ +0x3434…3434 → 0x5656…5656 +21,000 +0\.0608 +0\.211 .*● ok/,
    );
    // Of the seconds beside it nothing is shown.
    expect(screen()).not.toMatch(/^ +90[0-2] /m);
  });

  it('loads all pages of its transactions, and moves its cursor over them', async () => {
    const txs = vi.fn((query: Omit<MetricsQuery, 'bucket'> = {}) =>
      Promise.resolve(transactions({ ...query, size: 100 })),
    );
    const { leads, shows, screen } = await open({ gas: { txs } });
    await shows(/^ ▸ +212 /m);
    expect(txs.mock.calls.map(([query]) => query?.page)).toEqual([0, 1, 2]);
    await leads('G', /▸ +1 /);
    expect(screen()).toMatch(/ # +from → to/);
    await leads('pageup', /▸ +21 /);
    // Above the first one are the facts.
    await leads('g', /▸ +212 /, 'base fee ');
  });

  it('opens a transaction on Enter, goes to its neighbours with the arrows, and back with Esc', async () => {
    const { leads, shows } = await open();
    await shows(/^ ▸ +212 /m);
    await leads('left', 'Block 24,337,603');
    await leads('right', 'Block 24,337,604', /^ ▸ +212 /m);
    await leads('return', 'Transaction  ● success', 'below 58 % of its block');
    await leads('escape', /▸ +212 /);
    await leads(['j', 'return'], 'Transaction  ● success');
    await leads('return', /▸ +211 /);
    await leads('escape', 'Latest blocks');
    await leads('escape', 'Latest blocks');
  });

  it.each([
    [80, 21],
    [120, 37],
    [160, 42],
    [200, 47],
  ])('opens with its first transaction selected, which Enter opens, at %i×%i', async (columns, rows) => {
    const { leads, lines } = await open({ columns, rows, hasFooter: true });
    await leads('', /▸ +212 /);
    expect(lines().at(-1)).toMatch(/ ⏎ open /);
    await leads('return', 'Transaction  ● success');
  });

  it.each([
    [60, 13],
    [60, 12],
    [76, 13],
  ])('says that Enter leads to its transactions where none is in sight, at %i×%i', async (columns, rows) => {
    const { leads, lines, screen } = await open({ columns, rows, hasFooter: true });
    await waitFor(() => / ⏎ transactions /.test(lines().at(-1) ?? ''));
    expect(screen()).not.toContain('▸ ');
    await leads('return', /▸ +212 /);
    expect(lines().at(-1)).toMatch(/ ⏎ open /);
    await leads('return', 'Transaction  ');
  });

  it('says of recordings that they hold no transactions, and asks for none', async () => {
    const text = 'a recording holds no transactions';
    const { leads, press, shows } = await open({
      snapshot: { ...SNAPSHOT, source: { ...SNAPSHOT.source, kind: 'replay' } },
      gas: { txs: () => Promise.reject(new Error('must not be asked')) },
    });
    await shows(text);
    await press('/');
    await leads(HASH, `! ${text}`);
  });

  it('says why a service gives no transactions while the block is shown', async () => {
    const { shows } = await open({
      gas: { txs: () => Promise.reject(refusal('plan', 'the plan does not allow it', '/metrics/txs')) },
    });
    await shows('no transactions: plan lacks /metrics/txs', '0.0508 gwei');
  });

  it.each([
    ['Ethereum', 1, 12],
    ['Base', 8453, 64],
    ['BNB Chain', 56, 64],
  ] as const)(
    'of %s is asked for with each head until a response finds it final',
    async (_, chainId, final) => {
      let head = HEAD;
      let asked = 0;
      const block = async () => {
        asked += 1;
        return { ...BLOCK, chainId, confirmations: head - HEAD + 1 };
      };
      const { shows, arrive } = await open({ gas: { block }, snapshot: { ...SNAPSHOT, chainId } });
      const grow = async (confirmations: number, word: string, times: number) => {
        head = HEAD + confirmations - 1;
        arrive({ ...next(confirmations - 1), chainId });
        await shows(`${confirmations} confirmations, ${word}`);
        await waitFor(() => asked === times, { what: `question ${times}` });
      };
      await shows(`1 confirmation, final after ${final}`);
      await grow(final - 1, 'final after', 2);
      await grow(final + 3, 'final', 3);
      await grow(final + 4, 'final', 3);
      await grow(final + 5, 'final', 3);
    },
  );

  it('counts its confirmations up with the head', async () => {
    const { shows, arrive } = await open();
    await shows('1 confirmation');
    arrive(next(7));
    await shows('8 confirmations');
  });
});

it('a key in the lookup field is not drawn, nor looked up, and it is said what it is', async () => {
  const key = 'gastop_0123456789_0123456789abcdefghijklmnopq_012345';
  const tx = vi.fn(async () => TX);
  const { leads, press, paste, shows, screen } = await until(show({ gas: { tx } }), '▸ 24,337,604');
  await press('/');
  paste(key);
  await shows('this is a key, not a number or hash', `find ${'•'.repeat(key.length)}`);
  expect(screen()).not.toMatch(/gastop_|0123456789/);
  await leads(['return', 'end', 'x'], '•'.repeat(key.length + 1));
  expect(tx).not.toHaveBeenCalled();
});

describe('a transaction', () => {
  it('shows what it is, what it paid, and where its tip stood', async () => {
    const { shows } = await open({}, HASH);
    await shows(
      'this one, 0.0100',
      'Transaction  ● success  3 confirmations',
      `hash     ${HASH}`,
      'block    #24,337,604, transaction 18 of 212',
      'type     EIP-1559',
      'value    1.00 ETH',
      'paid     0.0608 gwei per gas, of it 0.0100 tip',
      'cost     0.00000128 ETH  $0.0041',
      'gas      21,000 of 21,000 used (100 %)',
      'max fee  0.100 gwei',
      "below 58 % of its block's 211 others, ties counted half",
      /0\.00100 ├─+█+●█+─+┤ 2\.00\n {2} +│ this one/,
    );
  });

  it('that is stuck says why and what to sign', async () => {
    const pending = PendingView.parse(PENDING);
    const waiting = { ...TX, status: 'PENDING', blockNumber: null, pending };
    const { shows } = await open({ gas: { tx: async () => waiting }, rows: 45 }, HASH);
    await shows('Pending', 'is below the next base fee', '12 % within 10m', 'nonce 7', 'sign 0 to yourself');
  });

  it('says on a what as much gas costs now, and hides it again', async () => {
    const { press, shows, screen } = await open({ rows: 45 }, HASH);
    await shows('this one', 'Transaction');
    await press('a');
    await shows('Now  21,000 gas', 'average');
    await press('a');
    await waitFor(() => !screen().includes('Now  21,000'));
  });

  it('that is not found is told with what to try, and found later without a key', async () => {
    const path = `/metrics/tx/${HASH}`;
    let there = false;
    const tx = async () => {
      if (there) return TX;
      throw refusal('not-found', `the service has no ${path}: unknown`, path);
    };
    const { shows, arrive } = await open({ gas: { tx } }, HASH);
    await shows('No transaction 0xabababab', /^ +unknown$/m, '/ looks up another, Esc goes back');
    there = true;
    arrive(next());
    await shows('Transaction  ● success');
  });

  it('leads to its block and back', async () => {
    const { leads, shows } = await open({}, HASH);
    await shows('Transaction');
    await leads('return', 'Block 24,337,604');
    await leads('escape', /Transaction {2}●/);
  });

  it('is shown as far as a foreign service knows it', async () => {
    const known = Object.fromEntries(Object.keys(TX).map((name) => [name, null]));
    const tx = async () => ({ ...(known as unknown as typeof TX), hash: HASH, status: 'DROPPED' });
    const { shows, screen } = await open({ gas: { tx } }, HASH);
    await shows('dropped');
    expect(screen()).not.toMatch(/null|undefined|NaN/);
  });
});

describe('the lookup field', () => {
  it('says what is wrong while it is typed into, ignores Enter then, and closes with Esc', async () => {
    const { leads, press, paste, shows, screen } = await until(show(), '▸ 24,337,604');
    await leads('/', 'a block like 24,337,604');
    paste('24,33\u0007\n');
    await shows('type a block (24,337,604)');
    await press('return');
    expect(screen()).toContain('find 24,33');
    await press('escape');
    await waitFor(() => !screen().includes('find'));
  });

  it.each([
    ['a plan without them', 'plan', 1],
    ['a block that is not there yet', 'not-found', 3],
  ] as const)('asks for %s at every head only if that can help', async (_title, code, times) => {
    let asked = 0;
    const tx = async () => {
      asked += 1;
      // The next head comes with the response, before anything of that is drawn.
      if (asked === 2) setImmediate(() => arrive(next(2)));
      throw refusal(code, 'no', `/metrics/tx/${HASH}`);
    };
    const { leads, arrive } = await until(show({ gas: { tx } }), '▸ 24,337,604');
    await leads([`/${HASH}`, 'return'], /No answer for this transaction|No transaction 0x/);
    arrive(next());
    // By then it has not been retried.
    if (code === 'not-found') await waitFor(() => asked >= times, { timeoutMs: 20_000 });
    else {
      arrive(next(2));
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(asked).toBe(times);
  });

  it('opens a block by its number, and says of one that is not there what to try', async () => {
    const { leads, shows } = show({
      gas: {
        block: async (number) => {
          if (number === 17) throw refusal('not-found', 'no such block', '/metrics/block/17');
          return { ...BLOCK, blockNumber: Number(number) };
        },
      },
    });
    await shows('▸ 24,337,604');
    await leads(['/#16', 'return'], 'Block 16');
    await leads(['/17', 'return'], 'No block 17', '/ looks up another, Esc goes back');
    await leads('escape', 'Block 16');
  });
});

describe('the Explorer', () => {
  it('copies what is marked: a number, or a hash', async () => {
    const { leads, press, toasts } = await until(show(), '▸ 24,337,604');
    await leads(['y', 'return'], /^ ▸ +212 /m);
    await press('y', 'j', 'y');
    await waitFor(() => toasts.length === 3);
    expect(toasts.map(({ text }) => text.split(' ')[1])).toEqual(['24337604', '0x0000…00d3', '0x0000…00d2']);
  });

  it('has its raw view ask for what is on the screen', async () => {
    const { leads, memory } = await until(show(), '▸ 24,337,604');
    expect(explorerRequest(memory)).toEqual({ path: '/metrics/base-fee', query: { bucket: 'block' } });
    await leads('return', /^ ▸ +212 /m);
    expect(explorerRequest(memory)).toEqual({ path: '/metrics/block/24337604' });
    await leads('return', 'Transaction');
    expect(explorerRequest(memory)).toEqual({
      path: `/metrics/tx/0x${(211).toString(16).padStart(64, '0')}`,
    });
  });

  it.each([
    [60, 13, false],
    [80, 21, true],
    ...(isSlowRun ? [[120, 37, false] as const] : []),
    [200, 47, false],
  ] as const)('keeps to %i columns and %i rows on every level, ASCII: %s', async (columns, rows, ascii) => {
    const { leads, press, shows, lines, screen } = show({ columns, rows, ascii });
    const fits = () => {
      expect(lines().length).toBeLessThanOrEqual(rows);
      expect(lines().filter((line) => stringWidth(line) > columns)).toEqual([]);
      // Only hashes and addresses are shortened.
      expect(screen()).not.toMatch(/[\d.,]…(?![0-9a-f])|(?<!0x[0-9a-f]*)\d…/);
      if (ascii) expect(screen()).toMatch(/^[\x20-\x7e\n]*$/);
    };
    await shows(/[▸>] 24,337,604/);
    fits();
    await leads('return', 'Block 24,337,604');
    fits();
    await waitFor(async () => {
      await press('G');
      return /[▸>] +\d+ /.test(screen());
    });
    fits();
    await leads('return', 'Transaction');
    fits();
    for (const key of ['G', '/']) {
      await press(key);
      fits();
    }
  });
});
