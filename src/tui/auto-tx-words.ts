import type { AutoTxView } from '../client/views/auto-txs.ts';
import { AUTO_TX_STATUSES, type AutoTxStatus } from '../contract/choices.ts';
import { gweiString, UNKNOWN } from '../core/units.ts';
import { isOn, plainWord, titleWord } from './alert-words.ts';
import type { ColorName, GlyphName } from './theme.ts';

/** How an auto-tx stands, as people see it. */
export type AutoTxKind = Lowercase<AutoTxStatus> | 'held' | 'mined' | 'other';

/** The contract's word for a status, however a service writes it; `null`: the word is the service's own. */
export function statusOf({ status }: Pick<AutoTxView, 'status'>): AutoTxStatus | null {
  const upper = status?.toUpperCase();
  return AUTO_TX_STATUSES.find((each) => each === upper) ?? (isOn(status) ? 'PENDING' : null);
}

const KINDS: Readonly<Record<AutoTxStatus, Lowercase<AutoTxStatus>>> = {
  DRAFT: 'draft',
  PENDING: 'pending',
  DISABLED: 'disabled',
  SUBMITTED: 'submitted',
  EXECUTED: 'executed',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
  FAILED: 'failed',
};

function kindOf(autoTx: AutoTxView): AutoTxKind {
  const status = statusOf(autoTx);
  if (status === null) return 'other';
  if (status === 'PENDING' && autoTx.hold !== null) return 'held';
  return status === 'SUBMITTED' && autoTx.blockNumber !== null ? 'mined' : KINDS[status];
}

export interface AutoTxLook {
  readonly glyph: GlyphName;
  readonly word: string;
  readonly color?: ColorName;
}

const LOOKS: Readonly<Record<Exclude<AutoTxKind, 'other'>, AutoTxLook>> = {
  submitted: { glyph: 'into', word: 'submitted', color: 'accent' },
  mined: { glyph: 'into', word: 'mined', color: 'accent' },
  held: { glyph: 'warning', word: 'held', color: 'warn' },
  pending: { glyph: 'stale', word: 'waiting', color: 'accent' },
  disabled: { glyph: 'unknown', word: 'disabled' },
  draft: { glyph: 'bullet', word: 'draft' },
  executed: { glyph: 'live', word: 'executed', color: 'good' },
  cancelled: { glyph: 'unknown', word: 'cancelled' },
  expired: { glyph: 'unknown', word: 'expired' },
  failed: { glyph: 'warning', word: 'failed', color: 'bad' },
};

export function lookOf(autoTx: AutoTxView): AutoTxLook {
  const kind = kindOf(autoTx);
  if (kind !== 'other') return LOOKS[kind];
  return { glyph: 'bullet', word: autoTx.status === null ? 'not said' : plainWord(autoTx.status) };
}

/** Whether it is over: nothing becomes of it by itself any more. */
export function isOver(autoTx: AutoTxView): boolean {
  const status = statusOf(autoTx);
  return status === 'EXECUTED' || status === 'CANCELLED' || status === 'EXPIRED' || status === 'FAILED';
}

/** Whether it waits for its price or is on its way. */
export function isAwaited(autoTx: AutoTxView): boolean {
  const status = statusOf(autoTx);
  return status === 'PENDING' || status === 'SUBMITTED';
}

/** `Average ≤ 0.04 gwei`, `own price ≤ 0.04 gwei` */
export function targetText({ target, gasSpeed, isStrict }: AutoTxTarget): string {
  const price = isStrict === true ? 'own price' : gasSpeed === null ? 'price' : titleWord(gasSpeed);
  return `${price} ≤ ${target === null ? UNKNOWN : gweiString(target)} gwei`;
}

export type AutoTxTarget = Pick<AutoTxView, 'target' | 'gasSpeed' | 'isStrict'>;
