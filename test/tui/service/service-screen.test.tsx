import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import type { GasClient } from '../../../src/client/gas-client.ts';
import type { NodeView } from '../../../src/client/views/dashboard.ts';
import type { SnapshotView } from '../../../src/client/views/gas.ts';
import { V1_ROUTES } from '../../../src/contract/routes.ts';
import { ServicePane } from '../../../src/tui/panes/service/service-pane.tsx';
import { MARKET, RATE_LIMITS, RECOMMENDATION, SNAPSHOT, SUMMARY } from '../fake-gas.ts';
import { type ShowOptions, showScreen, until } from '../show-screen.tsx';

const DESCRIPTION = {
  title: 'Gas API',
  version: '1.2.0',
  routes: V1_ROUTES.map((route) => ({
    ...route,
    summary: null,
    parameters: [],
    body: [],
  })),
};

const READING = DESCRIPTION.routes.filter(({ method, group }) => method === 'get' || group === 'gas');
const GAS: Partial<GasClient> = {
  statsMarket: async (timeFrame) => ({ ...MARKET, timeFrame }),
  description: async () => DESCRIPTION,
};

const show = (options: Partial<ShowOptions> = {}) =>
  showScreen({
    Pane: ServicePane,
    scope: 'service',
    rows: 22,
    ...options,
    gas: { ...GAS, ...options.gas },
  });

const refused = (code: 'not-found' | 'plan' | 'unreachable', message: string) =>
  new ClientError(code, message, { endpoint: '/dashboard/summary' });

type Summary = Awaited<ReturnType<GasClient['summary']>>;
const withSummary = (changes: Partial<Summary>) => ({
  gas: { summary: async () => ({ ...SUMMARY, ...changes }) },
});
const withNodes = (...nodes: readonly NodeView[]) => withSummary({ health: { ...SUMMARY.health, nodes } });
const withLimits = (changes: object) => ({
  gas: { rateLimits: async () => ({ ...RATE_LIMITS, ...changes }) },
});
const withBaseFee = (baseFee: bigint) => ({ snapshot: { ...SNAPSHOT, baseFee } });
const youngBy = (sec: number) => {
  const from = (SNAPSHOT.blockTimestamp ?? 0) - sec * 1_000;
  return { gas: { statsMarket: async () => ({ ...MARKET, timeFrame: '30d', from }) } };
};
const saved = (gwei: bigint) => ({ savedWei: gwei * 10n ** 9n, savedUsd: null });
const SOME_ALERTS = { total: 3, pending: 2, disabled: 1, fired24h: 4 };
const SAVED = { savedWei: 12n * 10n ** 15n, savedUsd: 38.57, events: 2, alerts: null, autoTxs: null };

const NODE: NodeView = {
  ...{ name: 'a.example', state: 'ok', head: 24_337_604, latencyMs: 42, message: 'ok' },
  notes: null,
};

it('shows everything that matters on 80×25', async () => {
  const { lines } = await until(
    show(),
    'Gas API, version',
    '3 nodes agree  head 4s ago  as of now',
    'a.example:8545  ● ok         24,337,604       0    42 ms',
    'b.example       ! lagging    24,337,601       3   130 ms  3 blocks behind',
    'c.example       ! down                —       —        —',
    '     refuses the connection',
    'Quota    plan basic  1,234 of 100,000 today  20 per second',
    '1 % used  resets in 11h59m',
    'Market   ETH $3,214.50 +1.2 %  cheapest of all days 03:00',
    'Advice   waits: given 41, kept 37, stated 90 %, saved 18 %, since 3 Nov',
    'Summary  no alerts yet  no auto-txs yet  nothing saved yet',
    'API      Gas API, version 1.2.0',
    /24h +0\.0508 +0\.0310 +0\.0590 +0\.0700 +0\.412 +−10\.0 % +±41 %/,
    /30d +0\.0508/,
    /ETH transfer +\$0\.0028 +0\.000000865 +\$0\.0034 +0\.00000106 +\$0\.0042/,
  );
  expect(lines().length).toBeLessThanOrEqual(22);
});

