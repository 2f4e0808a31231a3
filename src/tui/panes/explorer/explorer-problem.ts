import { ClientError } from '../../../client/errors.ts';
import { hexText } from '../../../core/hex-text.ts';
import { formatCount } from '../../../core/units.ts';
import { remedyFor } from '../../app/connection.ts';
import type { PlaceName } from './explorer-state.ts';

export interface ExplorerProblem {
  readonly title: string;
  readonly reason: string;
  /** What to try. */
  readonly hint: string;
}

/** Why what was opened cannot be shown, and what to try. `noTransactions`: why there are none here at all. */
export function explorerProblem(
  place: PlaceName,
  error: Error,
  noTransactions: string | null,
): ExplorerProblem {
  if (place.kind === 'tx' && noTransactions !== null) {
    return {
      title: 'No transactions here',
      reason: noTransactions,
      hint: '/ looks up a block, Esc goes back',
    };
  }
  const what = place.kind === 'block' ? `block ${formatCount(place.number)}` : 'this transaction';
  if (!(error instanceof ClientError) || error.code !== 'not-found') {
    return {
      title: `No answer for ${what}`,
      reason: error.message,
      hint: remedyFor(error) ?? 'r asks again now, / looks up another, Esc goes back',
    };
  }
  const said = wordsOf(error);
  if (place.kind === 'block') {
    return {
      title: `No ${what}`,
      reason: said ?? 'the service has no such block, or gives no blocks at all',
      hint: '/ looks up another, Esc goes back',
    };
  }
  return {
    title: `No transaction ${hexText(place.hash, 21, '…')}`,
    reason: said ?? 'the service knows no such transaction: check the hash and the chain',
    hint: 'looked for again with every block; / looks up another, Esc goes back',
  };
}

/** What the service itself says; our own words before it would only repeat the path. */
function wordsOf({ message, endpoint }: ClientError): string | null {
  const at = message.indexOf(`${endpoint}: `);
  return at < 0 ? null : message.slice(at + endpoint.length + 2);
}
