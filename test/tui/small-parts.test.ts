import { describe, expect, it } from 'vitest';
import { ClientError, type ClientErrorCode, type LimitKind } from '../../src/client/errors.ts';
import { chainStatus } from '../../src/client/views/chain-status.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { stepInterval } from '../../src/tui/app/app.tsx';
import { type MonitorSource, SourceHolder } from '../../src/tui/app/source.ts';
import { healthOf } from '../../src/tui/chrome/frame.tsx';
import { rawLines } from '../../src/tui/chrome/raw-view.tsx';
import { polledEveryMs } from '../../src/tui/data/pace.ts';
import { drawnCharacters, EMPTY_INPUT, editLine, insertText } from '../../src/tui/input/text-input.tsx';
import { recordTexts } from '../../src/tui/panes/service/service-pane.tsx';
import { failureHint, failureTitle } from '../../src/tui/ui/pane-state.tsx';
import { fakeGas, SNAPSHOT } from './fake-gas.ts';

describe('the record of advice in words', () => {
  const track = {
    ...{ evaluated: 100, hitRatio: 0.92, statedProbability: 0.9, basis: 'given' },
    since: Date.UTC(2025, 10, 3, 12),
    versions: [1],
    unjudged: 0,
    waits: null,
    sends: null,
  };

  it('names the versions of the method where there are several, and what could not be judged', () => {
    expect(recordTexts({ ...track, versions: [1, 2], unjudged: 3 })).toEqual([
      'advice: given 100, kept 92, stated 90 %, since 3 Nov, by versions 1, 2 of its method',
      '3 not judged for want of blocks',
    ]);
  });

  it('counts waits and sends apart, with what they stated and saved, and none where none was judged', () => {
    const judged = { evaluated: 52, hitRatio: 41 / 52, statedProbability: 0.84, savingRatio: 0.06 };
    const waits = { ...track, ...judged, versions: [3] };
    const sends = { ...waits, evaluated: 100, hitRatio: 1, savingRatio: -0.02 };
    expect(recordTexts({ ...track, waits, sends })).toEqual([
      'waits: given 52, kept 41, stated 84 %, saved 6 %, since 3 Nov',
      'sends: given 100, kept 100, stated 84 %, paid 2 % more than needed, since 3 Nov',
    ]);
    expect(recordTexts({ ...track, waits: { ...waits, evaluated: 0, hitRatio: null }, sends: null })).toEqual(
      [],
    );
  });
});

const NOW = (SNAPSHOT.blockTimestamp ?? 0) + 4_000;
const health = (polled: Parameters<typeof healthOf>[0], isFrozen = false) =>
  healthOf(polled, isFrozen, chainStatus(polled.data ?? SNAPSHOT, NOW));

describe('health', () => {
  const well = { data: SNAPSHOT, error: null, retryAt: null };

  it('is live only with fresh data of a source without problems', () => {
    expect(health(well)).toEqual({ kind: 'live' });
    expect(health({ ...well, data: undefined })).toEqual({ kind: 'connecting' });
    expect(health(well, true)).toEqual({ kind: 'frozen' });
  });

  it('says the service’s own word about its source', () => {
    const problem = { message: 'no node answers', retryAt: 5 };
    const data = { ...SNAPSHOT, stale: true, source: { ...SNAPSHOT.source, problem } };
    expect(health({ ...well, data })).toEqual({
      kind: 'stale',
      reason: 'no node answers',
      retryAt: 5,
    });
  });

  it('is reconnecting while a failure may pass and refused when it will not', () => {
    const error = new ClientError('unreachable', 'refused', { endpoint: '/x' });
    expect(health({ ...well, error, retryAt: 9 }, true)).toEqual({
      ...{ kind: 'reconnecting', reason: 'refused', title: 'The service does not answer', retryAt: 9 },
    });
    const key = new ClientError('key', 'no such key', { endpoint: '/x' });
    expect(health({ ...well, error: key })).toMatchObject({
      kind: 'refused',
      remedy: expect.stringContaining('GASTOP_API_KEY'),
    });
  });
});

it('the polling interval moves in steps, stops at the longest, and after the shortest is that of the blocks', () => {
  expect(stepInterval(1_000, 'slower')).toBe(2_000);
  expect(stepInterval(12_000, 'faster')).toBe(10_000);
  expect(stepInterval(300_000, 'slower')).toBe(300_000);
  expect(stepInterval(1_000, 'faster')).toBe(500);
  expect(stepInterval(500, 'faster')).toBeNull();
});

