import { expect, test } from 'vitest';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/fee-engine.ts';
import { gasRecommendation, type Present } from '../../src/service/answers/gas-answers.ts';
import { EncodedAnswer } from '../../src/service/http/encoded-answer.ts';
import { RememberedAnswers } from '../../src/service/http/remembered-answers.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';

const RECOMMENDATION = BASE_PATH + PATHS.gasRecommendation;

function presentAfter(blocks: ReturnType<typeof makeBlocks>): Present {
  const profile = chainProfile(1);
  const engine = new FeeEngine({ feeRule: profile.feeRule });
  for (const block of blocks) engine.push(block);
  const advice = engine.advice();
  const head = blocks.at(-1);
  if (advice === null || head === undefined) throw new Error('too few blocks to advise');
  return {
    profile,
    head,
    advice,
    said: null,
    updatedAt: head.timestamp * 1_000,
    stale: false,
    ended: false,
    problem: null,
    source: { kind: 'rpc', name: 'node' },
    nativeUsd: null,
  };
}

test('an answer is given again until something that it shows has changed', () => {
  const first = presentAfter(makeBlocks(0, 399));
  const said = { evaluated: 100, kept: 90, statedProbability: 0.9, since: 1, versions: [1], unjudged: 0 };
  const changes: readonly Partial<Present>[] = [
    { head: { ...first.head } },
    { said },
    { updatedAt: first.updatedAt + 1 },
    { stale: true },
    { ended: true },
    { problem: { message: 'no new block', retryAt: null } },
    { problem: { message: 'no new block', retryAt: 5 } },
    { source: { kind: 'rpc', name: 'another' } },
    { nativeUsd: 2_000 },
  ];
  for (const change of changes) {
    let present = first;
    const answers = new RememberedAnswers({ moment: () => present });
    const answer = new EncodedAnswer(JSON.stringify(gasRecommendation(present)));
    answers.keep(RECOMMENDATION, present, answer);
    present = { ...first };
    expect(answers.find(RECOMMENDATION)).toBe(answer);
    present = { ...first, ...change };
    expect(answers.find(RECOMMENDATION), Object.keys(change).join()).toBeNull();
    // What was made of the moment before is not kept for the present one.
    answers.keep(RECOMMENDATION, first, answer);
    expect(answers.find(RECOMMENDATION), Object.keys(change).join()).toBeNull();
  }
  expect(gasRecommendation({ ...first, said })).not.toEqual(gasRecommendation(first));
});
