import { render } from 'ink-testing-library';
import { describe, expect, it } from 'vitest';
import { snapshotText } from '../../src/cli/commands/now.ts';
import { RecommendationView, TrendView } from '../../src/client/views/advice.ts';
import { Snapshot } from '../../src/client/views/gas.ts';
import { advisedWait, describeLikely } from '../../src/client/views/gas-texts.ts';
import { LANES } from '../../src/core/advice.ts';
import type { Block } from '../../src/core/block.ts';
import { NO_RULES } from '../../src/core/chain-rules.ts';
import type { ChainStatus } from '../../src/core/chain-status.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { formatDuration, formatGwei, formatPercent } from '../../src/core/units.ts';
import type { PublishedChain } from '../../src/service/published-chain.ts';
import { gasCurrent, gasRecommendation, gasTrend } from '../../src/service/responses/gas.ts';
import type { AdviceScore } from '../../src/store/advice-track.ts';
import { PricesScreen } from '../../src/tui/panes/live/live-pane.tsx';
import { recordLines } from '../../src/tui/panes/service/service-pane.tsx';
import { recordedBlocks } from '../core/support/recorded-blocks.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { inRoom } from './sized-screen.tsx';

const ETHEREUM = chainProfile(1);
const BLOCKS = recordedBlocks();
/** Every block's figures are compared, and of each so many blocks the screens that are drawn of it. */
const DRAWN = isSlowRun ? 1 : 10;
const LAST = isSlowRun ? 1_500 : 1_250;

const since = { versions: [4], since: 1_729_000_000 };
const GIVEN: AdviceScore = {
  ...since,
  ...{ evaluated: 64, kept: 61, statedProbability: 0.94, unjudged: 0 },
  savingRatio: 0.04,
  waits: { ...since, evaluated: 12, kept: 11, statedProbability: 0.9, savingRatio: 0.2 },
  sends: { ...since, evaluated: 52, kept: 50, statedProbability: 0.95, savingRatio: 0 },
};

const STALE: ChainStatus = { kind: 'stale', reason: 'no node answers', retryAt: 0 };

function placesOf(engine: FeeEngine, more: Partial<PublishedChain> = {}) {
  const [head, advice] = [engine.head, engine.advice()];
  if (head === null || advice === null) throw new Error('no block');
  const now = head.timestamp * 1_000;
  const present: PublishedChain = {
    profile: ETHEREUM,
    head,
    advice,
    score: null,
    updatedAt: now,
    ...{ status: { kind: 'live' }, unsaved: null, isLoading: false, restartedAt: null },
    source: { kind: 'replay', name: 'blocks.csv' },
    nativeUsd: null,
    rules: NO_RULES,
    ...more,
  };
  const recommendation = RecommendationView.parse(gasRecommendation(present));
  const snapshot = Snapshot.parse(gasCurrent(present));
  const draw = () => {
    const view = {
      snapshot,
      status: present.status,
      trend: TrendView.parse(gasTrend(present)),
      recommendation,
      adviceAge: present.status.kind === 'stale' ? '58s ago' : null,
      hour: undefined,
      market: undefined,
      symbol: 'ETH',
      missing: [],
    };
    const app = render(inRoom(110, 40, <PricesScreen view={view} />));
    const live = app.lastFrame() ?? '';
    app.unmount();
    return {
      live,
      now: snapshotText(snapshot, recommendation, now),
      service: recordOf(present.status, recommendation, now),
    };
  };
  return { recommendation, snapshot, draw };
}

function recordOf(status: ChainStatus, data: RecommendationView, now: number): string {
  const recommendation = {
    data,
    at: now,
    error: null,
    retryAt: null,
    pending: false,
    isFilling: false,
    refresh: async () => {},
  };
  return recordLines({ status, recommendation, width: 110, now, isPast: false })
    .map((line) => line.map(({ text }) => text).join(''))
    .join('\n');
}

function stated(text: string) {
  const [headline = ''] = /^ ?(WAIT up to|SET ALERT up to|SEND NOW at) .*$/m.exec(text) ?? [];
  return {
    headline: /((?:WAIT|SET ALERT) up to \S+ for|SEND NOW at) \S+ gwei/.exec(headline)?.[0],
    likely: /((?:over |under |≤ )?\d+ %) likely/.exec(headline)?.[1],
    saves: /saves (−?\d+ %)/.exec(headline)?.[1],
    record: /(?:waits|sends)(?: on stored blocks|): (?:given )?\d+, kept \d+/.exec(text)?.[0],
  };
}

