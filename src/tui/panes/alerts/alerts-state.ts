import { PATHS } from '../../../contract/routes.ts';
import type { AlertPrefill } from '../../alert-prefill.ts';
import type { Memory } from '../../app/ui-state.ts';
import type { RawQuestion } from '../../chrome/raw-view.tsx';
import type { ActionName } from '../../input/keymap.ts';
import { type AlertDraft, newDraft } from './alert-draft.ts';
import { type FormState, formOf } from './form-state.ts';

export const ALERTS_TAB = 'tab-3' satisfies ActionName;

/** What lies over the list of alerts. */
export type AlertsView =
  | { readonly kind: 'list' }
  | {
      readonly kind: 'details';
      readonly id: string;
      /** The first line that is shown. */
      readonly top: number;
      /** The marked delivery by its id; `null`: the newest. */
      readonly delivery: string | null;
    }
  | {
      readonly kind: 'form';
      readonly form: FormState;
      /** How it began: leaving it like that loses nothing. */
      readonly initial: AlertDraft;
      /** The alert that it is another one like; `null`: it begins anew. */
      readonly like: string | null;
      /** The tab to go back to. */
      readonly from: ActionName;
    }
  /** Shown once: it cannot be asked for again. */
  | { readonly kind: 'secret'; readonly secret: string };

export interface AlertsCursor {
  readonly id: string;
  /** Where it stood in the list: once it is gone the cursor stays there. */
  readonly place: number;
}

/** What the user looks at on the Alerts tab; kept while other tabs are shown. */
export interface AlertsState {
  /** The alert under the cursor; `null`: the first. */
  readonly cursor: AlertsCursor | null;
  readonly view: AlertsView;
}

export type AlertsAction =
  | { readonly type: 'move-cursor'; readonly to: AlertsCursor }
  | { readonly type: 'show'; readonly view: AlertsView }
  | { readonly type: 'open'; readonly cursor: AlertsCursor }
  | { readonly type: 'form'; readonly draft: AlertDraft; readonly like: string | null }
  | { readonly type: 'edit'; readonly edit: (form: FormState) => FormState }
  | { readonly type: 'scroll'; readonly top: number; readonly delivery?: string }
  /** An alert was made: the cursor goes to it. */
  | { readonly type: 'created'; readonly id: string; readonly secret: string | null }
  | { readonly type: 'list' };

export const INITIAL_ALERTS_STATE: AlertsState = { cursor: null, view: { kind: 'list' } };

export function alertsReducer(state: AlertsState, action: AlertsAction): AlertsState {
  const { view } = state;
  switch (action.type) {
    case 'move-cursor':
      return { ...state, cursor: action.to };
    case 'show':
      return { ...state, view: action.view };
    case 'open':
      return {
        cursor: action.cursor,
        view: { kind: 'details', id: action.cursor.id, top: 0, delivery: null },
      };
    case 'form':
      return { ...state, view: formView(action.draft, action.like, ALERTS_TAB) };
    case 'edit':
      return view.kind === 'form' ? { ...state, view: { ...view, form: action.edit(view.form) } } : state;
    case 'scroll':
      if (view.kind !== 'details') return state;
      return { ...state, view: { ...view, top: action.top, delivery: action.delivery ?? view.delivery } };
    case 'created':
      return {
        cursor: { id: action.id, place: 0 },
        view: action.secret === null ? { kind: 'list' } : { kind: 'secret', secret: action.secret },
      };
    case 'list':
      return { ...state, view: { kind: 'list' } };
  }
}

function formView(draft: AlertDraft, like: string | null, from: ActionName): AlertsView {
  return { kind: 'form', form: formOf(draft), initial: draft, like, from };
}

export const ALERTS_MEMORY = 'alerts';

/** Has the tab show the form of a new alert when it is shown next. */
export function openAlertForm(memory: Memory, prefill: AlertPrefill, from: ActionName): void {
  const state = (memory.get(ALERTS_MEMORY) ?? INITIAL_ALERTS_STATE) as AlertsState;
  memory.set(ALERTS_MEMORY, { ...state, view: formView(newDraft(prefill), null, from) });
}

/** What the raw view asks for: the alert that is open, or else all. */
export function alertsQuestion(memory: Memory): RawQuestion {
  const { view } = (memory.get(ALERTS_MEMORY) ?? INITIAL_ALERTS_STATE) as AlertsState;
  if (view.kind !== 'details') return { path: PATHS.alerts };
  return { path: PATHS.alert.replace('{id}', encodeURIComponent(view.id)) };
}
