import { expect, it, vi } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import type { GasClient } from '../../../src/client/gas-client.ts';
import { readDescription } from '../../../src/client/openapi.ts';
import { formatGwei } from '../../../src/core/units.ts';
import { Remembered } from '../../../src/tui/data/remembered.ts';
import { ChartPane } from '../../../src/tui/panes/chart/chart-pane.tsx';
import { clockText } from '../../../src/tui/ui/time.ts';
import { FOREIGN_30 } from '../../client/foreign-openapi.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { fakeGas, HOUR, MARKET, RECOMMENDATION, SNAPSHOT } from '../fake-gas.ts';
import { type ShowOptions, showScreen, until } from '../show-screen.tsx';

const refusal = (message: string) =>
  new ClientError('unreachable', message, { endpoint: '/dashboard/stats/chart' });

function show(options: Partial<ShowOptions> = {}) {
  const shown = showScreen({ Pane: ChartPane, scope: 'chart', columns: 90, rows: 20, ...options });
  let block = SNAPSHOT.blockNumber ?? 0;
  const nextBlock = () => {
    block += 1;
    shown.arrive({ ...SNAPSHOT, blockNumber: block });
  };
  return { ...shown, nextBlock };
}

it('says that it waits for a limit per second, which is no failure', async () => {
  const error = new ClientError('quota', 'more than 2 a second', {
    endpoint: '/dashboard/stats/chart',
    retryAfterSec: 2,
    limit: 'rate',
  });
  const { screen, shows } = show({ gas: { statsChart: () => Promise.reject(error) } });
  await shows('waiting: limit per second', 'Loading the last 1h');
  expect(screen()).not.toContain('No answer');
});

it('asks for each time frame as t walks through them, and keeps the old chart until the new one is there', async () => {
  const held = Promise.withResolvers<void>();
  const statsChart = vi.fn(async (timeFrame: string) => {
    if (timeFrame === '24h') await held.promise;
    return { ...HOUR, timeFrame };
  });
  const { leads, shows } = await until(show({ gas: { statsChart } }), /^ 1h /m);
  await leads('t', 'loading the last 24h', /^ 1h /m);
  held.resolve();
  await shows(/^ 24h /m);
  expect(statsChart.mock.calls.map(([timeFrame]) => timeFrame)).toEqual(['1h', '24h']);
});

it('asks for the percentile that p chooses', async () => {
  const percentiles: unknown[] = [];
  const rows = HOUR.points.map(({ timestamp }) => ({ timestamp, blockNumber: null, value: 7e7 }));
  const priorityFee: GasClient['priorityFee'] = async (query) => {
    percentiles.push(query?.percentile);
    return { ...(await fakeGas().priorityFee(query)), total: rows.length, rows };
  };
  const { leads } = await until(show({ gas: { priorityFee } }), 'tip p50 0.0700');
  await leads('p', 'tip p75 0.0700');
  expect(percentiles).toEqual(['p50', 'p75']);
});

/** A chart of 100 points, each the mean of many blocks. */
const bucketed = async (timeFrame: string) => {
  const bucketSec = { '1h': 36, '24h': 300, '7d': 1_800 }[timeFrame] ?? 7_200;
  const points = HOUR.points.slice(0, 100).map((point, place) => ({
    ...point,
    timestamp: (SNAPSHOT.blockTimestamp ?? 0) - (100 - place) * bucketSec * 1_000,
  }));
  return { ...HOUR, timeFrame, bucketSec, points };
};

