import type { AutoTxView } from '../client/views/auto-txs.ts';
import { chainProfile } from '../core/chains.ts';
import type { DescribedCall } from '../core/transactions/known-calls.ts';
import { formatAmount } from '../core/units.ts';
import { shortHex } from './panes/explorer/hex-text.ts';

export type AutoTxCall = Pick<AutoTxView, 'chainId' | 'to' | 'value' | 'data' | 'type'>;

/** The ticker of the chain's coin. */
export function symbolOf(chainId: number | null): string {
  return chainId === null ? 'ETH' : chainProfile(chainId).nativeSymbol;
}

/** An amount to send, exact where that is short: `0.01 ETH`. */
function amountText(wei: bigint, symbol: string): string {
  const [whole = '0', decimals = ''] = [wei / COIN, wei % COIN].map(String);
  const exact = decimals.padStart(18, '0').replace(/0+$/, '');
  if (exact.length > MOST_DECIMALS || whole.length > MOST_WHOLE) return formatAmount(wei, symbol);
  return `${whole}${exact === '' ? '' : `.${exact}`} ${symbol}`;
}

const COIN = 10n ** 18n;
const MOST_DECIMALS = 6;
const MOST_WHOLE = 3;

/** What is called: `transfer`. */
type CalledName = Pick<DescribedCall, 'name'>;

/** What a transaction does, in a few words: `0.01 ETH to 0x7099…79C8`, `transfer on 0xA0b8…eB48`. */
export function callText(call: AutoTxCall, called: CalledName | null = null): string {
  return call.type === 4 ? `${contentText(call, called)}, with a delegation` : contentText(call, called);
}

function contentText({ chainId, to, value, data }: AutoTxCall, called: CalledName | null): string {
  const worth = value === null || value === 0n ? null : amountText(value, symbolOf(chainId));
  if (to === null) {
    if (data === null || data === '0x') return worth ?? 'not said';
    return `make a contract${worth === null ? '' : ` with ${worth}`}`;
  }
  const where = shortHex(to, '…');
  if (data === '0x') return `${worth ?? amountText(0n, symbolOf(chainId))} to ${where}`;
  const method = called?.name ?? (data === null ? 'call' : data.slice(0, 10));
  return `${method} on ${where}${worth === null ? '' : ` with ${worth}`}`;
}
