import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { PATHS } from '../../../contract/routes.ts';
import type { Memory } from '../../app/ui-state.ts';
import type { RawQuestion } from '../../chrome/raw-view.tsx';
import type { ActionName } from '../../input/keymap.ts';

export const AUTO_TXS_TAB = 'tab-4' satisfies ActionName;

/** What lies over the list of auto-txs. */
export type AutoTxsLevel =
  | { readonly kind: 'list' }
  | {
      readonly kind: 'details';
      readonly id: string;
      /** The first line that is shown. */
      readonly top: number;
    }
  | {
      readonly kind: 'form';
      /** The auto-tx that is changed, as it was when the form was opened; `null`: a new one. */
      readonly edited: AutoTxView | null;
      /** The auto-tx that was open before; `null`: the list was. */
      readonly back: string | null;
    };

export interface AutoTxsCursor {
  readonly id: string;
  /** Where it stood in the list: once it is gone the cursor stays there. */
  readonly place: number;
}

/** What the user looks at on the Auto-tx tab; kept while other tabs are shown. */
export interface AutoTxsState {
  /** The auto-tx under the cursor; `null`: the first. */
  readonly cursor: AutoTxsCursor | null;
  readonly level: AutoTxsLevel;
}

export type AutoTxsAction =
  | { readonly type: 'move-cursor'; readonly to: AutoTxsCursor }
  | { readonly type: 'open'; readonly cursor: AutoTxsCursor }
  | { readonly type: 'scroll'; readonly top: number }
  | { readonly type: 'form'; readonly edited: AutoTxView | null }
  /** The form is left and nothing has changed. */
  | { readonly type: 'leave-form' }
  /** One was made or changed: the cursor goes to it. */
  | { readonly type: 'saved'; readonly id: string }
  | { readonly type: 'list' };

export const INITIAL_AUTO_TXS_STATE: AutoTxsState = { cursor: null, level: { kind: 'list' } };

export function autoTxsReducer(state: AutoTxsState, action: AutoTxsAction): AutoTxsState {
  const { level } = state;
  switch (action.type) {
    case 'move-cursor':
      return { ...state, cursor: action.to };
    case 'open':
      return { cursor: action.cursor, level: { kind: 'details', id: action.cursor.id, top: 0 } };
    case 'scroll':
      return level.kind === 'details' ? { ...state, level: { ...level, top: action.top } } : state;
    case 'form': {
      const back = level.kind === 'details' ? level.id : null;
      return { ...state, level: { kind: 'form', edited: action.edited, back } };
    }
    case 'leave-form':
      return level.kind === 'form' ? { ...state, level: levelOf(level.back) } : state;
    case 'saved':
      return {
        cursor: { id: action.id, place: 0 },
        // A new one is looked for in the list, one that was changed where it was.
        level: levelOf(level.kind === 'form' && level.edited !== null ? level.back : null),
      };
    case 'list':
      return { ...state, level: { kind: 'list' } };
  }
}

function levelOf(id: string | null): AutoTxsLevel {
  return id === null ? { kind: 'list' } : { kind: 'details', id, top: 0 };
}

export const AUTO_TXS_MEMORY = 'auto-txs';

/** What the raw view asks for: the auto-tx that is open, or else all. */
export function autoTxsQuestion(memory: Memory): RawQuestion {
  const { level } = (memory.get(AUTO_TXS_MEMORY) ?? INITIAL_AUTO_TXS_STATE) as AutoTxsState;
  if (level.kind !== 'details') return { path: PATHS.autoTxs };
  return { path: PATHS.autoTx.replace('{id}', encodeURIComponent(level.id)) };
}
