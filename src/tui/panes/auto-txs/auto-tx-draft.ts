import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { gweiString } from '../../../core/units.ts';
import { cheaperThan } from '../../alert-prefill.ts';
import { EXPIRY_DEFAULT, expiryText } from './expiry-text.ts';

/** When an auto-tx is to be sent, as it is typed. */
export interface AutoTxDraft {
  /** Gwei. */
  readonly target: string;
  readonly gasSpeed: string;
  readonly isStrict: boolean;
  readonly expires: string;
  readonly note: string;
}

/** It waits for what the slow lane costs now: that comes by often, and saves something. */
export function newAutoTxDraft({ lanes }: SnapshotView): AutoTxDraft {
  return {
    target: cheaperThan(lanes.slow.price).threshold,
    gasSpeed: 'AVERAGE',
    isStrict: false,
    expires: EXPIRY_DEFAULT,
    note: '',
  };
}

/** What stands in the form of one that is changed. */
export function draftOf(autoTx: AutoTxView): AutoTxDraft {
  return {
    target: autoTx.target === null ? '' : gweiString(autoTx.target),
    gasSpeed: autoTx.gasSpeed ?? 'AVERAGE',
    isStrict: autoTx.isStrict ?? false,
    expires: expiryText(autoTx.expiresAt),
    note: autoTx.note ?? '',
  };
}