it('boxes the nodes of a source where everything has room, with what is wrong below them, and scrolls without a box else', async () => {
  const message = 'its chain has other blocks than the others from 24,337,000 on';
  const nodes = [NODE, { ...NODE, name: 'b.example', state: 'disagrees', message }] as const;
  const tall = await until(
    show({ ...withNodes(...nodes), columns: 120, rows: 60 }),
    /│ node +│ state +│ +head │ behind │ latency │/,
    /│ a\.example +│ ● ok +│ 24,337,604 │ +0 │ +42 ms │/,
    /│ b\.example +│ ! DISAGREES │/,
    `b.example: ${message}`,
    'Market',
  );
  expect(tall.lines().findIndex((line) => line.startsWith('└'))).toBeGreaterThan(4);
  const low = await until(
    show({ ...withNodes(...nodes), columns: 120, rows: 22 }),
    /b\.example +! DISAGREES/,
  );
  expect(low.screen()).not.toContain('┌');
});

it('names the process that leads, where that is another, and says nothing of nodes that were not asked', async () => {
  const engine = {
    process: 'gastop serve, process 4711',
    isHere: false,
    since: (SNAPSHOT.blockTimestamp ?? 0) - 600_000,
    heartbeatAt: SNAPSHOT.blockTimestamp,
  };
  const nodes = [{ ...NODE, head: null, latencyMs: null, message: 'not asked yet' }];
  const standby = async (lagBlocks: number) => ({
    ...SUMMARY,
    health: { ...SUMMARY.health, engine, nodes, lagBlocks },
  });
  const { unmount } = await until(
    show({ gas: { summary: () => standby(0) } }),
    /gastop serve leads for 10m\w*: it asks the nodes; this one is in step/,
    /a\.example +not asked/,
  );
  unmount();
  const late = show({ gas: { summary: () => standby(2) } });
  await late.shows(/this one is 2 behind/);
  late.unmount();
  const silent = show();
  await silent.shows('Gas API, version');
  expect(silent.screen()).not.toContain(' leads for ');
});

it('has the base fee of now from the head in every row, and says how old the other figures are', async () => {
  const end = SNAPSHOT.blockTimestamp ?? 0;
  let now = end;
  const { shows, screen } = show({
    now: () => now,
    gas: {
      statsMarket: async (timeFrame) => ({
        ...MARKET,
        timeFrame,
        base: MARKET.base === null ? null : { ...MARKET.base, now: 9.9e7 },
      }),
    },
  });
  await shows(/24h +0\.0508.*\n +30d +0\.0508/);
  expect(screen()).not.toContain('30d 4m');
  now += 250_000;
  await shows('cheapest of all days 03:00  24h 4m, 30d 4m ago');
});

