import * as z from 'zod';
import * as wire from '../../contract/chain.ts';
import type { BlobSchedule, NextFork, ChainRules as Rules } from '../../core/chain-rules.ts';
import { DAY_SEC } from '../../core/time.ts';
import { formatCount, formatDuration, utcMinute } from '../../core/units.ts';
import { lenient } from '../lenient.ts';
import type { Fact } from './fact.ts';

const { next, blobSchedule, usualWork } = wire.ChainRules.shape;

const Schedule = lenient(blobSchedule.unwrap(), 'target', 'max', 'baseFeeUpdateFraction');
const UsualWork = lenient(usualWork.element, 'name', 'osaka', 'amsterdam');
const Next = lenient(next.unwrap().extend({ blobSchedule: Schedule }), 'at');

interface UsualWorkTable {
  /** Gas by each rules; empty: the service does not say. */
  readonly usualWork: readonly z.infer<typeof UsualWork>[];
}

/** `GET /chain/rules`. A value that is not known here reads as `unknown`, a source as `none`. */
export const ChainRulesView = lenient(
  wire.ChainRules.extend({ next: Next, blobSchedule: Schedule, usualWork: z.array(UsualWork) }),
  'rules',
).transform(({ rules, source, since, next, blobSchedule, usualWork }): Rules & UsualWorkTable => ({
  rules: oneOf(wire.ChainRules.shape.rules.options, rules) ?? 'unknown',
  source: oneOf(wire.ChainRules.shape.source.options, source) ?? 'none',
  since,
  next: next && { ...next, kind: oneOf(KINDS, next.kind) ?? 'unknown' },
  blobSchedule: blobSchedule satisfies BlobSchedule | null,
  usualWork,
}));
export type ChainRulesView = z.infer<typeof ChainRulesView>;

const KINDS = next.unwrap().shape.kind.options;

const oneOf = <Value extends string>(values: readonly Value[], text: string | null): Value | undefined =>
  values.find((value) => value === text);

const RULES_WORDS: Readonly<Record<Rules['rules'], string>> = {
  osaka: 'those of Osaka',
  amsterdam: 'those of Amsterdam',
  own: "the chain's own",
  unknown: 'not known here',
};
const SOURCE_WORDS: Readonly<Record<Rules['source'], string>> = {
  header: ', by the header of the newest block',
  eth_config: ', by eth_config of the node',
  none: '',
};
/** What changes, as the subject of a sentence. */
const CHANGES: Readonly<Record<NextFork['kind'], string>> = {
  amsterdam: 'Amsterdam',
  blobs: 'another number of blobs',
  unknown: 'rules that are not known here',
};

const blobWords = ({ target, max }: BlobSchedule) =>
  `${formatCount(target)} a block wanted, ${formatCount(max)} at most`;

const inWords = (at: number, now: number) => {
  const sec = at - now / 1_000;
  return sec > 0 ? `in ${formatDuration(sec)}` : 'with the next block';
};

/** The gas rules that hold, and the fork that comes. @param now ms since epoch */
export function describeRules(
  { rules, source, since, next, blobSchedule }: Rules,
  now: number,
): readonly Fact[] {
  const from = since === null || since === 0 ? '' : `, since ${utcMinute(since * 1_000)}`;
  const nextBlobs = next?.blobSchedule ?? null;
  return [
    ['gas rules', `${RULES_WORDS[rules]}${SOURCE_WORDS[source]}${from}`],
    [
      'next fork',
      next === null
        ? 'none is known: it is not scheduled, or the node does not say'
        : `${CHANGES[next.kind]} on ${utcMinute(next.at * 1_000)}, ${inWords(next.at, now)}`,
    ],
    ['blobs', blobSchedule && blobWords(blobSchedule)],
    [
      'blobs then',
      nextBlobs && JSON.stringify(nextBlobs) !== JSON.stringify(blobSchedule) ? blobWords(nextBlobs) : null,
    ],
  ];
}

const SHOWN_BEFORE_SEC = 14 * DAY_SEC;
const CHIPS: Readonly<Record<NextFork['kind'], string>> = {
  amsterdam: 'Amsterdam',
  blobs: 'blob fork',
  unknown: 'unknown fork',
};

/** `Amsterdam in 3d02h` from two weeks before a fork, `Amsterdam since 5h` until a day after it; else `null`. @param now ms */
export function forkChip({ rules, since, next }: Rules, now: number): string | null {
  const sec = now / 1_000;
  if (next !== null && next.at - sec <= SHOWN_BEFORE_SEC)
    return `${CHIPS[next.kind]} ${inWords(next.at, now)}`;
  const isNew = since !== null && sec >= since && sec - since <= DAY_SEC;
  return rules === 'amsterdam' && isNew ? `Amsterdam since ${formatDuration(sec - since)}` : null;
}