describe('a line being typed', () => {
  const typed = (...keys: string[]) => keys.reduce(editLine, EMPTY_INPUT);

  it('keeps joined emoji whole, typed or pasted, and the order of writing as it is', () => {
    const coder = '\u{1f469}\u{1f3fd}\u200d\u{1f4bb}';
    expect(typed(...Array.from(coder)).text).toBe(coder);
    expect(insertText(EMPTY_INPUT, `a\u200db ${coder}\u202e`).text).toBe(`a\u200db ${coder}`);
    expect(drawnCharacters(`${coder}\r\nx`)).toEqual(['\u{1f469}\u{1f3fd}\u{1f4bb}', ' ', 'x']);
  });

  it('is a row of what people take for characters, however many pieces they have', () => {
    for (const character of ['🇩🇪', '👍🏽', '👨‍👩‍👧', '❤️‍🔥', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'é', '1️⃣']) {
      const input = typed('a', ...Array.from(character), 'b');
      expect(input).toEqual({ text: `a${character}b`, cursor: 3 });
      expect(['left', 'backspace'].reduce(editLine, input)).toEqual({ text: 'ab', cursor: 1 });
      expect(['home', 'right', 'delete'].reduce(editLine, input).text).toBe('ab');
      expect(insertText({ text: 'ab', cursor: 1 }, character)).toEqual({ text: `a${character}b`, cursor: 2 });
    }
    expect(typed('\u{1f1e9}', 'left', '\u{1f1ea}')).toEqual({ text: '\u{1f1ea}\u{1f1e9}', cursor: 1 });
  });
});

it('the raw view sets out JSON, breaks long lines and shows no control character that an escape hid', () => {
  expect(rawLines('{"a":"\\u001b[31mred"}', 80)).toEqual(['{', '  "a": "\\u001b[31mred"', '}']);
  expect(rawLines('{"a":"\\u009b31m"}', 80).join('')).not.toMatch(/[\u0080-\u009f]/);
  expect(rawLines('<html>abcdef', 6)).toEqual(['<html>', 'abcdef']);
});

describe('the words for a failure', () => {
  type More = { limit?: LimitKind; errorCode?: string; endpoint?: string };
  const of = (code: ClientErrorCode, more: More = {}) =>
    new ClientError(code, 'x', { endpoint: '/gas/current', ...more });

  it('are different for each kind', () => {
    const kinds: readonly (readonly [ClientErrorCode, More?])[] = [
      ...([['unreachable'], ['key'], ['plan'], ['invalid'], ['quota'], ['unavailable'], ['server']] as const),
      ...([['unreadable'], ['not-found'], ['not-found', { endpoint: '/gas/trend' }]] as const),
      ...([
        ['quota', { limit: 'daily' }],
        ['quota', { limit: 'rate' }],
      ] as const),
      ...(['missing', 'revoked'] as const).map((why) => ['key', { errorCode: `api_key_${why}` }] as const),
    ];
    expect(new Set(kinds.map((kind) => failureTitle(of(...kind)))).size).toBe(kinds.length);
  });

  it('for a limit say that nothing needs to be done', () => {
    expect(failureHint(of('quota'))).toContain('goes on by itself');
    expect(health({ data: SNAPSHOT, error: of('quota'), retryAt: 7 })).toMatchObject({
      kind: 'limited',
      retryAt: 7,
    });
  });
});

it('how often a service is asked is its own word within reason, else its chain’s pace, else that of mainnet', () => {
  const every = (change: Partial<SnapshotView>) => polledEveryMs({ ...SNAPSHOT, ...change });
  expect(every({ updateFrequencySec: 30 })).toBe(30_000);
  expect(every({ updateFrequencySec: 1e-9 })).toBe(500);
  expect(every({ updateFrequencySec: 1e12 })).toBe(3_600_000);
  expect(every({ updateFrequencySec: null, chainId: 1 })).toBe(12_000);
  expect(every({ updateFrequencySec: 0, chainId: 10 })).toBe(2_000);
  expect(every({ updateFrequencySec: null, chainId: null })).toBe(12_000);
});

describe('the holder of the source', () => {
  const source = (name: string, log: string[]): MonitorSource => ({
    client: fakeGas(),
    chainName: name,
    close: () => {
      log.push(`closed ${name}`);
    },
  });

  it('closes one source before it opens the next, and the last at the end', async () => {
    const log: string[] = [];
    const holder = new SourceHolder();
    await holder.open(async () => source('one', log));
    await holder.open(async () => {
      log.push('opening two');
      return source('two', log);
    });
    await holder.end();
    expect(log).toEqual(['closed one', 'opening two', 'closed two']);
  });

  it('closes a source that came too late', async () => {
    const log: string[] = [];
    const holder = new SourceHolder();
    const late = Promise.withResolvers<MonitorSource>();
    const first = holder.open(() => late.promise);
    await holder.open(async () => source('second', log));
    late.resolve(source('first', log));
    await first;
    await holder.end();
    expect(log.sort()).toEqual(['closed first', 'closed second']);
  });
});
