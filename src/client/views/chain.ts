import type * as z from 'zod';
import * as wire from '../../contract/chain.ts';
import type { BlobSchedule, ChainRules as Rules } from '../../core/chain-rules.ts';
import { lenient } from '../lenient.ts';

const { next, blobSchedule } = wire.ChainRules.shape;

const Schedule = lenient(blobSchedule.unwrap(), 'target', 'max', 'baseFeeUpdateFraction');
const Next = lenient(next.unwrap().extend({ blobSchedule: Schedule }), 'at');

/** `GET /chain/rules`. A value that is not known here reads as `unknown`, a source as `none`. */
export const ChainRules = lenient(
  wire.ChainRules.extend({ next: Next, blobSchedule: Schedule }),
  'rules',
).transform(
  ({ rules, source, next, blobSchedule }): Rules => ({
    rules: oneOf(wire.ChainRules.shape.rules.options, rules) ?? 'unknown',
    source: oneOf(wire.ChainRules.shape.source.options, source) ?? 'none',
    next: next && { ...next, kind: oneOf(KINDS, next.kind) ?? 'unknown' },
    blobSchedule: blobSchedule satisfies BlobSchedule | null,
  }),
);
export type ChainRulesView = z.infer<typeof ChainRules>;

const KINDS = next.unwrap().shape.kind.options;

const oneOf = <Value extends string>(values: readonly Value[], text: string | null): Value | undefined =>
  values.find((value) => value === text);
