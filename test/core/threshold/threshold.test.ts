import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WORK_WORDS } from '../../../src/contract/choices.ts';
import { ThresholdWire } from '../../../src/contract/threshold.ts';
import { NO_DATA_FEES, unknownDataFees } from '../../../src/core/data-fee.ts';
import { ruleFromWire, ruleToWire } from '../../../src/core/threshold/rule-wire.ts';
import {
  effectivePrice,
  isPricedByHistory,
  type PaidWork,
  parseThreshold,
  type RelativeThreshold,
  type Threshold,
  type ThresholdBasis,
  thresholdText,
} from '../../../src/core/threshold/threshold.ts';
import { usualBasis } from '../../../src/core/threshold/usual-basis.ts';
import { USUAL_ACTIONS } from '../../../src/core/usual-work.ts';
import { rounds } from '../../helpers/rounds.ts';

const always = <Given>(property: fc.IProperty<Given>) => fc.assert(property, { numRuns: rounds(5_000) });

const someWork: fc.Arbitrary<PaidWork> = fc.oneof(
  fc.constantFrom(...WORK_WORDS).map((action) => ({ action })),
  fc.integer({ min: 21_000, max: 1_000_000_000 }).map((gas) => ({ gas })),
);
const someUsd = fc.double({ min: 1e-9, max: 1_000_000, noNaN: true });
const someWindow = fc.integer({ min: 60, max: 43_200 }).map((minutes) => minutes * 60);
const someRule: fc.Arbitrary<RelativeThreshold> = fc.oneof(
  fc.record({ kind: fc.constant('usd' as const), usd: someUsd, work: someWork }),
  fc.record({
    kind: fc.constant('percentile' as const),
    percentile: fc.integer({ min: 1, max: 99 }),
    windowSec: someWindow,
  }),
  fc.record({
    kind: fc.constant('belowMedian' as const),
    ratio: fc.double({ min: 1e-6, max: 1, maxExcluded: true, noNaN: true }),
    windowSec: someWindow,
  }),
  fc.record({
    kind: fc.constant('share' as const),
    ratio: fc.double({ min: 1e-6, max: 1, noNaN: true }),
    ofUsd: someUsd,
    work: someWork,
  }),
);
const someThreshold: fc.Arbitrary<Threshold> = fc.oneof(
  { weight: 4, arbitrary: someRule },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('gwei' as const),
      price: fc.bigInt({ min: 1n, max: 10n ** 15n }),
    }),
  },
);

const DAY = 86_400;
const FORMS: readonly (readonly [text: string, threshold: Threshold])[] = [
  ['5', { kind: 'gwei', price: 5_000_000_000n }],
  ['0.04 Gwei', { kind: 'gwei', price: 40_000_000n }],
  ['$0.40/swap', { kind: 'usd', usd: 0.4, work: { action: 'swap' } }],
  ['$ .4 / SWAP', { kind: 'usd', usd: 0.4, work: { action: 'swap' } }],
  ['$1/ERC-20 transfer', { kind: 'usd', usd: 1, work: { action: 'transfer' } }],
  ['$2/200000', { kind: 'usd', usd: 2, work: { gas: 200_000 } }],
  ['$1,000 / 200,000 gas', { kind: 'usd', usd: 1_000, work: { gas: 200_000 } }],
  ['p20/7d', { kind: 'percentile', percentile: 20, windowSec: 7 * DAY }],
  ['P5 / 90m', { kind: 'percentile', percentile: 5, windowSec: 5_400 }],
  ['-25%/7d', { kind: 'belowMedian', ratio: 0.25, windowSec: 7 * DAY }],
  ['−2.5 % / 1w', { kind: 'belowMedian', ratio: 0.025, windowSec: 7 * DAY }],
  ['2% of $35/swap', { kind: 'share', ratio: 0.02, ofUsd: 35, work: { action: 'swap' } }],
  ['0.5%of$35/200000', { kind: 'share', ratio: 0.005, ofUsd: 35, work: { gas: 200_000 } }],
];

