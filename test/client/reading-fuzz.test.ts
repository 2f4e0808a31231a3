import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientError } from '../../src/client/errors.ts';
import type { GasClient } from '../../src/client/gas-client.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { rounds } from '../helpers/rounds.ts';
import { clientOf, fixture } from './answering.ts';
import * as own from './own-answers.ts';

const CALLS: readonly ((client: GasClient) => Promise<unknown>)[] = [
  (client) => client.gasCurrent(),
  (client) => client.gasTrend(),
  (client) => client.gasRecommendation(),
  (client) => client.statsChart('24h'),
  (client) => client.statsMarket('24h'),
  (client) => client.baseFee(),
  (client) => client.priorityFee(),
  (client) => client.gasUsedRatio(),
  (client) => client.alerts(),
  (client) => client.alert('a'),
  (client) => client.alertSavings('a'),
  (client) => client.createAlert(own.WANTED),
  (client) => client.setAlertStatus('a', 'DISABLED'),
  (client) => client.deleteAlert('a'),
  (client) => client.autoTxs(),
  (client) => client.autoTx('1'),
  (client) => client.autoTxAccount(`0x${'ab'.repeat(20)}`),
  (client) => client.updateAutoTx('1', {}),
  (client) => client.createAutoTx({ targetGasPriceGwei: 1 }),
  (client) => client.deleteAutoTx('1'),
];

const MAY_BE_NEGATIVE =
  /(changeRatio|savingRatio|nativeUsdChangeRatio|expectedSavingRatio|savedWei|savedUsd)$/i;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function expectSound(value: unknown, path: string): void {
  if (typeof value === 'number') {
    const sound = Number.isFinite(value) && (value >= 0 || MAY_BE_NEGATIVE.test(path));
    if (!sound) throw new Error(`${path} is ${value}`);
  } else if (typeof value === 'bigint') {
    if (value < 0n && !MAY_BE_NEGATIVE.test(path)) throw new Error(`${path} is ${value}`);
  } else if (typeof value === 'string') {
    if (UNSEEN.test(value)) throw new Error(`${path} is ${JSON.stringify(value)}`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) expectSound(child, `${path}.${key}`);
  }
}

async function expectSoundReading(text: string): Promise<void> {
  const client = clientOf(text);
  const raw = await client.raw('/gas/current');
  expectSound(raw.replaceAll(/[\n\t]/g, ''), 'raw');
  for (const call of CALLS) {
    try {
      expectSound(await call(client), 'view');
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      expectSound([error.message, error.raw, error.field, error.endpoint, error.details], 'error');
      if (error.message.length > 700) throw new Error('an error message is one line, not a page');
    }
  }
}

const nastyValue = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom('1e999', '-1', 'NaN', '0x', '\x1b[2J', '\u202e', '', '1e-400', '9'.repeat(70), '__proto__'),
  fc.constantFrom<unknown>(null, true, [], {}, [[]], [null], [[{}]], { data: [] }, { error: 'x\x07' }),
  fc.string({ unit: anyCharacter }),
  fc.jsonValue({ maxDepth: 3 }),
);

const KNOWN_NAMES = [
  'lowPrice averagePrice highPrice basePrice base average lanes slow price direction action recommendation',
  'points data result items content heatmap timestamp value mean error message errorCode source name page',
  'total reasons id alert threshold thresholdGwei channels targets method to note missed status events',
  'savedWei best entries deliveries attempts cooldownMs meta actions gas now min max changeRatio __proto__',
  'targetGasPriceGwei checks timeline failure hold savings tx receipt autoTx nonce type waiting expiresAt',
  'constructor toString',
].flatMap((line) => line.split(' '));
const shapedAnswer = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, nastyValue, tie('record'), fc.array(tie('record'), { maxLength: 3 })),
  record: fc.dictionary(fc.oneof(fc.constantFrom(...KNOWN_NAMES), fc.string()), tie('value'), { maxKeys: 8 }),
})).value;

const GOOD: readonly unknown[] = [
  ...[own.OWN_SNAPSHOT, own.OWN_TREND, own.OWN_RECOMMENDATION, own.OWN_CHART, own.OWN_MARKET],
  ...[own.OWN_ALERTS, own.OWN_ALERT_DETAILS, own.OWN_SAVINGS],
  ...[own.OWN_BASE_FEE, own.OWN_PRIORITY_FEE, own.OWN_GAS_USED_RATIO],
  ...['hosted-snapshot-gwei', 'enveloped-snapshot', 'trend-own-words', 'chart-holes', 'metrics-paged'].map(
    (name): unknown => JSON.parse(fixture(`${name}.json`)),
  ),
];

function places(value: unknown, path: readonly string[] = []): string[][] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .slice(0, 12)
          .flatMap(([key, child]) => places(child, [...path, key]))
      : [];
  return [[...path], ...below];
}

function replaced(value: unknown, path: readonly string[], by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((child: unknown, index) => (String(index) === key ? replaced(child, rest, by) : child));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, child]) => {
      if (name !== key) return [[name, child]];
      const next = replaced(child, rest, by);
      return next === undefined ? [] : [[name, next]];
    }),
  );
}

describe('whatever a service answers, it is read soundly or refused cleanly', () => {
  it('when it is any text', async () => {
    await fc.assert(fc.asyncProperty(fc.string({ unit: anyCharacter }), expectSoundReading), {
      numRuns: rounds(80),
    });
  });

  it('when it is JSON of any shape with the names of the contract', async () => {
    await fc.assert(
      fc.asyncProperty(shapedAnswer, (body) => expectSoundReading(JSON.stringify(body) ?? '')),
      { numRuns: rounds(80) },
    );
  });

  it('when one value of a good answer is gone or replaced by something nasty', async () => {
    const spoilt = fc
      .constantFrom(...GOOD)
      .chain((good) =>
        fc.tuple(
          fc.constant(good),
          fc.constantFrom(...places(good)),
          fc.option(nastyValue, { nil: undefined }),
        ),
      )
      .map(([good, path, by]) => JSON.stringify(replaced(good, path, by)) ?? '');
    await fc.assert(fc.asyncProperty(spoilt, expectSoundReading), { numRuns: rounds(80) });
  });

  it('when it breaks off anywhere', async () => {
    const text = JSON.stringify(own.OWN_SNAPSHOT);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), (end) => expectSoundReading(text.slice(0, end))),
      { numRuns: rounds(100) },
    );
  });

  it('when it is nested without end', async () => {
    await expectSoundReading('['.repeat(rounds(100_000)) + ']'.repeat(rounds(100_000)));
    await expectSoundReading(`${'{"data":'.repeat(5_000)}1${'}'.repeat(5_000)}`);
    expect.assertions(0);
  });
});