it.each(['p50', 'p75', 'p99'])(
  'states base fee, tip %s and fullness of the newest block in every time frame',
  async (percentile) => {
    const head = SNAPSHOT.blockTimestamp ?? 0;
    const priorityFee: GasClient['priorityFee'] = async (query = {}) => {
      const isHead = query.from === head && query.bucket === 'block' && query.percentile === percentile;
      const row = {
        timestamp: isHead ? head : head - 3_600_000,
        blockNumber: null,
        value: isHead ? 6.54e7 : 2e6,
      };
      return { ...(await fakeGas().priorityFee(query)), total: 1, rows: [row] };
    };
    const remembered = new Remembered({ otherwise: { percentile } });
    const { press, shows } = show({ gas: { statsChart: bucketed, priorityFee }, remembered });
    for (const timeFrame of ['1h', '24h', '7d', '30d']) {
      await shows(
        new RegExp(`^ ${timeFrame} `, 'm'),
        'base 0.0508',
        `tip ${percentile} 0.0654`,
        new RegExp(`^ now .*base 0\\.0508  tip ${percentile} 0\\.0654  68 % full`, 'm'),
      );
      await press('t');
    }
  },
);

it.each(['24h', '7d', '30d'])(
  'has the figures of the base fee of %s from the market route, as the Service tab has',
  async (timeFrame) => {
    const statsMarket = async () => ({ ...MARKET, timeFrame });
    const remembered = new Remembered({ otherwise: { 'time-frame': timeFrame } });
    const gas = { statsChart: bucketed, statsMarket };
    const { shows } = show({ gas, remembered, columns: 120, rows: 40 });
    await shows(
      /now +0\.0508 /,
      /p90 +0\.150 /,
      /median +0\.0590 /,
      /p10 +0\.0350 /,
      /mean +0\.0700 /,
      /max +0\.412 /,
      /base 0\.0508 ↓ −10\.0 % against \S+ ago {2}min 0\.0310 {2}mean 0\.0700 {2}max 0\.412/,
    );
  },
);

it('has figures of its own where the market route is of another time frame', async () => {
  const { shows } = show({ gas: { statsChart: bucketed }, columns: 120, rows: 40 });
  await shows(/^ 1h /m, /median +0\.05\d+ /, /max +0\.07\d+ /);
});

it('switches the axis with l and the drawing with B, and finds both again', async () => {
  const remembered = new Remembered();
  const first = await until(show({ remembered }), /^ 1h /m);
  expect(first.screen()).not.toContain('log axis');
  await first.leads('l', 'gwei, log axis');
  await first.leads('B', /[\u2801-\u28ff]{5}/);
  first.unmount();
  const again = await until(show({ remembered }), 'log axis', /[\u2801-\u28ff]{5}/);
  await again.press('l');
  await waitFor(() => !again.screen().includes('log axis'));
  await again.press('B');
  await waitFor(() => !/[\u2801-\u28ff]/.test(again.screen()));
});

it('has a log axis by itself where a spike would hide the rest, a linear one once l asks for it', async () => {
  const statsChart = async (timeFrame: string) => ({
    ...HOUR,
    timeFrame,
    points: HOUR.points.map((point, place) => (place === 150 ? { ...point, base: 4e9 } : point)),
  });
  const { leads, press, screen } = await until(show({ gas: { statsChart } }), 'gwei, base on a log axis');
  await press('l');
  await waitFor(() => !screen().includes('log axis'));
  await leads('l', 'gwei, log axis');
  await leads('l', 'gwei, base on a log axis');
});

it('keeps the line on a terminal in ASCII, and says why', async () => {
  const remembered = new Remembered({ otherwise: { 'chart-drawing': 'braille' } });
  const { tells, screen } = await until(show({ remembered, ascii: true }), /^ 1h /m);
  expect(screen()).toMatch(/^[\x20-\x7e\n]*$/);
  expect(screen()).not.toContain('?');
  await tells('B', 'Braille dots need Unicode');
});

it('moves the cursor with arrows, g and G', async () => {
  const { leads, press, screen } = await until(show(), 'now ');
  await leads('left', '▸ ');
  const one = screen().split('\n').at(-1);
  await press('left');
  await waitFor(() => screen().split('\n').at(-1) !== one);
  await press('g');
  await waitFor(() => screen().includes('▸ ') && screen().split('\n')[3]?.[9] === '┃');
  await press('right');
  await waitFor(() => screen().split('\n')[3]?.[9] !== '┃');
  await press('G');
  await waitFor(() => !screen().includes('▸ '));
});