it.each<[string, Partial<ShowOptions>, ...(string | RegExp)[]]>([
  [
    'is loud about a node that disagrees',
    withNodes(NODE, {
      ...NODE,
      name: 'b.example',
      state: 'disagrees',
      message: 'another block 24,337,600',
    }),
    '! 1 node DISAGREES with the other: do not trust it before you know why',
    /b\.example +! DISAGREES [\s\S]*another block 24,337,600/,
  ],
  [
    'shows a state and a message that only a foreign service knows',
    withNodes({ ...NODE, state: 'syncing', head: null, latencyMs: null, message: 'at 40 %' }),
    /a\.example +syncing +at 40 %/,
  ],
  [
    'says that a service does not describe itself',
    { gas: { description: async () => null } },
    'API      the service does not describe itself',
  ],
  [
    'says that a plan has no daily limit',
    withLimits({ dailyLimit: null, remainingToday: null }),
    'plan basic  no daily limit  1,234 asked today  20 per second',
  ],
  ['warns in words where the quota is nearly used up', withLimits({ usedToday: 95_000 }), '95 % used !'],
  [
    'counts what there is of alerts, auto-txs and savings',
    {
      ...withSummary({
        alerts: SOME_ALERTS,
        autoTxs: { total: 1, byStatus: { PENDING: 1, FAILED: 0 } },
        savings: SAVED,
      }),
      columns: 120,
    },
    'Summary  3 alerts, 2 on, 4 fired in 24h  1 auto-tx (1 waiting)  saved +0.0120 ETH (+$38.57)',
  ],
  [
    'tells what auto-txs saved, losses included, from what alerts could have',
    {
      ...withSummary({ savings: { ...SAVED, alerts: saved(5_000_000n), autoTxs: saved(-2_000_000n) } }),
      rows: 26,
    },
    /Summary [\s\S]*auto-txs saved −0\.00200 ETH against their creation *\n +alerts could have saved \+0\.00500 ETH against the 24h means/,
  ],
  [
    'gives the savings a line of their own where they do not fit beside the counts',
    {
      ...withSummary({
        alerts: SOME_ALERTS,
        autoTxs: { total: 3, byStatus: { PENDING: 1, EXECUTED: 2 } },
        savings: { ...SAVED, alerts: saved(0n), autoTxs: saved(5_123n) },
      }),
      rows: 24,
    },
    /Summary .*auto-txs \(1 waiting.*\) *\n +auto-txs saved \+0\.00000512 ETH against their creation/,
  ],
  [
    'never has the base fee of now below the range of figures that are older',
    withBaseFee(20_000_000n),
    /24h +0\.0200 +0\.0200 .* 0\.412 /,
  ],
  ['nor above it', withBaseFee(500_000_000n), /24h +0\.500 +0\.0310 .* 0\.500 /],
  ['names a young history by whole units', youngBy(3_277), /^ +54m +0\.0508/m],
  ['not to a second that nobody knows', youngBy(3_599), /^ +59m +0\.0508/m],
  ['in days where it has some', youngBy(7 * 86_400 + 999), /^ +7d +0\.0508/m],
  ['and in seconds where it has just begun', youngBy(42), /^ +42s +0\.0508/m],
  [
    'prices work in the coin and in dollars on every lane where there is room',
    { columns: 120, rows: 37 },
    /ETH transfer +21,000 +\$0\.0028 +0\.000000865 +\$0\.0034 +0\.00000106 +\$0\.0042 +0\.00000130$/m,
    /now +min +p10 +median +mean +p90 +max +change +± of mean/,
  ],
  [
    'counts single routes that are not offered',
    { rows: 30, gas: { description: async () => ({ ...DESCRIPTION, routes: READING }) } },
    'API      Gas API, version 1.2.0',
    /without \d routes that gastop doctor names/,
  ],
])('%s', async (_, options, ...texts) => {
  await show(options).shows(...texts);
});

it('has one row of figures while the history is younger than a day', async () => {
  const from = (SNAPSHOT.blockTimestamp ?? 0) - 600_000;
  const { shows, screen } = show({
    gas: { statsMarket: async (timeFrame) => ({ ...MARKET, timeFrame, from }) },
  });
  await shows(/^ +10m +0\.0508/m, 'Gas API, version');
  expect(screen().match(/^ +10m +0\.0508/gm)).toHaveLength(1);
  expect(screen()).not.toMatch(/^ +30d /m);
});

it('says of what has not come that it waits for a limit per second', async () => {
  const error = new ClientError('quota', 'more than 2 a second', {
    endpoint: '/dashboard/rate-limits',
    retryAfterSec: 2,
    limit: 'rate',
  });
  const { shows, screen } = show({ gas: { rateLimits: () => Promise.reject(error) } });
  await shows('Quota    not known: waiting: limit per second');
  expect(screen()).not.toContain('more than 2 a second');
});

