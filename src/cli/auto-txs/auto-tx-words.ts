import type { AutoTxView } from '../../client/views/auto-txs.ts';
import { chanceOf, distanceToTarget } from '../../client/views/describe-auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { chainProfile } from '../../core/chains.ts';
import { formatAmount, formatChange, formatLikelihood, gweiString } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';

/** `average <= 5 gwei`, `own price <= 5 gwei` where the target is strict. */
export function targetWords({ target, gasSpeed, isStrict }: AutoTxView): string {
  const price =
    isStrict === true ? 'own price' : gasSpeed === null ? 'price' : cleanLine(gasSpeed).toLowerCase();
  return `${price} <= ${target === null ? '?' : gweiString(target)} gwei`;
}

/** `pending`, `held`, or a service's own word. */
export function autoTxStateWords({ status, hold }: AutoTxView): string {
  if (status === 'PENDING' && hold !== null) return 'held';
  return status === null ? '-' : cleanLine(status).toLowerCase();
}

/**
 * `send 0.01 ETH to 0x7099…79C8`, as far as the service says.
 * @param callName of a well-known function that it calls.
 */
export function doesWords({ to, value, data, chainId }: AutoTxView, callName: string | null = null): string {
  const symbol = chainId === null ? 'coins' : chainProfile(chainId).nativeSymbol;
  const worth = value === null || value === 0n ? null : formatAmount(value, symbol);
  const plain = data === null || data === '0x';
  if (to === null) return plain ? (worth === null ? '-' : `send ${worth}`) : 'make a contract';
  const whom = `${to.slice(0, 6)}…${to.slice(-4)}`;
  if (data === '0x') return `send ${worth ?? '0'} to ${whom}`;
  if (data === null) return worth === null ? `call ${whom}` : `${worth} to ${whom}`;
  return `call ${callName ?? data.slice(0, 10)} of ${whom}${worth === null ? '' : ` with ${worth}`}`;
}

/** How far the price has to fall: `-12 %`, `reached`; `-` where that is not known or does not matter. */
export function distanceWords(autoTx: AutoTxView, snapshot: SnapshotView | null): string {
  if (autoTx.status !== 'PENDING' || snapshot === null) return '-';
  const distance = distanceToTarget(autoTx, snapshot);
  if (distance === null) return '-';
  return distance.isThere ? (distance.isCapped ? 'cap too low' : 'reached') : formatChange(distance.ratio, 0);
}

export function likelyWords(autoTx: AutoTxView): string {
  const chance = chanceOf(autoTx);
  return chance === null ? '-' : formatLikelihood(chance);
}
