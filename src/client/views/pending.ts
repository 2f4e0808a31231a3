import type * as z from 'zod';
import { Pending as PendingWire } from '../../contract/pending.ts';
import {
  exactGwei,
  formatCount,
  formatDuration,
  formatLikelihood,
  formatNative,
  gweiString,
} from '../../core/units.ts';
import { lenient } from '../lenient.ts';
import { counted, dollarsBehind, type Fact, type Money } from './fact.ts';

/** Why a pending transaction waits, and what frees it; prices in wei per gas as `bigint`. */
export const PendingView = lenient(PendingWire, 'reason');
export type PendingView = z.infer<typeof PendingView>;
export type ToSignView = NonNullable<PendingView['replacement']>;

/** For people: why it waits, how likely it is included as it is, and what to sign to free it. */
export function describePending(pending: PendingView, money: Money): readonly Fact[] {
  const { causes, before, replacement, cancellation, costReason } = pending;
  const [first, ...more] = causes.map(({ message }) => message);
  const pools = poolWords(pending);
  return [
    ['waits', first ?? pending.reason],
    ...more.map((message): Fact => ['', message]),
    ['as it is', chanceWords(pending)],
    ...before.flatMap(({ nonce, state, sign }): readonly Fact[] => {
      if (sign === null || nonce === null) return [];
      const what = state === 'missing' ? 'sign 0 to yourself' : 'sign it again';
      return [[`free ${nonce}`, `${what}: ${signWords(sign, money)}`]];
    }),
    ['replace', replacement && `sign it again: ${signWords(replacement, money)}`],
    ['cancel', cancellation && `sign 0 to yourself: ${signWords(cancellation, money)}`],
    ['pools take', pools],
    ['not in it', costReason],
  ];
}

/** `12 % in 10 m, 61 % in 1 h, ≥ 99 % in 24 h`, or why there is no figure. */
function chanceWords({ probabilities, probabilityReason }: PendingView): string | null {
  const said = probabilities.flatMap(({ withinSec, probability }) =>
    probability === null || withinSec === null
      ? []
      : [`${formatLikelihood(probability)} within ${formatDuration(withinSec)}`],
  );
  return said.length > 0 ? said.join(', ') : probabilityReason;
}

/** Everything that is signed, exact, then what it costs and who asks for it. */
function signWords(sign: ToSignView, { symbol, nativeUsd }: Money): string {
  const { nonce, type, gasLimit, blobCount, costWei, expectedCostWei, missingWei, rule } = sign;
  const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = sign;
  if (maxFeePerGas === null || maxPriorityFeePerGas === null) {
    return 'its fees are above 9,007,199 gwei, more than can be told';
  }
  const blobFee =
    maxFeePerBlobGas === null ? '' : `, max fee per blob gas ${exactGwei(maxFeePerBlobGas)} gwei`;
  const fees =
    (type ?? 2) < 2
      ? `gas price ${exactGwei(maxFeePerGas)} gwei`
      : `max fee ${exactGwei(maxFeePerGas)} gwei, max tip ${exactGwei(maxPriorityFeePerGas)} gwei${blobFee}`;
  const blobs = blobCount ? `, ${counted(blobCount, 'blob')}` : '';
  const parts = [
    `nonce ${nonce ?? 'unknown'}, ${fees}, gas limit ${formatCount(gasLimit ?? 0)}${blobs}`,
    ...(costWei === null
      ? []
      : [`at most ${formatNative(costWei, symbol)}${dollarsBehind(costWei, nativeUsd)}`]),
    ...(expectedCostWei === null ? [] : [`about ${formatNative(expectedCostWei, symbol)} now`]),
    ...(missingWei ? [`the balance lacks ${formatNative(missingWei, symbol)}`] : []),
    ...(rule === null ? [] : [`for ${rule}`]),
  ];
  return parts.join('; ');
}

/** The least max fee and tip of each client; `null` where none is asked. */
function poolWords({ pools }: PendingView): string | null {
  const said = pools.flatMap(({ client, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas }) => {
    if (client === null || maxFeePerGas === null || maxPriorityFeePerGas === null) return [];
    const blob = maxFeePerBlobGas === null ? '' : ` / ${gweiString(maxFeePerBlobGas)}`;
    return [`${client} ${gweiString(maxFeePerGas)} / ${gweiString(maxPriorityFeePerGas)}${blob}`];
  });
  return said.length === 0 ? null : `${said.join(', ')} gwei (max fee / tip)`;
}