describe('a threshold as it is written', () => {
  it.each(FORMS)('%s is read', (text, threshold) => {
    expect(parseThreshold(text)).toEqual(threshold);
  });

  it('is printed so that it reads back as it was', () => {
    always(
      fc.property(someThreshold, (threshold) => {
        expect(parseThreshold(thresholdText(threshold))).toEqual(threshold);
      }),
    );
  });

  it('is printed as a person would write it', () => {
    const texts = ['5', '0.04', '$0.40/swap', '$2/200000', 'p20/7d', 'p5/90m', '-2.5%/30d', '2% of $35/swap'];
    expect(texts.map((text) => thresholdText(parseThreshold(text)))).toEqual(texts);
  });

  it.each([
    ['2%', '2% of what? write 2% of $35/swap'],
    ['2% of $35', '2% of $35 for what? write 2% of $35/swap'],
    ['2% of 35/swap', 'write 2% of $35/swap'],
    ['2% of my claim', '2% of how much? write 2% of $35/swap'],
    ['$0.40', '$0.40 for what? write $0.40/swap'],
    ['0.40$', '$0.40 for what? write $0.40/swap'],
    ['0.40$/swap', 'write $0.40/swap'],
    ['0.4 usd / swap', 'write $0.4/swap'],
    ['$0.40 per swap', 'write $0.40/swap'],
    ['$0.40/swp', 'did you mean swap?'],
    ['$0.40/bridge', '"bridge" is no usual work: write eth, approve, transfer, mint, swap, or so much gas'],
    ['$2/20', 'from 21,000 to 1,000,000,000'],
    ['$0/swap', 'above $0'],
    ['p20', 'p20 over how long? write p20/7d'],
    ['p0/7d', 'from 1 to 99'],
    ['p100/7d', 'from 1 to 99'],
    ['p20/7', '"7" is no window: write 6h, 7d or 90m'],
    ['p20/59m', 'from 1h to 30d'],
    ['p20/31d', 'from 1h to 30d'],
    ['-25%', '-25% over how long? write -25%/7d'],
    ['25%/7d', 'write -25%/7d'],
    ['-100%/7d', 'no price is 100 % below a median'],
    ['200% of $35/swap', 'at most 100 %'],
    ['-5', 'must be more than 0'],
    ['0', 'must be more than 0'],
    ['0.0000000001', 'at most 9 decimals'],
    ['1000001', 'at most 1,000,000 gwei'],
    ['cheap', '"cheap" is no threshold: write 5 (gwei), $0.40/swap, p20/7d, -25%/7d or 2% of $35/swap'],
    ['', 'is no threshold'],
  ])('refuses %j in one line that says what to write', (text, words) => {
    expect(() => parseThreshold(text)).toThrow(words);
  });

  it('refuses any other text in one short line', () => {
    always(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        try {
          parseThreshold(text);
        } catch (error) {
          expect(error).toMatchObject({ name: 'ThresholdError' });
          expect(String(error).length).toBeLessThan(250);
        }
      }),
    );
  });
});

describe('a threshold on the wire', () => {
  it('names the rows of Usual work', () => {
    expect(WORK_WORDS).toEqual(USUAL_ACTIONS.map(({ word }) => word));
  });

  it('comes back as it was', () => {
    always(
      fc.property(someRule, (rule) => {
        expect(ruleFromWire(ThresholdWire.parse(JSON.parse(JSON.stringify(ruleToWire(rule)))))).toEqual(rule);
      }),
    );
  });

  it('allows what can be written, and no more', () => {
    always(
      fc.property(someRule, fc.constantFrom(0.5, 2, 1e3, 1e7), (rule, factor) => {
        const wire = Object.entries(ruleToWire(rule)).map(([name, value]) =>
          typeof value === 'number' ? [name, value * factor] : [name, value],
        );
        const parsed = ThresholdWire.safeParse(Object.fromEntries(wire));
        const text = thresholdText(ruleFromWire(Object.fromEntries(wire)));
        if (parsed.success)
          expect(ruleToWire(parseThreshold(text) as RelativeThreshold)).toEqual(parsed.data);
        else expect(() => parseThreshold(text)).toThrow();
      }),
    );
  });

  it.each([
    [{ usd: 0.4 }],
    [{ usd: 0.4, action: 'bridge' }],
    [{ usd: 0.4, action: 'swap', gas: 21_000 }],
    [{ usd: -1, action: 'swap' }],
    [{ percentile: 20.5, windowSec: 21_600 }],
    [{ percentile: 20, windowSec: 60 }],
    [{ belowMedianRatio: 1, windowSec: 21_600 }],
    [{ shareRatio: 0.02, action: 'swap' }],
    ['$0.40/swap'],
  ])('refuses %j', (body) => {
    expect(ThresholdWire.safeParse(body).success).toBe(false);
  });
});

const WEI_PER_COIN = 10n ** 18n;
const basis = (parts: Partial<ThresholdBasis> = {}): ThresholdBasis => ({
  nativeUsd: 2_000,
  ...usualBasis('osaka', NO_DATA_FEES, 1n),
  pastPrice: () => ({ reason: 'only 5 h of 7 d are stored' }),
  ...parts,
});
const less = (text: string, parts?: Partial<ThresholdBasis>) =>
  effectivePrice(parseThreshold(text), 'LESS_THAN', basis(parts));

