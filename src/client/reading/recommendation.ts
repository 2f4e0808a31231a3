import { GAS_SPEEDS } from '../../contract/choices.ts';
import type { RecommendationView, WaitTrackView } from '../views/gas.ts';
import type { Answer } from './answer.ts';
import { Fields } from './fields.ts';
import { readCount, readText } from './values.ts';

const ACTIONS = ['SEND_NOW', 'WAIT', 'SET_ALERT'];
const ACTION_NAMES = ['action', 'recommendation', 'recommendedAction'] as const;

/** `GET /gas/recommendation`. Required: the action. */
export function readRecommendation(answer: Answer): RecommendationView {
  const fields = outermostWithAction(new Fields(answer, answer.record(ACTION_NAMES, 'action')));
  const confidence = fields.amount('confidence');
  return {
    action: fields.requiredWord(ACTIONS, ...ACTION_NAMES),
    lane: fields.word(GAS_SPEEDS, 'lane', 'gasSpeed'),
    targetPrice: fields.fee('targetPrice'),
    expectedWaitSec: fields.amount('expectedWaitSec'),
    deadlineSec: fields.amount('deadlineSec'),
    probability: fields.ratio('probability'),
    expectedSavingRatio: fields.number('expectedSavingRatio'),
    confidence: confidence !== null && confidence <= 100 ? confidence : null,
    reasons: readReasons(fields),
    alternatives: fields.children('alternatives').flatMap((row) => {
      const horizonSec = row.amount('horizonSec');
      const price = row.fee('price');
      if (horizonSec === null || price === null) return [];
      return [
        { horizonSec, price, probability: row.ratio('probability'), savingRatio: row.number('savingRatio') },
      ];
    }),
    track: readTrack(fields.child('track')),
    reach: readReach(fields.child('reach')),
    validUntil: fields.time('validUntil'),
    updatedAt: fields.time('updatedAt', 'timestamp'),
  };
}

/** `{ recommendation: { action } }` is as usual as `{ recommendation: "WAIT" }`. */
function outermostWithAction(fields: Fields): Fields {
  return fields.text('action') === null ? (fields.inside('recommendation') ?? fields) : fields;
}

function readReasons(fields: Fields): readonly string[] {
  const one = fields.text('reason', 'message');
  const many = fields.list('reasons').map(readText);
  return [...many, many.length === 0 ? one : null].filter((reason) => reason !== null);
}

function readTrack(fields: Fields | null): RecommendationView['track'] {
  const counted = readCounted(fields);
  return fields === null || counted === null
    ? null
    : {
        ...counted,
        from: fields.text('from'),
        unjudged: fields.count('unjudged'),
        waits: readCounted(fields.child('waits')),
      };
}

function readCounted(fields: Fields | null): WaitTrackView | null {
  const evaluated = fields?.count('evaluated') ?? null;
  return fields === null || evaluated === null
    ? null
    : {
        evaluated,
        hitRatio: fields.ratio('hitRatio'),
        statedProbability: fields.ratio('statedProbability'),
        since: fields.time('since'),
        versions: fields
          .list('versions')
          .map(readCount)
          .filter((version) => version !== null),
      };
}

function readReach(fields: Fields | null): RecommendationView['reach'] {
  return fields === null
    ? null
    : {
        targetPrice: fields.fee('targetPrice', 'target'),
        deadlineSec: fields.amount('deadlineSec'),
        probability: fields.ratio('probability'),
        reason: fields.text('reason', 'message'),
      };
}
