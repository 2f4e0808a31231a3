import { expect, it } from 'vitest';
import { NO_RULES } from '../../src/core/chain-rules.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import type { PublishedChain } from '../../src/service/published-chain.ts';
import { gasCurrent, gasRecommendation } from '../../src/service/responses/gas.ts';
import { makeBlocks } from '../core/support/made-blocks.ts';

const AT = Date.UTC(2026, 0, 5, 12);

function presentOf(chainId: number, spacingsSec: readonly number[]): PublishedChain {
  const profile = chainProfile(chainId);
  const engine = new FeeEngine({ feeRule: profile.feeRule });
  const blocks = makeBlocks(spacingsSec.map((spacingSec) => ({ gasUsedRatio: 0.5, spacingSec })));
  for (const block of blocks) engine.push(block);
  const advice = engine.advice();
  if (engine.head === null || advice === null) throw new Error('no block');
  return {
    profile,
    head: engine.head,
    advice,
    score: null,
    updatedAt: AT,
    status: { kind: 'live' },
    unsaved: null,
    isLoading: false,
    restartedAt: null,
    source: { kind: 'rpc', name: 'a node' },
    nativeUsd: null,
    rules: NO_RULES,
  };
}

it.each([
  ['an unknown chain with quick blocks', 999_999, new Array(20).fill(2), 2],
  ['an unknown chain with slow blocks', 999_999, new Array(20).fill(30), 30],
  ['a chain of which one block is known', 999_999, [2], 12],
  ['Ethereum with a missed slot', 1, [12, 12, 12, 24, ...new Array(20).fill(12)], 12],
  ['a chain for development that makes one every 2 s', 31_337, [2, 2, 2], 2],
  ['a chain for development that makes one now and then', 31_337, new Array(9).fill(3_600), 12],
])('says of %s how often it has something new', (_, chainId, spacingsSec, everySec) => {
  const present = presentOf(chainId, spacingsSec);
  expect(gasCurrent(present).updateFrequencySec).toBe(everySec);
  expect(Date.parse(gasRecommendation(present).validUntil)).toBe(AT + everySec * 1_000);
});
