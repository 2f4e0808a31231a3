import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alertHtml, alertText } from '../../../src/service/alerts/notifiers/message.ts';
import { hostileText } from '../../helpers/any-character.ts';
import { messageOf } from '../../helpers/fired-alert.ts';
import { rounds } from '../../helpers/rounds.ts';

describe('the words of a fired alert', () => {
  it('say what happened, where, and how often', () => {
    const message = messageOf('alr_1', {
      lane: 'slow',
      condition: 'GREATER_THAN',
      threshold: '30000000000',
      price: '1352000000000',
      chainName: 'Base',
      triggerCount: 1_204,
      note: 'stop the bot',
    });
    expect(alertText(message)).toEqual({
      subject: 'Base gas 1,352 gwei, above 30 gwei (Slow)',
      warning: null,
      paragraphs: [
        'Slow gas on Base is at 1,352 gwei, above 30 gwei.',
        'stop the bot',
        'Block 24,337,604, 2026-01-15 12:00:00 UTC\nAlert alr_1, has fired 1,204 times',
      ],
      plain: [
        'Slow gas on Base is at 1,352 gwei, above 30 gwei.',
        'stop the bot',
        'Block 24,337,604, 2026-01-15 12:00:00 UTC\nAlert alr_1, has fired 1,204 times',
      ].join('\n\n'),
    });
  });

  it.each([
    ['$0.40/swap', '1978337207', '1900000000', 'below $0.40/swap (1.98 gwei)'],
    ['p20/7d', '40000000', '39000000', 'below p20/7d (0.0400 gwei)'],
    ['2% of $35/swap', '5000000000', '1', 'below 2% of $35/swap (5.00 gwei)'],
  ])('say a rule as written, and the price that it stood for: %s', (rule, threshold, price, words) => {
    const { subject, plain } = alertText(messageOf('alr_1', { rule, threshold, price }));
    expect(subject).toContain(words);
    expect(plain).toContain(words);
  });

  it('have nothing in them that acts on a terminal or turns the reading, whatever the note', () => {
    fc.assert(
      fc.property(hostileText, (note) => {
        const { plain, subject } = alertText(messageOf('a', { note, chainName: note }));
        expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/);
        expect(plain).not.toMatch(/[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/);
        expect(plain.isWellFormed()).toBe(true);
        expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: rounds(1_000) },
    );
  });

  it('have no element in HTML that is not of the page itself, whatever the note', () => {
    const own = (html: string) =>
      html.match(/<[^>]*>/g)?.filter((tag) => !/^<(?:p dir="auto"|\/p|br)>$/.test(tag));
    const page = own(alertHtml(messageOf('a')));
    fc.assert(
      fc.property(hostileText, (note) => {
        expect(own(alertHtml(messageOf('a', { note })))).toEqual(page);
      }),
      { numRuns: rounds(500) },
    );
  });
});
