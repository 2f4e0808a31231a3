import { describe, expect, it } from 'vitest';
import {
  describeEarlierFirings,
  describeFiring,
  describeFirings,
} from '../../../src/client/views/alert-texts.ts';
import { announcesHere, noticeFirings } from '../../../src/tui/data/news.ts';
import { ALERT } from '../fake-alerts.ts';

const AT = Date.UTC(2026, 0, 5, 12, 0, 0);
const HOUR = 3_600_000;
const ids = (alerts: readonly { readonly id: string }[]) => alerts.map(({ id }) => id);

function noticed(lists: readonly (readonly (typeof ALERT)[])[], newSince = AT) {
  const seen = new Map<string, number>();
  return lists.map((list) => ids(noticeFirings(seen, list, newSince)));
}

describe('a firing is noticed', () => {
  const fired = { ...ALERT, triggerCount: 3, lastTriggeredAt: AT + 1 };

  it('by its time, where a service does not count', () => {
    const uncounted = { ...ALERT, triggerCount: null };
    const never = { ...uncounted, lastTriggeredAt: null };
    expect(noticed([[never], [uncounted], [uncounted], [{ ...uncounted, lastTriggeredAt: AT }]])).toEqual([
      [],
      ['alr_7f3a1c90'],
      [],
      ['alr_7f3a1c90'],
    ]);
  });

  it('not again when an older list, or none, comes in between', () => {
    expect(noticed([[ALERT], [fired], [ALERT], [fired], [], [fired]])).toEqual([
      [],
      ['alr_7f3a1c90'],
      [],
      [],
      [],
      [],
    ]);
  });

  it('of an alert that was made and has fired since the last list, but not of one that fired before', () => {
    const young = { ...fired, id: 'young', triggerCount: 1 };
    expect(noticed([[ALERT], [ALERT, young]])).toEqual([[], ['young']]);
    expect(noticed([[], [ALERT]])).toEqual([[], []]);
  });
});

it('is announced where its key is used: whoever runs the service sees those of every key', () => {
  const terminal = { ...ALERT, channels: ['TERMINAL'] };
  expect(announcesHere(terminal)).toBe(true);
  expect(announcesHere({ ...terminal, keyId: '0123456789' })).toBe(false);
  expect(announcesHere({ ...ALERT, channels: ['EMAIL'] })).toBe(false);
});

describe('the words', () => {
  it('say the condition, the price and the note', () => {
    expect(describeFiring(ALERT, 38_800_000n)).toBe('Average below 0.04 gwei: 0.0388 · deploy the registry');
    expect(describeFiring({ ...ALERT, condition: 'GREATER_THAN', note: '' }, 60_000_000_000n)).toBe(
      'Average above 0.04 gwei: 60.0',
    );
    const high = { ...ALERT, threshold: 2_000_000_000_000n, note: '' };
    expect(describeFiring(high, 1_999_000_000_000n)).toBe('Average below 2,000 gwei: 1,999');
    expect(describeFiring({ ...ALERT, note: '' }, 39_999_900n)).toBe('Average below 0.04 gwei: 0.0399999');
    expect(describeFiring({ ...ALERT, note: null }, null)).toBe('Average below 0.04 gwei: reached');
  });

  it('keep to a line whatever a service or a note says', () => {
    const hostile = {
      ...ALERT,
      ...{ gasSpeed: 'RAPID', condition: 'CROSSES', threshold: null },
      note: 'a\r\nb\u0007\u001b]0;x\u0007c',
    };
    expect(describeFiring(hostile, null)).toBe('Rapid crosses — gwei: reached · a bc');
    expect(describeFiring({ ...ALERT, note: 'n'.repeat(500) }, null).length).toBeLessThan(260);
  });

  it('count several firings and name each condition once', () => {
    const fast = { ...ALERT, gasSpeed: 'FAST', threshold: 60_000_000_000n, condition: 'GREATER_THAN' };
    expect(describeFirings([ALERT, ALERT, fast])).toBe(
      '3 alerts fired: Average below 0.04 gwei, Fast above 60 gwei',
    );
  });

  it('tell of the last day what fired and what nobody was told of', () => {
    const missed = { ...ALERT, missed: { count: 4, lastAt: AT - 3 * HOUR } };
    const old = { ...ALERT, lastTriggeredAt: AT - 25 * HOUR, missed: { count: 1, lastAt: AT - 25 * HOUR } };
    expect(describeEarlierFirings([ALERT, old], [ALERT, old], AT)).toBe(
      'In the last day 1 alert fired (40m ago)',
    );
    expect(describeEarlierFirings([], [missed, missed, old], AT)).toBe(
      'In the last day 2 alerts would have fired while nothing ran (3h ago)',
    );
    expect(describeEarlierFirings([old], [old], AT)).toBeNull();
  });
});
