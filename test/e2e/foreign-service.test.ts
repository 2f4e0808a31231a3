/** The built monitor and commands against a service that we did not write, through all its moods. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMain } from '../cli/captured-io.ts';
import { type ForeignService, type Mood, startForeignService } from '../helpers/foreign-service.ts';
import { gastop } from '../helpers/gastop.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import type { Terminal } from '../helpers/terminal.ts';

const KEY = 'gs_live_must_never_be_seen_anywhere';

let service: ForeignService;
beforeAll(async () => {
  service = await startForeignService();
});
afterAll(() => service.close());

/** The lane table with the service's prices in it. */
const PRICES = /│ Average +│ +0\.0507/;

const asked = (path: string) => service.asked.filter((question) => question.path === path).length;
const text = (terminal: Terminal) => terminal.screen().join('\n');

/** Each press counts from what is on the screen. */
async function faster(terminal: Terminal, steps: readonly string[]): Promise<void> {
  for (const step of steps) {
    await terminal.press('+');
    await terminal.waitFor(`every ${step}`);
  }
}

/** What the service lacks in its moods. */
const LACKS = { '/gas/recommendation': 404, '/dashboard/stats/market': 403 } as const;

/** Starts the monitor in a mood of the service, at a size that has room for whole sentences. */
async function start(mood: Mood, rows = 30): Promise<Terminal> {
  Object.assign(service, { mood, refusals: LACKS, isDescribed: true });
  service.asked.length = 0;
  return gastop(['--url', `${service.origin}/be/api/v1`], {
    cols: 110,
    rows,
    env: { GASTOP_API_KEY: KEY },
  });
}

describe('the monitor on a service that we did not write', () => {
  it.runIf(isSlowRun)(
    'says each mood before the first prices in its own words, and shows the prices when it is well',
    async () => {
      await using terminal = await start('key');
      await terminal.waitFor('! The key is refused');
      await terminal.waitFor('set GASTOP_API_KEY and start again; r asks once more');
      expect(text(terminal)).toContain('not tried again by itself');
      expect(asked('/gas/current')).toBe(1);

      service.mood = 'day';
      await terminal.press('r');
      await terminal.waitFor('! The daily quota of this key is used up');
      await terminal.waitFor(/Daily limit of your plan reached/);
      await terminal.waitFor(/next try in (2h|1h59m)/);
      expect(asked('/gas/current')).toBe(2);

      service.mood = 'broken';
      await terminal.press('r');
      await terminal.waitFor('! The service fails');
      await terminal.waitFor(/The cache is on fire/);

      // A failure is tried again by itself.
      service.mood = 'page';
      await terminal.waitFor('! The response cannot be read');
      await terminal.waitFor(/with a web page: a login or proxy/);
      await terminal.press('i');
      await terminal.waitFor('Please sign in');
      await terminal.press('esc');
      await terminal.waitFor((rows) => !rows.join('\n').includes('Please sign in'));
      await terminal.waitFor('! The response cannot be read');

      service.mood = 'shapeless';
      await terminal.press('r');
      await terminal.waitFor(/to \/gas\/current has no averagePrice/);

      service.mood = 'well';
      await terminal.press('r');
      await terminal.waitFor(PRICES);
      await terminal.waitFor(/no advice: this service has none/);

      service.mood = 'second';
      await terminal.press('r');
      await terminal.waitFor(/◌ limited/);
      await terminal.waitFor(() => terminal.isDim(terminal.find('│ Average')?.y ?? -1));
      service.mood = 'well';
      await terminal.waitFor(/● live/);
      expect(terminal.isDim(terminal.find('│ Average')?.y ?? -1)).toBe(false);
      expect(terminal.output()).not.toContain(KEY);
      expect(service.asked.every(({ key, path }) => key === KEY || path.startsWith('/api-playground'))).toBe(
        true,
      );
      await terminal.press('q');
      expect((await terminal.waitForExit()).exitCode).toBe(0);
      expect(terminal.leftovers()).toEqual([]);
    },
  );

  it.runIf(isSlowRun)(
    'asks once for what its plan or the service does not have, and uses the service’s own words',
    async () => {
      await using terminal = await start('well', 44);
      await terminal.waitFor(/no advice: this service has none/);
      await terminal.waitFor(/no market figures: plan lacks \/dashboard\/stats\/market: Market figures/);
      // It knows no hour, and says which time frames it knows.
      await terminal.waitFor(/last hour in gwei/);
      await terminal.waitFor('every 12s');
      await faster(terminal, ['10s', '5s', '2s', '1s', '0.5s']);
      const since = { trend: asked('/gas/trend'), heads: service.heads.size, prices: asked('/gas/current') };
      // The price is asked for at each poll, the trend once per head.
      await terminal.waitFor(
        () => service.heads.size >= since.heads + 2 && asked('/gas/current') >= since.prices + 5,
      );
      // The head that is there while this is counted may have been asked about, or not yet.
      expect(asked('/gas/trend') - since.trend).toBeLessThanOrEqual(service.heads.size - since.heads + 1);
      expect(asked('/gas/recommendation')).toBe(1);
      expect(asked('/dashboard/stats/market')).toBe(1);

      await terminal.press('2');
      await terminal.waitFor(/^ 6h /m);
      await terminal.press('t');
      await terminal.waitFor((rows) => rows.some((row) => /^ epoch /.test(row)));
      await terminal.press('p');
      await terminal.waitFor('tip whale');
      expect(asked('/api-playground')).toBe(1);

      await terminal.press('1', 'i');
      await terminal.waitFor('"mood": "sunny"');
    },
  );
});

describe('gastop now on a service that we did not write', () => {
  it.each<[Mood, number, RegExp]>([
    ['well', 0, /0\.0507/],
    ['key', 4, /^gastop: the service refused the key: .*set GASTOP_API_KEY/],
    ['revoked', 4, /^gastop: this key has been revoked/],
    ['day', 5, /^gastop: the daily quota of this key is used up: .*; it may be asked again in 2h\n$/],
    [
      'second',
      5,
      /^gastop: more requests at once than this key may make: .*; it may be asked again in 2s\n$/,
    ],
    ['broken', 3, /^gastop: the service failed \(500\): The cache is on fire\n$/],
    ['page', 3, /^gastop: .* responded to \/gas\/current with a web page/],
    ['shapeless', 3, /^gastop: the response of .* to \/gas\/current has no averagePrice\n$/],
  ])('in the mood %j ends with exit code %i', async (mood, code, says) => {
    service.mood = mood;
    const env = { GASTOP_API_KEY: KEY };
    const { exitCode, stdout, stderr } = await runMain(['now', '--url', service.origin], { env });
    expect(code === 0 ? stdout : stderr).toMatch(says);
    expect(exitCode).toBe(code);
    expect(stdout + stderr).not.toContain(KEY);
  });
});
