import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkAutoTxUpdate } from '../../../src/contract/auto-txs.ts';
import { SIGNED_LONGEST } from '../../../src/contract/choices.ts';
import { formOf, formProblems, typeIn } from '../../../src/tui/input/form.ts';
import {
  autoTxBodyOf,
  autoTxDraftOf,
  autoTxFields,
  expiresAt,
} from '../../../src/tui/panes/auto-txs/auto-tx-draft.ts';
import { SignedText } from '../../../src/tui/panes/auto-txs/pasted.ts';
import { SNAPSHOT } from '../fake-gas.ts';
import { WAITING } from './auto-tx-samples.ts';

const NOW = Date.UTC(2026, 0, 5, 12);

describe('what is pasted', () => {
  it('is in nothing that prints or copies an object', () => {
    const signed = new SignedText().with('0x02f86c').with('0107');
    expect(signed.read()).toBe('0x02f86c0107');
    const said = [
      inspect(signed, { depth: 9, showHidden: true }),
      JSON.stringify({ signed }),
      String(signed),
      JSON.stringify({ ...signed }),
      JSON.stringify(structuredClone(signed)),
    ];
    expect(said.join(' ')).not.toMatch(/02f8|0107/);
  });

  it('is not kept on where it is longer than any transaction', () => {
    let signed = new SignedText();
    for (let piece = 0; piece < 9; piece++) signed = signed.with('ab'.repeat(1_000_000));
    expect(signed.length).toBeGreaterThan(SIGNED_LONGEST);
    expect(signed.read().length).toBeLessThan(6_000_001);
  });
});

describe('the time an auto-tx may wait', () => {
  const DRAFT = autoTxDraftOf(null, SNAPSHOT);
  const expiryProblem = (typed: string) => {
    const draft = { ...DRAFT, expiresAt: typed };
    const checked = checkAutoTxUpdate(autoTxBodyOf(draft, NOW), NOW);
    return formProblems(autoTxFields(draft, '', null, NOW), checked).get('expiresAt');
  };

  it.each([
    ['none', null],
    ['Never', null],
    ['6h', NOW + 6 * 3_600_000],
    ['1d 12h', NOW + 36 * 3_600_000],
    ['2026-02-01T08:30Z', Date.UTC(2026, 1, 1, 8, 30)],
    ['2026-02-01 08:30', Date.UTC(2026, 1, 1, 8, 30)],
  ])('may be typed as %s', (text, at) => {
    expect(expiresAt(text, NOW)).toBe(at);
    expect(expiryProblem(text)).toBeUndefined();
  });

  it.each([
    ['', 'must be a time'],
    ['0', 'must be a time'],
    ['tomorrow', 'must be a time'],
    ['2026-13-01T00:00Z', 'must be a time'],
    ['2026-01-05T11:59Z', 'must be in the future'],
    ['367d', 'at most 366 days'],
  ])('is not %s', (text, words) => {
    expect(expiryProblem(text)).toContain(words);
  });

  it('is written as it can be typed, to the minute', () => {
    const minute = Date.UTC(2026, 1, 1, 8, 30);
    for (const at of [null, minute, minute + 7_001]) {
      const { expiresAt: expires } = autoTxDraftOf({ ...WAITING, expiresAt: at }, SNAPSHOT);
      expect(expires).toBe(at === null ? 'none' : '2026-02-01 08:30 UTC');
      expect(expiresAt(expires, 0)).toBe(at === null ? null : minute);
    }
  });

  it('goes round its presets, and to the first from anything else', () => {
    const fields = autoTxFields(DRAFT, '', null, NOW);
    const next = (expiresAt: string) => {
      const form = formOf({ ...DRAFT, expiresAt }, 'expiresAt', []);
      return fields.map((field) => typeIn(form, field, ' ').draft.expiresAt).find((to) => to !== expiresAt);
    };
    const round = ['none', '1h', '6h', '1d', '7d', 'none'];
    expect(round.slice(0, -1).map(next)).toEqual(round.slice(1));
    expect(next('2d')).toBe('none');
  });
});