describe('the price that a threshold stands for', () => {
  const someCents = fc.integer({ min: 1, max: 1_000_000 });
  const someCoin = fc.integer({ min: 1, max: 10 ** 9 });
  const someFee = fc.bigInt({ min: 0n, max: 10n ** 16n });

  it('is the last wei at which the work costs no more, or the first at which it costs no less, L1 included', () => {
    always(
      fc.property(someCents, someCoin, someWork, someFee, (cents, coinCents, work, fee) => {
        const parts = { nativeUsd: coinCents / 100, dataFeeOf: () => fee };
        const gas = basis().gasOf(work) ?? 0;
        // Both sides in cents × 10^18, exactly.
        const costs = (price: bigint) => (price * BigInt(gas) + fee) * BigInt(coinCents);
        const limit = BigInt(cents) * WEI_PER_COIN;
        const rule: Threshold = { kind: 'usd', usd: cents / 100, work };
        const below = effectivePrice(rule, 'LESS_THAN', basis(parts));
        if ('price' in below) {
          expect(costs(below.price) <= limit).toBe(true);
          const isCapped = below.price === BigInt(Number.MAX_SAFE_INTEGER);
          if (!isCapped) expect(costs(below.price + 1n) > limit).toBe(true);
        } else expect(costs(1n) > limit).toBe(true);
        const above = effectivePrice(rule, 'GREATER_THAN', basis(parts));
        if ('price' in above) {
          expect(costs(above.price) >= limit).toBe(true);
          if (above.price > 0n) expect(costs(above.price - 1n) < limit).toBe(true);
        } else expect(above.reason).toContain('over 9,007,199 gwei');
      }),
    );
  });

  it('of a share is that of so many dollars', () => {
    always(
      fc.property(fc.integer({ min: 1, max: 100 }), someCents, someWork, (percent, cents, work) => {
        const usd = Number(((percent * cents) / 10_000).toFixed(4));
        const share: Threshold = { kind: 'share', ratio: percent / 100, ofUsd: cents / 100, work };
        expect(effectivePrice(share, 'LESS_THAN', basis())).toEqual(
          effectivePrice({ kind: 'usd', usd, work }, 'LESS_THAN', basis()),
        );
      }),
    );
  });

  it('follows the coin, the gas rules of the head and what L1 takes', () => {
    expect(less('$0.40/swap')).toEqual({ price: (2n * 10n ** 14n) / 101_095n });
    expect(less('$0.40/swap', { nativeUsd: 4_000 })).toEqual({ price: 10n ** 14n / 101_095n });
    expect(less('$0.40/swap', usualBasis('amsterdam', NO_DATA_FEES, 1n))).toEqual({
      price: (2n * 10n ** 14n) / 139_695n,
    });
    expect(less('$0.40/swap', { dataFeeOf: () => 10n ** 14n })).toEqual({ price: 10n ** 14n / 101_095n });
  });

  it('is a part of the past', () => {
    const pastPrice = (percentile: number) => ({ price: BigInt(percentile) * 1_001n });
    expect(less('p20/7d', { pastPrice })).toEqual({ price: 20_020n });
    expect(less('-25%/7d', { pastPrice })).toEqual({ price: 37_537n });
    expect(effectivePrice(parseThreshold('-25%/7d'), 'GREATER_THAN', basis({ pastPrice }))).toEqual({
      price: 37_538n,
    });
    expect(
      ['p20/7d', '-25%/7d', '$2/swap', '5'].map((text) => isPricedByHistory(parseThreshold(text))),
    ).toEqual([...[true, true, false, false]]);
  });

  it.each([
    ['$0.40/swap', { nativeUsd: null }, 'no dollar price of the coin'],
    ['$0.40/swap', { nativeUsd: null, nativeUsdReason: 'the dollar price is 26 h old' }, '26 h old'],
    ['$0.40/swap', { gasOf: () => null }, 'the gas of swap is unknown'],
    ['2% of $35/swap', usualBasis('osaka', unknownDataFees('no oracle'), 1n), 'the L1 data fee is unknown'],
    ['$2/200000', usualBasis('osaka', unknownDataFees('no oracle'), 1n), 'name an action'],
    ['$0.40/swap', { dataFeeOf: () => 10n ** 15n }, 'the L1 data fee alone costs as much'],
    ['$0.000000001/swap', { nativeUsd: 10_000_000 }, 'less than 1 wei'],
    ['p20/7d', {}, 'only 5 h of 7 d are stored'],
    ['-25%/7d', {}, 'only 5 h of 7 d are stored'],
  ])('of %s is unknown where %j, and says why', (text, parts, reason) => {
    expect(less(text, parts)).toEqual({ reason: expect.stringContaining(reason) });
  });
});