it('says of each part that is refused or missing why, while the rest goes on', async () => {
  const snapshot: SnapshotView = {
    ...SNAPSHOT,
    nativeUsd: null,
    source: {
      ...{ kind: 'service', name: 'gas.example.com', problem: null, ended: false, chainName: null },
      restartedAt: null,
    },
  };
  const { shows, screen } = show({
    snapshot,
    gas: {
      summary: () => Promise.reject(refused('not-found', 'no such path')),
      rateLimits: () => Promise.reject(refused('plan', 'the plan of this key does not allow it')),
      description: async () => ({
        ...DESCRIPTION,
        routes: DESCRIPTION.routes.filter(({ group }) => group === 'gas' || group === 'dashboard'),
      }),
      gasRecommendation: async () => ({ ...RECOMMENDATION, track: null }),
    },
  });
  await shows(
    'Gas API, version 1.2.0, without alerts, auto-txs, metrics',
    'Source   service gas.example.com  head 4s ago',
    'no health: this service has none',
    'Quota    not known: plan lacks /dashboard/summary',
    'the service does not judge its own advice',
    '30d',
  );
  expect(screen()).not.toMatch(/null|undefined|NaN/);
});

it('keeps what it knew when a part fails later, with age, reason and next try', async () => {
  let down = false;
  let present = (SNAPSHOT.blockTimestamp ?? 0) + 4_000;
  const { shows, renew } = show({
    now: () => present,
    gas: {
      gasRecommendation: () =>
        down ? Promise.reject(refused('unreachable', 'nothing answers')) : Promise.resolve(RECOMMENDATION),
    },
  });
  await shows('waits: given 41, kept 37');
  down = true;
  present += 90_000;
  void renew();
  await shows(/as of 1m30s ago, next try in .*: nothing answers/, 'waits: given 41, kept 37');
});

it('has the head of its own node as soon as the block is there', async () => {
  let head = 24_337_604;
  const nodes = () => [{ ...NODE, head }];
  const summary = async () => ({ ...SUMMARY, health: { ...SUMMARY.health, nodes: nodes() } });
  const { shows, arrive } = await until(show({ isOwnService: true, gas: { summary } }), '24,337,604');
  head += 1;
  arrive({ ...SNAPSHOT, blockNumber: head });
  await shows('24,337,605');
});

it('names first what still comes and cuts neither that nor the savings, however narrow it is', async () => {
  const byStatus = { CANCELLED: 2, EXECUTED: 6, EXPIRED: 1, FAILED: 4, PENDING: 1, SUBMITTED: 3 };
  const summary = async () => ({
    ...SUMMARY,
    autoTxs: { total: 17, byStatus },
    savings: SAVED,
  });
  const wide = show({ columns: 140, gas: { summary } });
  await wide.shows(
    '17 auto-txs (1 waiting, 3 submitted, 4 failed, 6 executed, 1 expired, 2 cancelled)  saved',
  );
  const narrow = show({ columns: 80, gas: { summary } });
  await narrow.shows('17 auto-txs (1 waiting, 3 submitted,', 'saved +0.0120 ETH (+$38.57)');
});

it.each([
  [60, 13, false],
  [80, 22, true],
  [120, 37, false],
  [200, 47, false],
])('stays within %i columns and %i rows, and cuts no number, ASCII: %s', async (columns, rows, ascii) => {
  const { leads, lines, screen } = await until(show({ columns, rows, ascii }), ' 42 ms');
  for (const key of ['g', 'G']) {
    await leads(key, rows > 20 ? 'Gas API, version' : key === 'g' ? ' Source' : 'Gas API, version');
    expect(lines().length).toBeLessThanOrEqual(rows);
    for (const line of lines()) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(screen()).not.toMatch(/\d…/);
    if (ascii) expect(screen()).toMatch(/^[\x20-\x7e\n]*$/);
  }
});
