import { render } from 'ink-testing-library';
import { expect, it } from 'vitest';
import type { ChainRow } from '../../src/client/views/chains.ts';
import { Monitor } from '../../src/tui/app/app.tsx';
import { SourceHolder } from '../../src/tui/app/source.ts';
import { keyBytes } from '../helpers/terminal-keys.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { fakeGas, MARKET, RECOMMENDATION, SNAPSHOT, TREND } from './fake-gas.ts';
import { SILENT } from './show-screen.tsx';
import { sizedScreen } from './sized-screen.tsx';

const NOW = (SNAPSHOT.blockTimestamp ?? 0) + 4_000;

/** A chain whose swap costs as many times what one costs on the chain of the known responses. */
function row(name: string, times: bigint, changed: Partial<ChainRow> = {}): ChainRow {
  const { average } = SNAPSHOT.lanes;
  const lanes = { ...SNAPSHOT.lanes, average: { ...average, price: average.price * times } };
  const snapshot = { ...SNAPSHOT, lanes, source: { ...SNAPSHOT.source, chainName: `The ${name}` } };
  return {
    ...{ name, isOwnName: false, nativeUsd: 2_500, usdFrom: null, problem: null, ...changed },
    figures: { snapshot, trend: TREND, advice: RECOMMENDATION, actions: MARKET.actions },
  };
}

const DEAD: ChainRow = {
  ...{ name: 'dead', isOwnName: true, figures: null, nativeUsd: null, usdFrom: null },
  problem: { message: 'a.example refuses the connection: is the node running?', retryAt: NOW + 8_000 },
};

async function open(first: readonly ChainRow[], columns = 80, rows = 24) {
  let all = first;
  const listeners = new Set<() => void>();
  const opened: string[] = [];
  const board = {
    everyMs: 6_000,
    read: () => all,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    open: async (name: string) => {
      opened.push(name);
      return { client: fakeGas(), intervalMs: 60_000, embedded: {} };
    },
  };
  const app = render(
    <Monitor
      {...{ holder: new SourceHolder(), board, isBoardFirst: true, ascii: false, undoMs: 600_000 }}
      openSource={async () => ({ client: fakeGas() })}
      urlProblem={() => null}
      notifications={SILENT}
      now={() => NOW}
      fullPath={(name) => `/home/user/${name}`}
      saveFile={async (name) => name}
    />,
  );
  const { frame, shows } = sizedScreen(app, columns, rows);
  const hears = (event: string) => app.stdin.listenerCount(event) > 0;
  const heard = waitFor(() => hears('readable') && hears('mouse'), { what: 'ears' });
  const press = async (...keys: readonly string[]) => {
    await heard;
    app.stdin.write(keys.flatMap(keyBytes).join(''));
  };
  return {
    opened,
    frame,
    shows,
    press,
    leads: async (keys: string | readonly string[], text: string | RegExp) => {
      await press(...[keys].flat());
      await shows(text);
    },
    names: () => frame().match(/(▸ )?(! )?(The \w+|dead)(?= )/g) ?? [],
    click: async (x: number, y: number) => {
      await heard;
      app.stdin.emit('mouse', { kind: 'click', x, y });
    },
    become: (rows: readonly ChainRow[]) => {
      all = rows;
      for (const listener of listeners) listener();
    },
  };
}

it.each([60, 80, 200])(
  'selects the row that is clicked, which Enter opens, at %i columns',
  async (columns) => {
    const { frame, leads, shows, click, opened } = await open(
      [row('one', 2n), row('two', 1n), DEAD],
      columns,
    );
    await shows(/▸ The two/);
    const rowOf = (name: string) =>
      frame()
        .split('\n')
        .findIndex((line) => line.includes(name));
    await click(10, rowOf('dead '));
    await shows(/▸ ! dead/);
    await click(10, rowOf('The one'));
    await shows(/▸ The one/);
    await leads('enter', '[1 Live]');
    expect(opened).toEqual(['one']);
  },
);

