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

/** What the user looks at in a resource's pane; it is kept while other tabs are shown. */
export interface ResourceState<Seed> {
  /** The selected item, and its place in the list: the cursor stays there when the item is gone. `null`: the first. */
  readonly cursor: { readonly id: string; readonly place: number } | null;
  /** The place of the order that the list is in. */
  readonly order: number;
  readonly view: ResourceView<Seed>;
}

export const INITIAL_STATE = { cursor: null, order: 0, view: { kind: 'list' } } as const;

/** The details of an item, from their first line; without an item the list. */
export function viewOf(id: string | null): ResourceView<never> {
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
