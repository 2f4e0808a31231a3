import { ClientError } from '../../../client/client-error.ts';
import { formatCount } from '../../../core/units.ts';
import { remedyFor } from '../../health.ts';
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
  const title = place.kind === 'block' ? `No block ${formatCount(place.number)}` : 'No such transaction';
  const hint = remedyFor(error) ?? 'r asks again now, / looks up another, Esc goes back';
  if (place.kind === 'tx' && noTransactions !== null) {
    return {
      title: 'No transactions here',
      reason: noTransactions,
      hint: 'Esc goes back, / looks up a block',
    };
  }
  if (!(error instanceof ClientError) || error.code !== 'not-found') {
    return { title: title.replace('such ', 'answer for this '), reason: error.message, hint };
  }
  return {
    title,
    reason: error.message,
    hint:
      place.kind === 'block'
        ? 'older than what the service keeps, or not there yet: / looks up another, Esc goes back'
        : 'check the chain and the hash; one just sent may take a moment: it is looked for with every block',
  };
}
