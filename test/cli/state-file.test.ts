import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { resolveSettings } from '../../src/cli/settings.ts';
import type { SourceFlags } from '../../src/cli/settings-table.ts';
import { rememberedName, StateFile } from '../../src/cli/state-file.ts';
import { EVERYWHERE, Remembered } from '../../src/tui/data/remembered.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';

const home = sharedFolder('state');
const path = join(home, 'state', 'gastop', 'monitor.json');

beforeEach(() => rmSync(join(home, 'state'), { recursive: true, force: true }));

const write = (text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const content = () => JSON.parse(readFileSync(path, 'utf8'));

/** A start of the monitor, up to where it has a screen; `told` has what it says. */
async function start(isFresh = false) {
  const file = await StateFile.open(path, home, isFresh);
  const told: string[] = [];
  file.watch((problem) => told.push(problem));
  return { file, told };
}

describe('the file that the monitor remembers in', () => {
  it('has at the next start what was chosen, of each source for itself, for this user alone', async () => {
    const { file, told } = await start();
    file.keep('demo', 'tab', 'chart');
    file.keep('chain 1', 'tab', 'alerts');
    file.keep('demo', 'interval', null);
    await file.end();
    const next = (await start()).file;
    expect(next.recall('demo')).toEqual({ tab: 'chart', interval: null });
    expect(next.recall('chain 1')).toEqual({ tab: 'alerts' });
    expect(next.recall('chain 8453')).toEqual({});
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(told).toEqual([]);
  });

  it('keeps what each of several monitors has changed, whoever ends last', async () => {
    const monitors = await Promise.all(Array.from({ length: 8 }, () => start()));
    for (const [place, { file }] of monitors.entries()) {
      file.keep('demo', `of ${place}`, place);
      file.keep(`chain ${place}`, 'tab', 'chart');
    }
    await Promise.all(monitors.map(({ file }) => file.end()));
    const { demo, ...chains } = content();
    expect(demo).toEqual(Object.fromEntries(monitors.map((_, place) => [`of ${place}`, place])));
    expect(Object.keys(chains)).toHaveLength(8);
    expect(readdirSync(dirname(path))).toEqual(['monitor.json']);
    expect(monitors.flatMap(({ told }) => told)).toEqual([]);
  });

  it.each([
    ['cut off', '{ "demo": { "tab": "ch'],
    ['empty', ''],
    ['of another shape', '{ "demo": ["chart"] }'],
    ['no text', '\u0000\u0001'],
    ['far too long', `{ "demo": { "tab": "${'x'.repeat(2_000_000)}" } }`],
  ])('is ignored with one line where it is %s, and is whole again after the next choice', async (_, text) => {
    write(text);
    const { file, told } = await start();
    expect(file.recall('demo')).toEqual({});
    expect(told).toEqual(['Nothing is remembered, damaged or unreadable: ~/state/gastop/monitor.json']);
    file.keep('demo', 'tab', 'alerts');
    await file.end();
    expect(content()).toEqual({ demo: { tab: 'alerts' } });
    expect(told).toHaveLength(1);
  });

  it.each([
    ['its folder is a file', () => writeFileSync(dirname(path), ''), ' cannot be made: its folder is a file'],
    ['it is a folder', () => mkdirSync(path, { recursive: true }), ''],
    [
      'the folder above leads nowhere',
      () => symlinkSync('/proc/none', dirname(path)),
      ' cannot be made: its folder does not exist',
    ],
  ])('costs one line where it cannot be written as %s, however much is chosen', async (_, spoil, said) => {
    mkdirSync(join(home, 'state'));
    spoil();
    const { file, told } = await start();
    for (const tab of ['chart', 'alerts', 'live']) {
      file.keep('demo', 'tab', tab);
      await file.end();
    }
    expect(told).toEqual([expect.stringContaining(`~/state/gastop/monitor.json${said}`)]);
  });

  it('is not read by a fresh start, which keeps what it does not change', async () => {
    write('{ "demo": { "tab": "chart", "patience": 300 }, "chain 1": { "tab": "service" } }');
    const { file, told } = await start(true);
    expect(file.recall('demo')).toEqual({});
    file.keep('demo', 'tab', 'alerts');
    await file.end();
    expect(content()).toEqual({ 'chain 1': { tab: 'service' }, demo: { tab: 'alerts', patience: 300 } });
    expect(told).toEqual([]);
  });

  it('is written though a monitor was killed while it wrote', async () => {
    write('{}');
    writeFileSync(`${path}.lock`, '');
    const before = new Date(Date.now() - 60_000);
    utimesSync(`${path}.lock`, before, before);
    const { file } = await start();
    file.keep('demo', 'tab', 'chart');
    await file.end();
    expect(content()).toEqual({ demo: { tab: 'chart' } });
  });

  it('keeps the hundred sources that were changed last', async () => {
    const { file } = await start();
    for (let chain = 1; chain <= 120; chain++) file.keep(`chain ${chain}`, 'tab', 'chart');
    await file.end();
    expect(Object.keys(content())).toHaveLength(100);
    expect(content()).toHaveProperty(['chain 120']);
  });
});

describe('the name of a source in it', () => {
  const nameOf = (flags: SourceFlags, env = {}) =>
    rememberedName(resolveSettings(flags, env, null).source.value);
  const SECRET = 'v3rys3cr3tk3y0fmine';

  it.each<[SourceFlags, string | null]>([
    [{ demo: true }, 'demo'],
    [{ demo: true, seed: '8' }, 'demo'],
    [{}, 'chain 1'],
    [{ rpc: ['http://127.0.0.1:8545'] }, null],
    [{ url: 'https://gas.example.org' }, 'service gas.example.org'],
    [{ url: 'http://localhost:8787/' }, 'service localhost:8787'],
    [{ replay: '/data/day.jsonl' }, 'recording /data/day.jsonl'],
  ])('of %o is %s', (flags, name) => expect(nameOf(flags)).toBe(name));

  it('has nothing of a key, and differs where the path does', () => {
    const [first, second] = [SECRET, 'another'].map(
      (path) => nameOf({ url: `https://gas.example.org/${path}` }, { GASTOP_API_KEY: SECRET }) ?? '',
    );
    expect(first).toMatch(/^service gas\.example\.org [0-9a-f]{8}$/);
    expect(first).not.toBe(second);
  });
});

describe('what the monitor shows of it', () => {
  const file = (known: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {}) => {
    const kept: unknown[] = [];
    return {
      kept,
      recall: (source: string) => known[source] ?? {},
      keep: (...change: readonly unknown[]) => void kept.push(change),
      watch: () => {},
    };
  };

  it('is what a flag says, then what is remembered, then what the config file says', () => {
    const known = { demo: { patience: 300, interval: 5_000 } };
    const remembered = new Remembered({
      file: file(known),
      said: { patience: 900 },
      otherwise: { patience: 60, interval: 1_000, 'time-frame': '7d' },
    });
    const read = (name: string) => remembered.read(name, false);
    expect(read('interval')).toBe(1_000);
    remembered.open('demo');
    expect(['patience', 'interval', 'time-frame', 'tab'].map(read)).toEqual([900, 5_000, '7d', undefined]);
    remembered.set('patience', 3_600, false);
    expect(read('patience')).toBe(3_600);
  });

  it('is of each source, and of the chain of a node what is chosen before it is known', () => {
    const kept = file({ 'chain 1': { tab: 'alerts', percentile: 'p90' } });
    const remembered = new Remembered({ file: kept });
    remembered.open('demo');
    remembered.set('tab', 'chart', false);
    remembered.open(null);
    expect(remembered.read('tab', false)).toBe('chart');
    remembered.set('tab', 'service', false);
    remembered.open('chain 1');
    expect(['tab', 'percentile'].map((name) => remembered.read(name, false))).toEqual(['service', 'p90']);
    remembered.open('demo');
    expect(remembered.read('tab', false)).toBe('chart');
    expect(kept.kept).toEqual([
      ['demo', 'tab', 'chart'],
      ['chain 1', 'tab', 'service'],
    ]);
  });

  it('is the same for every source where it belongs to the person', () => {
    const kept = file();
    const remembered = new Remembered({ file: kept });
    remembered.open('demo');
    remembered.set('mouse', true, true);
    remembered.open('chain 1');
    expect(remembered.read('mouse', true)).toBe(true);
    expect(kept.kept).toEqual([[EVERYWHERE, 'mouse', true]]);
  });
});
