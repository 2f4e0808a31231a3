import type { AutoTxView } from '../client/views/auto-txs.ts';
import { chainProfile } from '../core/chains.ts';
import { formatNative } from '../core/units.ts';
import { shortHex } from './panes/explorer/hex-text.ts';

export type AutoTxCall = Pick<AutoTxView, 'chainId' | 'to' | 'value' | 'data' | 'type'>;

/** The ticker of the chain's coin. */
export function symbolOf(chainId: number | null): string {
  return chainId === null ? 'ETH' : chainProfile(chainId).nativeSymbol;
}

/** What a transaction does, in a few words: `send 0.01 ETH to 0x7099…79C8`. */
export function callText(call: AutoTxCall): string {
  const { to, value, data } = call;
  const worth = value === null || value === 0n ? null : formatNative(value, symbolOf(call.chainId));
  if (to === null) {
    if (data === null || data === '0x') return worth === null ? 'not said' : `send ${worth}`;
    return `make a contract${worth === null ? '' : ` with ${worth}`}`;
  }
  if (data === '0x') return `send ${worth ?? '0'} to ${shortHex(to, '…')}`;
  const method = data === null ? 'call' : `call ${data.slice(0, 10)}`;
  return `${method} on ${shortHex(to, '…')}${worth === null ? '' : ` with ${worth}`}`;
}
