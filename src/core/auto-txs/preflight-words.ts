import type { LaneName } from '../advice.ts';
import { priceBeside } from '../alerts/price-beside.ts';
import { chainProfile } from '../chains.ts';
import { formatAmount, formatUsd, gweiString, usdOf } from '../units.ts';
import type { PreflightFacts } from './preflight-facts.ts';
import { type Bid, capOf } from './target.ts';

/** What somebody chose, exactly: `30 gwei`. */
export const gwei = (wei: bigint) => `${gweiString(wei)} gwei`;

/** A price beside what somebody chose: three digits, or as many as tell the two apart. */
export const gweiBeside = (wei: bigint, chosen: bigint) => `${priceBeside(wei, chosen)} gwei`;

/** What limits it: `cap of 30 gwei`, `gas price of 30 gwei`. */
export const capWords = (bid: Bid) => `${capName(bid)} of ${gwei(capOf(bid))}`;

export const capName = ({ maxFeePerGas }: Bid) => (maxFeePerGas === null ? 'gas price' : 'cap');

/** `0.00105 ETH ($3.20)`; without dollars where nobody knows them. */
export function amountWords(
  wei: bigint,
  { nativeSymbol, nativeUsd }: Pick<PreflightFacts, 'nativeSymbol' | 'nativeUsd'>,
): string {
  const native = formatAmount(wei, nativeSymbol);
  return nativeUsd === null ? native : `${native} (${formatUsd(usdOf(wei, nativeUsd))})`;
}

const LANE_WORDS: Readonly<Record<LaneName, string>> = { slow: 'Slow', average: 'Average', fast: 'Fast' };

export const laneWords = (lane: LaneName) => LANE_WORDS[lane];

/** `Ethereum (chain 1)`, `chain 4711`. */
export function chainWords(id: number, name = chainProfile(id).name): string {
  const numbered = `chain ${id}`;
  return name === numbered ? name : `${name} (${numbered})`;
}

/** `5`, `5 and 6`, `5, 6 and 9 to 12`. */
export function listWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