/** The cells of a row, apart by two blanks or a border at least. */
const cells = (text: string, row: RegExp) =>
  text
    .split('\n')
    .find((line) => row.test(line))
    ?.split(/ {2,}|│/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');

function expectSilent(text: string) {
  expect(text).not.toMatch(/\d % likely|saves|given \d|on stored|kept \d|WAIT|SEND NOW/);
  for (const lane of LANES) expect(cells(text, laneRow(lane))?.join('  ') ?? '').not.toContain('%');
}

const laneRow = (lane: string) => new RegExp(`^[ │]*${lane} `, 'i');

it('recorded blocks have one figure for one thing on Live, in now and on the Service pane', () => {
  const engine = new FeeEngine({ feeRule: ETHEREUM.feeRule });
  const drawn = new Set<string>();
  const recorded = new Set<boolean>();
  let changes = 0;
  let before = '';
  for (const [index, block] of BLOCKS.slice(0, LAST).entries()) {
    engine.push(block);
    if (index < 1_000) continue;
    const { recommendation, snapshot, draw } = placesOf(engine, { score: index % 20 === 0 ? GIVEN : null });
    const { action, alternatives, deadlineSec, track } = recommendation;
    expect(alternatives.filter(({ probability }) => probability !== null).length).toBeGreaterThan(0);
    if (action !== 'SEND_NOW') {
      const { targetPrice: price, probability, expectedSavingRatio: savingRatio } = recommendation;
      const chosen = alternatives.find(({ horizonSec }) => horizonSec === deadlineSec);
      expect(chosen).toMatchObject({ price, probability, savingRatio });
    }
    for (const { horizonSec, price, probability } of alternatives) {
      if (price !== null) expect(engine.reachProbability(price, horizonSec).probability).toBe(probability);
    }
    expect(track).toMatchObject(index % 20 === 0 ? { basis: 'given', evaluated: 64 } : { basis: 'walked' });
    if (action !== before) changes += 1;
    before = action ?? 'none';
    if (index % DRAWN !== 0) continue;

    drawn.add(action ?? 'none');
    const { live, now, service } = draw();
    const price = formatGwei(recommendation.targetPrice ?? 0n);
    const isWait = action !== 'SEND_NOW';
    const wait = formatDuration(deadlineSec ?? 0);
    const isRecorded = track?.[isWait ? 'waits' : 'sends']?.hitRatio !== null;
    if (isRecorded) recorded.add(isWait);
    expect(stated(live)).toEqual({
      headline: isWait
        ? `${action?.replace('_', ' ')} up to ${wait} for ${price} gwei`
        : `SEND NOW at ${price} gwei`,
      likely: describeLikely(advisedWait(recommendation) ?? { ...recommendation, isCeiling: null }),
      saves: isWait ? formatPercent(recommendation.expectedSavingRatio ?? 0) : undefined,
      record: isRecorded ? expect.any(String) : undefined,
    });
    expect(stated(now)).toEqual(stated(live));
    if (isRecorded) expect(service).toContain(stated(live).record);
    for (const lane of LANES) {
      const expected = [
        formatGwei(snapshot.lanes[lane].price),
        formatGwei(snapshot.lanes[lane].maxFeePerGas ?? 0n),
        formatGwei(snapshot.lanes[lane].maxPriorityFeePerGas ?? 0n),
      ];
      const row = laneRow(lane);
      expect([cells(live, row)?.slice(1, 4), cells(now, row)?.slice(1, 4)]).toEqual([expected, expected]);
    }
    if (!isWait) continue;
    for (const text of [live, now]) {
      const column = cells(text, /if you can wait/)?.indexOf(`[${wait}]`) ?? -1;
      const inTable = [/^ *price /, /^ *likely /, /^ *saves /].map((row) => cells(text, row)?.[column]);
      expect(inTable).toEqual([price, stated(live).likely, stated(live).saves]);
    }
  }
  expect([...drawn].sort()).toEqual(['SEND_NOW', 'WAIT']);
  expect([...recorded]).toContain(true);
  // What was best stays for three blocks while it is worthwhile: no flickering about a limit.
  expect(changes).toBeLessThan((LAST - 1_000) / 5);
});

describe('nothing is stated', () => {
  const engineAt = (blocks: readonly Block[]) => {
    const engine = new FeeEngine({ feeRule: ETHEREUM.feeRule });
    for (const block of blocks) engine.push(block);
    return engine;
  };

  it('of an action, a price, a likelihood, a saving or a record before it is measured', () => {
    const { recommendation, draw } = placesOf(engineAt(BLOCKS.slice(0, 60)));
    expect(recommendation.action).toBeNull();
    for (const each of recommendation.alternatives) {
      expect(each).toMatchObject({ price: null, probability: null, savingRatio: null });
    }
    const { live, now, service } = draw();
    for (const text of [live, now, service]) expectSilent(text);
    expect(live).toMatch(/^ NO ADVICE YET *\n • too little history, \S+ of the 25m that it takes/m);
    const loading = placesOf(engineAt(BLOCKS.slice(0, 60)), { isLoading: true }).draw();
    expect(loading.live).toMatch(/^ NO ADVICE YET *\n • history is loading, prices are provisional *$/m);
    expect(now).toMatch(/^no advice yet: too little history, \S+ of the 25m that it takes$/m);
  });

  it('of a record before enough are judged', () => {
    const { recommendation, draw } = placesOf(engineAt(BLOCKS.slice(0, 130)));
    expect(recommendation.track).toMatchObject({ hitRatio: null, statedProbability: null });
    expect(recommendation.track?.evaluated).toBeGreaterThan(0);
    for (const text of Object.values(draw())) expect(stated(text).record).toBeUndefined();
  });

  it('on blocks whose tips are not known, the tip neither', () => {
    const engine = engineAt(BLOCKS.slice(0, 1_300).map((block) => ({ ...block, tips: null })));
    const { recommendation, snapshot, draw } = placesOf(engine);
    expect(recommendation.track).toMatchObject({ hitRatio: null, statedProbability: null });
    for (const lane of LANES) {
      expect(snapshot.lanes[lane]).toMatchObject({ maxPriorityFeePerGas: null, probability: null });
      // The base fee alone, or the cap where that is lower: nothing above it that no tip explains.
      expect(snapshot.lanes[lane].price).toBeLessThanOrEqual(snapshot.nextBaseFee ?? 0n);
    }
    const { live, now, service } = draw();
    for (const text of [live, now, service]) expectSilent(text);
    expect(live).toMatch(/base only.*max fee/);
    expect(live).not.toContain('half, 95 % in');
    expect(now).toMatch(/base only.*max fee/);
  });

  it('of advice that is stale', () => {
    const { live, now, service } = placesOf(engineAt(BLOCKS.slice(0, 1_241)), { status: STALE }).draw();
    for (const text of [live, now]) {
      expectSilent(text);
      expect(text).toContain('no longer valid');
    }
    expectSilent(service);
  });
});
