import type { ComponentType } from 'react';
import type { TabScreenProps } from '../app/tabs.ts';
import type { Memory } from '../app/ui-state.ts';
import type { RawQuestion } from '../chrome/raw-view.tsx';
import type { Feed, ListItem } from '../data/lists.tsx';
import type { Dated, Polled } from '../data/queries.ts';
import type { Confirmation } from '../input/confirm.tsx';
import type { ActionName } from '../input/keymap.ts';
import type { ActionHandler } from '../input/use-keys.tsx';
import type { PaneContext } from '../ui/pane-context.ts';
import type { TableColumn } from '../ui/table.ts';
import type { Line } from '../ui/text.tsx';

/**
 * Something that the service keeps and the user makes, changes and deletes: an alert, an auto-tx. The resource pane
 * draws the list, the details, the form and the questions; a resource says what is in them.
 */
export interface Resource<Item extends ListItem, Seed> {
  /** The scope of the keys of an open one. */
  readonly name: 'alert' | 'auto-tx';
  /** The scope of the keys of the list, and the name under which the pane's state is kept. */
  readonly plural: 'alerts' | 'auto-txs';
  /** The action that shows its tab. */
  readonly tab: ActionName;
  readonly title: string;
  /** For a screen reader, before the list. */
  readonly spokenTitle: string;
  readonly useList: (context: PaneContext) => ResourceList<Item>;
  readonly columns: (context: PaneContext, rows: readonly Item[]) => readonly TableColumn<Item>[];
  /** The orders that `s` goes through, by name. Without `compare`: as the list is. */
  readonly orders: readonly {
    readonly name: string;
    readonly compare?: (one: Item, other: Item, context: PaneContext) => number;
  }[];
  /** Lines below the list about the selected item, always as many. */
  readonly foot?: {
    readonly rows: number;
    readonly lines: (item: Item, context: PaneContext) => readonly Line[];
  };
  /** Hook: one item in full. `listed` is its row in the list. */
  readonly useDetails: (
    id: string,
    context: PaneContext,
    listed: Item | undefined,
  ) => {
    readonly polled: Polled<Dated<unknown>>;
    /** The newest known state. */
    readonly item: Item | undefined;
    readonly title: readonly Line[];
    readonly lines: readonly Line[];
    /** A log at the end, of which one entry is selected. */
    readonly entries?: readonly {
      readonly id: string;
      readonly lines: (isSelected: boolean) => readonly Line[];
    }[];
    /** Sends an entry once more. */
    readonly redeliver?: (entryId: string) => void;
  };
  /** Hook: what the keys do in the list, and to the selected, or the open, item. */
  readonly useActions: (
    pane: PaneActions<Item, Seed>,
    context: PaneContext,
  ) => {
    readonly list: { readonly new: ActionHandler; readonly undo?: ActionHandler };
    readonly item: (
      item: Item,
    ) => Partial<Record<'toggle' | 'another' | 'copy' | 'edit' | 'cancel' | 'delete', ActionHandler>>;
  };
  readonly Form: ComponentType<FormProps<Seed>>;
  /** Shows a secret that the service tells once. */
  readonly Secret?: ComponentType<SecretProps>;
}

export interface ResourceList<Item> {
  readonly feed: Feed<Item>;
  readonly items: readonly Item[];
  /** After the title and the number of items. */
  readonly states: readonly Line[];
  /** What else is worth a word, after the hidden rows. */
  readonly counts?: readonly Line[];
  /** Lines between the title and the table. */
  readonly notices?: readonly Line[];
  /** Shown instead of an empty list; `null`: the list is shown although it is empty. */
  readonly empty: EmptyState | null;
}

export interface EmptyState {
  readonly title: string;
  readonly hint: string;
  readonly more?: string | null;
}

export interface PaneActions<Item, Seed> {
  readonly openForm: (seed: Seed) => void;
  /** Asks before something is done to an item. The question is that about the item as it is now. */
  readonly ask: (item: Item, question: (item: Item) => Confirmation & { readonly run: () => void }) => void;
  /** Closes the details; the cursor stays. */
  readonly showList: () => void;
}

export interface FormProps<Seed> extends TabScreenProps {
  readonly seed: Seed;
  readonly onLeave: () => void;
  /** The service has it. */
  readonly onSaved: (saved: {
    readonly id: string;
    /** It was there before. */
    readonly isChange: boolean;
    readonly secret?: string | null;
  }) => void;
}

export interface SecretProps {
  readonly secret: string;
  readonly width: number;
  readonly height: number;
  readonly onClose: () => void;
}

export type ResourceView<Seed> =
  | { readonly kind: 'list' }
  | {
      readonly kind: 'details';
      readonly id: string;
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
