import { expect, test } from 'vitest';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/fee-engine.ts';
import { gasRecommendation, type Present } from '../../src/service/answers/gas-answers.ts';
import type { EncodedAnswer } from '../../src/service/http/encoded-answer.ts';
import { RememberedAnswers } from '../../src/service/http/remembered-answers.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';

const RECOMMENDATION = BASE_PATH + PATHS.gasRecommendation;
const PLAIN = { encoding: undefined, noneMatch: undefined };

/** What is at hand. */
function at(answers: RememberedAnswers): EncodedAnswer | undefined {
  const answer = answers.find(RECOMMENDATION)?.();
  if (answer instanceof Promise) throw new Error('it is not at hand');
  return answer;
}

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
  const counted = { evaluated: 100, kept: 90, statedProbability: 0.9, since: 1, versions: [1] };
  const said = { ...counted, unjudged: 0, waits: counted };
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
    const answer = at(answers);
    expect(answer?.choose(PLAIN)).toMatchObject({ body: JSON.stringify(gasRecommendation(first)) });
    present = { ...first };
    expect(at(answers)).toBe(answer);
    present = { ...first, ...change };
    const next = at(answers);
    expect(next, Object.keys(change).join()).not.toBe(answer);
    expect(next?.choose(PLAIN)).toMatchObject({ body: JSON.stringify(gasRecommendation(present)) });
  }
  expect(gasRecommendation({ ...first, said })).not.toEqual(gasRecommendation(first));
});

test('what is made of more than the moment is not at hand, nor anything before the first block', () => {
  const present = presentAfter(makeBlocks(0, 399));
  expect(new RememberedAnswers({ moment: () => present }).find(BASE_PATH + PATHS.summary)).toBeNull();
  expect(new RememberedAnswers({ moment: () => null }).find(RECOMMENDATION)).toBeNull();
});
