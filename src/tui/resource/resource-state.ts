import type { Memory } from '../app/ui-state.ts';
import type { RawQuestion } from '../chrome/raw-view.tsx';
import type { ActionName } from '../input/keymap.ts';

/** What lies over the list. */
export type ResourceView<Seed> =
  | { readonly kind: 'list' }
  | {
      readonly kind: 'details';
      readonly id: string;
      /** The first line that is shown. */
      readonly top: number;
      /** The selected entry of the log by its id; `null`: the newest. */
      readonly entry: string | null;
    }
  | {
      readonly kind: 'form';
      readonly seed: Seed;
      /** The item that was open before; `null`: the list was. */
      readonly back: string | null;
      /** The tab from which the form was opened; `null`: this one. */
      readonly from: ActionName | null;
    }
  | { readonly kind: 'secret'; readonly secret: string };

export interface Cursor {
  readonly id: string;
  /** Its place in the list: the cursor stays there when the item is gone. */
  readonly place: number;
}

/** What the user looks at in a resource's pane; it is kept while other tabs are shown. */
export interface ResourceState<Seed> {
  /** `null`: the first item. */
  readonly cursor: Cursor | null;
  /** The place of the order that the list is in. */
  readonly order: number;
  readonly view: ResourceView<Seed>;
}

export type ResourceAction<Seed> =
  | { readonly type: 'select'; readonly cursor: Cursor }
  | { readonly type: 'sort'; readonly order: number; readonly cursor: Cursor }
  | { readonly type: 'open'; readonly cursor: Cursor }
  | { readonly type: 'scroll'; readonly top: number; readonly entry?: string }
  | { readonly type: 'form'; readonly seed: Seed }
  /** The form is left, and nothing has changed. */
  | { readonly type: 'leave-form' }
  | {
      readonly type: 'saved';
      readonly id: string;
      readonly isChange: boolean;
      readonly secret: string | null;
    }
  | { readonly type: 'list' };

export const INITIAL_STATE = { cursor: null, order: 0, view: { kind: 'list' } } as const;

export function resourceReducer<Seed>(
  state: ResourceState<Seed>,
  action: ResourceAction<Seed>,
): ResourceState<Seed> {
  const { view } = state;
  const back = view.kind === 'form' ? view.back : null;
  switch (action.type) {
    case 'select':
      return { ...state, cursor: action.cursor };
    case 'sort':
      return { ...state, cursor: action.cursor, order: action.order };
    case 'open':
      return { ...state, cursor: action.cursor, view: detailsOf(action.cursor.id) };
    case 'scroll':
      if (view.kind !== 'details') return state;
      return { ...state, view: { ...view, top: action.top, entry: action.entry ?? view.entry } };
    case 'form': {
      const open = view.kind === 'details' ? view.id : null;
      return { ...state, view: { kind: 'form', seed: action.seed, back: open, from: null } };
    }
    case 'leave-form':
      return { ...state, view: detailsOf(back) };
    case 'saved': {
      const cursor = { id: action.id, place: 0 };
      if (action.secret !== null)
        return { ...state, cursor, view: { kind: 'secret', secret: action.secret } };
      // A new one is looked for in the list, one that was changed where it was.
      return { ...state, cursor, view: detailsOf(action.isChange ? back : null) };
    }
    case 'list':
      return { ...state, view: { kind: 'list' } };
  }
}

function detailsOf<Seed>(id: string | null): ResourceView<Seed> {
  return id === null ? { kind: 'list' } : { kind: 'details', id, top: 0, entry: null };
}

function stateOf<Seed>(memory: Memory, plural: string): ResourceState<Seed> {
  return (memory.get(plural) ?? INITIAL_STATE) as ResourceState<Seed>;
}

/** Has a resource's tab show its form when it is shown next. `from`: the tab to go back to. */
export function openResourceForm<Seed>(
  memory: Memory,
  { name, plural }: { readonly name: string; readonly plural: string },
  seed: Seed,
  from: ActionName,
): void {
  memory.delete(`${name}-form`);
  memory.set(plural, { ...stateOf<Seed>(memory, plural), view: { kind: 'form', seed, back: null, from } });
}

/** The response that the raw view shows: that of the open item, or of the list. */
export function resourceQuestion(memory: Memory, plural: string, list: string, item: string): RawQuestion {
  const { view } = stateOf(memory, plural);
  if (view.kind !== 'details') return { path: list };
  return { path: item.replace('{id}', encodeURIComponent(view.id)) };
}
