import { describe, expect, it } from 'vitest';
import { recordTexts } from '../../../src/tui/panes/live/advice.tsx';

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