it.each([1, 7, 40])('puts the cursor away with Esc, before anything else: %i steps back', async (steps) => {
  const { leads, press, screen } = await until(show(), 'now ');
  await leads(
    Array.from({ length: steps }, () => 'left'),
    '▸ ',
  );
  await press('escape');
  await waitFor(() => !screen().includes('▸ '));
  expect(screen()).toMatch(/^ 1h /m);
});

it('leads with up to the highest base fee and with down to the lowest', async () => {
  const values = HOUR.points.map(({ base }) => base);
  const { leads } = await until(show(), 'now ');
  for (const [key, side, value] of [
    ['up', 'highest', Math.max(...values)],
    ['down', 'lowest', Math.min(...values)],
  ] as const) {
    const price = formatGwei(value);
    const { timestamp = 0 } = HOUR.points.find(({ base }) => base === value) ?? {};
    await leads(key, new RegExp(`▸ ${clockText(timestamp, true)} {2}${side} ${price} at .*base ${price}`));
  }
});

it.each([
  ['t', /^ 24h /m],
  ['v', 'two windows of 1h'],
  ['p', 'tip p75'],
  ['l', 'log axis'],
  ['B', /[\u2801-\u28ff]{5}/],
])('shows the chart again with %s on the cheap hours, changed', async (key, text) => {
  const heatmap = Array.from({ length: 7 }, () => Array.from({ length: 24 }, (_, hour) => hour * 1e9));
  const statsChart = async (timeFrame: string) => ({ ...HOUR, timeFrame });
  const gas = { statsChart, statsMarket: async () => ({ ...MARKET, heatmap }) };
  const { leads, shows } = show({ gas });
  await shows(/^ 1h /m);
  await leads('h', 'cheap hours');
  await leads(key, text);
});

it('moves over the hours with arrows, says each, and puts that cursor away with Esc', async () => {
  const heatmap = Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 }, (_, hour) => (1 + day * 24 + hour) * 1e9),
  );
  const { leads, shows } = show({ gas: { statsMarket: async () => ({ ...MARKET, heatmap }) } });
  await shows(/^ 1h /m);
  await leads('h', '▸ Mon 12–13h usually 13.0', 'now 0.0508');
  await leads('left', '▸ Mon 11–12h usually 12.0');
  await leads('up', '▸ Sun 11–12h usually 156');
  await leads(['down', 'down', 'right'], '▸ Tue 12–13h usually 37.0');
  await leads('escape', '▸ Mon 12–13h', 'cheap hours');
  await leads('escape', /^ 1h /m);
});

it.each([1, 60, 200])(
  'says of what the price of an alert at the cursor is made: %i steps back',
  async (steps) => {
    const { press, prefills, leads } = await until(show({ columns: 90 }), 'now ');
    await leads(
      Array.from({ length: steps }, () => 'left'),
      '▸ ',
    );
    await press('a');
    await waitFor(() => prefills.length === 1);
    const [, base, tip, sum] =
      /^From the cursor: base (\S+) \+ tip p50 (\S+) at \w{3} \d\d:\d\d = (\S+) gwei$/.exec(
        prefills[0]?.madeOf ?? '',
      ) ?? [];
    expect(Number(base) + Number(tip)).toBeCloseTo(Number(sum), 3);
    expect(Number(prefills[0]?.threshold)).toBeCloseTo(Number(sum), 2);
  },
);