it('opens the chain under the cursor, with all tabs, and comes back with Esc', async () => {
  const { leads, shows, opened } = await open([row('one', 2n), row('two', 1n), DEAD]);
  await shows(/chains 3 {2}by swap/);
  await shows(/▸ The two .*\n {3}The one .*\n {3}! dead +retry in 8s: a\.example refuses/);
  await leads(['j', 'enter'], '[1 Live]');
  expect(opened).toEqual(['one']);
  await leads('esc', /▸ The one/);
  await leads('enter', '[1 Live]');
  expect(opened).toEqual(['one']);
  await leads('C', 'by swap');
});

it('keeps the rows in their order while the cursor moves', async () => {
  const { leads, shows, become, names } = await open([row('one', 1n), row('two', 2n), row('three', 3n)]);
  await shows(/▸ The one/);
  await leads('j', /▸ The two/);
  become([row('one', 9n), row('two', 2n), row('three', 3n, { usdFrom: 'Elsewhere' })]);
  await shows(/The one +\$[\d.]+|The one +\d/);
  expect(names().slice(0, 3)).toEqual(['The one', '▸ The two', 'The three']);
  await leads('s', 'by send');
  await shows(/▸ The two .*\n {3}The three .*\n {3}The one/);
});

it('calls a row by the name that the user made up, and says which chain it is', async () => {
  const own = [row('mine', 1n, { isOwnName: true }), row('test', 2n, { isOwnName: true })];
  const { shows } = await open(own, 120, 40);
  await shows(/▸ mine .*\n {3}test /);
  await shows(/mine: .*; on The mine/);
});

/** The same row of another kind of source. */
function of(kind: 'simulated' | 'replay', { figures, ...rest }: ChainRow): ChainRow {
  if (figures === null) throw new Error('the row has no figures');
  const { snapshot } = figures;
  return {
    ...rest,
    figures: { ...figures, snapshot: { ...snapshot, source: { ...snapshot.source, kind } } },
  };
}

it.each([60, 80, 120, 200])(
  'says which rows are no live chains, and has one unit a column, at %d columns',
  async (columns) => {
    const rows = [
      of('simulated', row('one', 1n)),
      of('replay', row('two', 2n)),
      row('three', 3n, { nativeUsd: null }),
      row('four', 200_000n),
    ];
    const { shows, frame } = await open(rows, columns, 24);
    await shows(/SIMULATED The one/);
    await shows(/REPLAY The two/);
    expect(frame()).not.toMatch(/(SIMULATED|REPLAY) The (three|four)/);
    const lines = frame().split('\n');
    const heading = lines.find((line) => line.includes('swap gwei')) ?? '';
    const end = (title: string) => heading.search(new RegExp(`${title}( |$)`)) + title.length;
    const cellOf = (name: string, title: string) =>
      /\S+$/.exec(lines.find((line) => line.includes(name))?.slice(0, end(title)) ?? '')?.[0];
    for (const [name, dollars, gwei] of [
      ['The one', /^\$0\.0\d+$/, '—'],
      ['The two', /^\$0\.0\d+$/, '—'],
      ['The three', '—', /^[\d,]+$/],
      ['The four', /^\$[\d,]+\.\d\d$/, '—'],
    ] as const) {
      expect(cellOf(name, 'swap')).toMatch(dollars);
      expect(cellOf(name, 'swap gwei')).toMatch(gwei);
    }
  },
);

it('finds a chain by its name as one types', async () => {
  const { leads, shows, names } = await open([row('one', 1n), row('two', 2n), DEAD]);
  await shows(/The one/);
  await leads(['/', 'tw'], 'chains 1 of 3');
  await leads('enter', /▸ The two/);
  expect(names()).not.toContain('dead');
  await leads('esc', 'chains 3 ');
});

it.each([
  [60, 16],
  [80, 24],
  [120, 40],
])('has names, swap, advice and the whole reason at %d×%d', async (columns, rows) => {
  const { leads, shows, frame } = await open([row('one', 1n), row('two', 2n), DEAD], columns, rows);
  await shows(/chain +swap .* advice/);
  await leads('G', /dead: retry in 8s: a\.example refuses the connection: is\s+the\s+node running\?/);
  expect(frame().split('\n').length).toBeLessThanOrEqual(rows);
});
