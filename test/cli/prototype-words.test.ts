import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alertDetailsText, alertListLines } from '../../src/cli/text/alerts.ts';
import { clientOf } from '../client/answering.ts';
import { rounds } from '../helpers/rounds.ts';

/** Names that every object answers to. */
const NAMES = Object.getOwnPropertyNames(Object.prototype);
const OURS = /function|native code|\[object/i;

const word = fc.constantFrom(...NAMES, 'EMAIL', 'PENDING');
const anything = fc.oneof(word, fc.constantFrom(null, 1, true), fc.array(word, { maxLength: 2 }));

/** As JSON says it, where `__proto__` is a name like any other. */
function record(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

const alert = fc.record({
  status: word,
  gasSpeed: word,
  condition: word,
  method: word,
  channels: fc.array(word, { maxLength: 3 }),
  to: fc.constantFrom('a@b.example', null),
  targets: fc.array(fc.tuple(word, anything), { maxLength: 3 }),
  missed: anything,
  deliveryStatus: word,
});

describe('a word that every object has', () => {
  it('is a word like any other as channel, status, condition, method and delivery status', async () => {
    await fc.assert(
      fc.asyncProperty(alert, async ({ targets, deliveryStatus, ...said }) => {
        const text = record([
          ['id', 'a1'],
          ...Object.entries(said),
          ['deliveries', [{ id: 'd1', status: deliveryStatus, channel: said.method, attempts: [] }]],
        ]).replace(/\}$/, `,"targets":${record(targets)}}`);
        const view = await clientOf(text).alert('a1');
        const shown = [
          alertDetailsText(view, 0),
          ...alertListLines([view], 0, 80),
          JSON.stringify(Object.values(view.targets)),
        ].join('\n');
        expect(shown).not.toMatch(OURS);
        for (const channel of view.channels) expect(shown).toContain(channel.toLowerCase());
      }),
      { seed: 4, numRuns: rounds(500) },
    );
  });
});