it.each([
  [[], 'Mon 00–01h', 0.001],
  [['down'], 'Tue 12–13h', 0.037],
  [['left', 'left'], 'Mon 10–11h', 0.011],
] as const)(
  'makes an alert of the hour that is shown, the cheapest at first: %j',
  async (keys, name, gwei) => {
    const heatmap = Array.from({ length: 7 }, (_, day) =>
      Array.from({ length: 24 }, (_, hour) => (1 + day * 24 + hour) * 1e6),
    );
    // The base fee of the head is above the price of Average, which is of the next block.
    const snapshot = { ...SNAPSHOT, baseFee: 60_000_000n, priorityFee: 10_000_000n };
    const gas = { statsMarket: async () => ({ ...MARKET, heatmap }) };
    const { leads, press, prefills, shows } = show({ gas, snapshot });
    await shows(/^ 1h /m);
    await leads('h', 'cheap hours');
    for (const key of keys) await press(key);
    await press('a');
    await waitFor(() => prefills.length === 1);
    const price = formatGwei(BigInt(Math.round(gwei * 1e9)) + 10_000_000n);
    const usual = `${name} usually base ${formatGwei(gwei * 1e9)} + tip 0.0100 of now`;
    expect(prefills[0]).toMatchObject({ madeOf: `From the cheap hours: ${usual} = ${price} gwei` });
    expect(Number(prefills[0]?.threshold)).toBeCloseTo(gwei + 0.01, 2);
  },
);

it('finds the comparison and the cheap hours again after a restart', async () => {
  const remembered = new Remembered();
  const heatmap = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 1e9));
  const gas = { statsMarket: async () => ({ ...MARKET, heatmap }) };
  const first = await until(show({ remembered, gas }), /^ 1h /m);
  await first.leads('v', 'two windows of 1h');
  await first.leads('h', 'cheap hours');
  first.unmount();
  const again = show({ remembered, gas });
  await again.shows('cheap hours');
  await again.leads('h', 'two windows of 1h');
});

it('says how likely the price under the cursor is reached again, once the cursor rests there', async () => {
  const asked: bigint[] = [];
  const { leads, press, screen, shows, nextBlock } = show({
    gas: {
      gasRecommendation: async ({ reach } = {}) => {
        if (reach !== undefined) asked.push(reach.targetPrice);
        const probability = asked.length > 1 ? 0.84 : 0.83;
        return {
          ...RECOMMENDATION,
          reach: reach === undefined ? null : { ...reach, probability, reason: null },
        };
      },
    },
  });
  await shows(/base 0\.0\d+/);
  expect(screen()).not.toContain('in 1h 8');
  await leads(['left', 'left', 'left', 'left', 'left'], / 0\.0\d+ in 1h 83 %/);
  expect(asked).toHaveLength(1);
  nextBlock();
  await shows(/ 0\.0\d+ in 1h 84 %/);
  expect(asked).toEqual([asked[0], asked[0]]);
  await press('G');
  await waitFor(() => !screen().includes('in 1h 8'));
});

it('asks a service that does not know likelihoods only once', async () => {
  const gasRecommendation = vi.fn(async () => RECOMMENDATION);
  const { press, screen, nextBlock } = await until(show({ gas: { gasRecommendation } }), /base 0\.0\d+/);
  await press('left');
  await waitFor(() => gasRecommendation.mock.calls.length === 1);
  await press('left');
  nextBlock();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(gasRecommendation).toHaveBeenCalledTimes(1);
  expect(screen()).not.toContain('in 1h 8');
});

it('finds its choices again after another tab was shown', async () => {
  const remembered = new Remembered();
  const gas = { statsChart: async (timeFrame: string) => ({ ...HOUR, timeFrame }) };
  const first = show({ remembered, gas });
  await first.shows(/^ 1h /m);
  await first.leads('t', /^ 24h /m);
  first.unmount();
  await show({ remembered, gas }).shows(/^ 24h /m);
});

it('says the full path before it saves what is shown as CSV, and where it has', async () => {
  const saveFile = vi.fn(async (name: string, _text: string) => `./${name}`);
  const { leads, tells } = await until(show({ saveFile }), /^ 1h /m);
  await leads('w', /\/home\/user\/gastop-ethereum-1h-\d{8}T\d{6}Z\.csv/);
  expect(saveFile).not.toHaveBeenCalled();
  await tells('y', 'info: Saved ./gastop-ethereum-1h-');
  const [name, text] = saveFile.mock.calls[0] ?? ['', ''];
  expect(name).toMatch(/^gastop-ethereum-1h-\d{8}T\d{6}Z\.csv$/);
  expect(text.trim().split('\n')).toHaveLength(301);
});

