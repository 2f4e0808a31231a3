import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeResponse } from '../../src/client/doctor.ts';
import { type ClientRoute, ROUTES } from '../../src/client/routes.ts';
import { rounds } from '../helpers/rounds.ts';
import { HOST } from './answering.ts';
import * as own from './own-answers.ts';

const asText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

const SNAPSHOT = await ROUTES.gasCurrent.schemas();

function judgeSnapshot(body: unknown) {
  return judgeResponse(asText(body), { endpoint: '/gas/current', host: HOST }, SNAPSHOT);
}

function readingOf(judged: ReturnType<typeof judgeSnapshot>) {
  if (judged.reading === null) throw new Error(`nothing was read: ${judged.problem}`);
  return judged.reading;
}

describe('an answer of our own service', () => {
  it('of a newer release has more, which is named', () => {
    const newer = { ...own.OWN_SNAPSHOT, mood: 'calm', source: { ...own.OWN_SNAPSHOT.source, region: 'x' } };
    expect(judgeSnapshot(newer).reading).toMatchObject({
      match: 'extended',
      missing: [],
      unknown: ['source.region', 'mood'],
      unknownCount: 2,
      prices: 'contract',
    });
  });

  it('of an older release lacks a field, which is named, as is what is null and must not be', () => {
    const { gasUsedRatio, ...older } = own.OWN_SNAPSHOT;
    const reading = readingOf(judgeSnapshot({ ...older, updateFrequencySec: null, blobBasePrice: null }));
    expect(gasUsedRatio).toBe(0);
    expect(reading.match).toBe('tolerant');
    expect(reading.missing).toEqual(['gasUsedRatio', 'updateFrequencySec']);
    expect(reading.found).toContain('blobBasePrice');
  });
});

it('an answer of a service we do not run whose prices look like wei here and gwei there is told field by field', () => {
  const mixed = { lowPrice: 41_200_000, averagePrice: 50_700_000, highPrice: 62, basePrice: 39_000_000 };
  expect(judgeSnapshot(mixed).reading).toMatchObject({
    prices: 'mixed',
    guessed: { wei: ['lowPrice', 'averagePrice', 'basePrice'], gwei: ['highPrice'] },
  });
});

const names = [
  ...['data', 'items', 'lowPrice', 'lanes', 'slow', 'price', 'points', 'timestamp', 'id', '__proto__'],
];
const values = [...[null, true, -1, 0, 12.5, 41_200_000, 1e300, '', '0x10', '12 gwei', '\u001b[31m', 'WAIT']];
const answers = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(...values),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('value'), { maxKeys: 6 }),
  ),
})).value;

const READ_ROUTES = Object.values<ClientRoute<unknown>>(ROUTES).filter(({ method }) => method === 'get');
it.each(READ_ROUTES.map((route) => [route.path, route] as const))(
  'whatever a service answers to %s is judged without a failure, in clean words, and no field is both found and missing',
  async (path, route) => {
    const schemas = await route.schemas();
    fc.assert(
      fc.property(answers, (body) => {
        const text = JSON.stringify(body) ?? '';
        const { reading, problem } = judgeResponse(text, { endpoint: path, host: HOST }, schemas);
        expect(JSON.stringify([reading, problem])).not.toMatch(/\\u001b|\\u009b/);
        if (reading === null) return;
        const { found, missing, senseless } = reading;
        expect(new Set([...found, ...missing, ...senseless]).size).toBe(
          found.length + missing.length + senseless.length,
        );
      }),
      { numRuns: rounds(300), seed: 7 },
    );
  },
);