it('says why nothing is saved where the folder is read-only', async () => {
  const saveFile = () => Promise.reject(new Error('EROFS: read-only file system, open'));
  const { leads, tells } = await until(show({ saveFile }), /^ 1h /m);
  await leads('w', 'Write a CSV file?');
  await tells('y', 'read-only');
});

it.each(['w', 'ww', 'wwwwwwwwwwww'])(
  'writes nothing by w alone, however long it is held: %s',
  async (held) => {
    const saveFile = vi.fn(async (name: string, _text: string) => name);
    const { leads, press } = await until(show({ saveFile }), /^ 1h /m);
    for (const key of held) await press(key);
    await leads('n', /^ 1h /m);
    expect(saveFile).not.toHaveBeenCalled();
  },
);

it('writes one file where the answer is held, too', async () => {
  const saveFile = vi.fn(async (name: string, _text: string) => name);
  const { leads, press, tells } = await until(show({ saveFile }), /^ 1h /m);
  await leads('w', 'Write a CSV file?');
  await tells('y', 'info: Saved');
  for (const key of 'yyyy') await press(key);
  await leads('w', 'Write a CSV file?');
  expect(saveFile).toHaveBeenCalledTimes(1);
});

it('shows the cheap hours on h, the chart again on the next', async () => {
  const heatmap = Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 }, (_, hour) => (day + hour) * 1e9),
  );
  const { leads, shows } = show({ gas: { statsMarket: async () => ({ ...MARKET, heatmap }) } });
  await shows(/^ 1h /m);
  await leads('h', 'cheap hours', /^ Sun/m);
  await leads('h', /^ 1h /m);
  await leads('h', 'cheap hours');
  await leads('escape', /^ 1h /m);
  await leads('escape', /^ 1h /m);
});

it('says that there is nothing yet where there is nothing', async () => {
  const { leads, shows } = show({ gas: { statsChart: async () => ({ ...HOUR, points: [] }) } });
  await shows('No history yet');
  await leads('h', 'No hours to compare yet');
});

it('keeps the last chart when a later answer fails, with age and reason, and recovers by itself', async () => {
  let down = false;
  const { screen, shows, nextBlock } = show({
    gas: {
      statsChart: () => (down ? Promise.reject(refusal('connection refused')) : Promise.resolve(HOUR)),
    },
  });
  await shows(/^ 1h /m);
  down = true;
  nextBlock();
  await shows(/the last 1h as of .*connection refused/, '┤');
  down = false;
  await waitFor(() => !screen().includes('connection refused'));
});

it('asks once for every block, however often the monitor asks for prices', async () => {
  const statsChart = vi.fn(async () => HOUR);
  const { nextBlock } = await until(show({ intervalMs: 5, gas: { statsChart } }), /^ 1h /m);
  await new Promise((done) => setTimeout(done, 100));
  expect(statsChart).toHaveBeenCalledTimes(1);
  nextBlock();
  await waitFor(() => statsChart.mock.calls.length === 2);
});

/** A chart whose history begins so long before the head. */
const reaching = (timeFrame: string, bucketSec: number, sec: number) => {
  const count = Math.ceil(sec / bucketSec);
  const [pattern] = HOUR.points;
  const points = Array.from({ length: count }, (_, place) => ({
    ...{ ...pattern, base: 5e7, priority: 1e7, low: null, average: null, high: null },
    ...{ gasUsedRatio: 0.5, nativeUsd: null },
    timestamp: (SNAPSHOT.blockTimestamp ?? 0) - (count - place) * bucketSec * 1_000,
  }));
  return { ...HOUR, timeFrame, bucketSec, points };
};

it.each([
  ['24h', 300, 86_400],
  ['7d', 1_800, 7 * 86_400],
  ['30d', 7_200, 30 * 86_400],
])(
  'asks for %s with each block while its history is being read, and says so',
  async (timeFrame, bucketSec, whole) => {
    let sec = bucketSec * 3;
    const statsChart = vi.fn(async () => reaching(timeFrame, bucketSec, sec));
    const remembered = new Remembered({ otherwise: { 'time-frame': timeFrame } });
    const shown = show({ gas: { statsChart }, remembered, isOwnService: true, columns: 140 });
    await shown.shows('history reaches back');
    expect(shown.screen()).not.toContain('being read');
    sec = whole / 2;
    shown.nextBlock();
    await shown.shows(/history reaches back .* so far, more of it is being read/);
    sec = whole;
    shown.nextBlock();
    await waitFor(() => !shown.screen().includes('history reaches back'));
    expect(statsChart).toHaveBeenCalledTimes(3);
    // Whole, it stands for minutes again.
    shown.nextBlock();
    shown.nextBlock();
    await new Promise((done) => setTimeout(done, 100));
    expect(statsChart).toHaveBeenCalledTimes(3);
  },
);

it('asks as seldom as for any other for a history that stays short', async () => {
  let time = (SNAPSHOT.blockTimestamp ?? 0) + 4_000;
  const statsChart = vi.fn(async () => reaching('30d', 7_200, 86_400));
  const remembered = new Remembered({ otherwise: { 'time-frame': '30d' } });
  const shown = show({ gas: { statsChart }, remembered, isOwnService: true, now: () => time });
  await shown.shows('history reaches back');
  time += 181_000;
  shown.nextBlock();
  await waitFor(() => statsChart.mock.calls.length === 2);
  for (let block = 0; block < 3; block += 1) shown.nextBlock();
  await new Promise((done) => setTimeout(done, 100));
  expect(statsChart).toHaveBeenCalledTimes(2);
  expect(shown.screen()).not.toContain('being read');
});

it.each([
  ['7d', 1_800],
  ['30d', 7_200],
])(
  'states no change over a history of %s that is shorter than one of its steps',
  async (timeFrame, bucketSec) => {
    const remembered = new Remembered({ otherwise: { 'time-frame': timeFrame } });
    const statsChart = async () => reaching(timeFrame, bucketSec, 60);
    const { screen, shows } = show({ gas: { statsChart }, remembered, columns: 120 });
    await shows('history reaches back less than');
    expect(screen()).not.toMatch(/ in 0s|back 0s|% against /);
  },
);

it('asks for the hours of the week with each block while their history is being read', async () => {
  const end = SNAPSHOT.blockTimestamp ?? 0;
  let days = 0.2;
  const statsMarket = vi.fn(async (timeFrame: string) => {
    const heatmap = Array.from({ length: 7 }, (_, day) =>
      Array.from({ length: 24 }, (_, hour) => (day * 24 + hour < days * 24 ? 5e7 : null)),
    );
    return { ...MARKET, timeFrame, heatmap, from: end - days * 86_400_000 };
  });
  const shown = show({ gas: { statsMarket }, isOwnService: true, columns: 120 });
  await shown.shows(/^ 1h /m);
  await shown.leads('h', '5 of 168 hours seen so far');
  days = 3;
  shown.nextBlock();
  await shown.shows('72 of 168 hours seen so far', 'more of it is being read');
  days = 30;
  shown.nextBlock();
  await waitFor(() => !shown.screen().includes('seen so far') && !shown.screen().includes('being read'));
});

it('walks through the service’s own words, and an unknown one breaks nothing', async () => {
  const asked: string[] = [];
  const { leads, press, screen, shows } = show({
    gas: {
      description: async () => readDescription(FOREIGN_30),
      statsChart: async (timeFrame) => {
        asked.push(timeFrame);
        return { ...HOUR, timeFrame };
      },
    },
  });
  await shows(/^ 1h /m);
  await waitFor(() => asked.length > 0);
  for (const word of ['6h', 'epoch', '7d', '1h']) {
    await leads('t', new RegExp(`^ ${word} `, 'm'));
    expect(
      Math.max(
        ...screen()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(90);
  }
  expect(asked).toEqual(['1h', '6h', 'epoch', '7d']);
  await press('v');
  await press('t');
  await leads('t', /^ epoch /m, 'two windows of epoch');
  for (const word of ['p95', 'max', 'p50']) {
    await leads('p', `tip ${word}`);
  }
});
