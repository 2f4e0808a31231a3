import type { ComponentType } from 'react';
import type { TabScreenProps } from '../app/tabs.ts';
import type { Feed, ListItem } from '../data/lists.tsx';
import type { Dated, Polled } from '../data/queries.ts';
import type { ActionName } from '../input/keymap.ts';
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
  /** For a screen reader, before the list. */
  readonly spokenTitle: string;
  /** Hook: the list, as the pane shows it. */
  readonly useList: (context: PaneContext) => ResourceList<Item>;
  /** From the left to the right. */
  readonly columns: (context: PaneContext, rows: readonly Item[]) => readonly TableColumn<Item>[];
  /** The orders that `s` goes through; the first is that of the list. */
  readonly orders: readonly [Order<Item>, Order<Item>, ...Order<Item>[]];
  /** Lines below the list about the selected item, always as many. */
  readonly foot?: {
    readonly rows: number;
    readonly lines: (item: Item, context: PaneContext) => readonly Line[];
  };
  /** Hook: one item in full. `listed` is its row in the list. */
  readonly useDetails: (id: string, listed: Item | undefined, context: PaneContext) => ResourceDetails<Item>;
  /** Hook: what the keys do. */
  readonly useActions: (pane: PaneActions<Seed>, context: PaneContext) => ResourceActions<Item>;
  readonly Form: ComponentType<FormProps<Seed>>;
  /** Shows a secret that the service tells once. */
  readonly Secret?: ComponentType<SecretProps>;
}

interface Order<Item> {
  /** After `by`. */
  readonly name: string;
  /** Absent: as the list is. */
  readonly compare?: (one: Item, other: Item, context: PaneContext) => number;
}

export interface ResourceList<Item> {
  readonly feed: Feed<unknown>;
  /** In the order in which they are listed. */
  readonly items: readonly Item[];
  /** The list's title and, after the hidden rows, what else is worth a word. */
  readonly title: readonly Line[];
  readonly counts: readonly Line[];
  /** Lines between the title and the table. */
  readonly notices: readonly Line[];
  /** Shown instead of an empty list; `null`: the list is shown although it is empty. */
  readonly empty: EmptyState | null;
}

export interface EmptyState {
  readonly title: string;
  readonly hint: string;
  readonly more?: string | null;
}

export interface ResourceDetails<Item> {
  readonly polled: Polled<Dated<unknown>>;
  /** The newest that is known of it. */
  readonly item: Item | undefined;
  readonly title: readonly Line[];
  readonly lines: readonly Line[];
  /** A log at the end, of which one entry is selected. */
  readonly entries: readonly DetailsEntry[];
  /** Sends the selected entry once more. */
  readonly redeliver?: (entryId: string) => void;
}

export interface DetailsEntry {
  readonly id: string;
  readonly lines: (isSelected: boolean) => readonly Line[];
}

/** What a resource's actions do to the pane. */
export interface PaneActions<Seed> {
  readonly openForm: (seed: Seed) => void;
  /** Asks before it is done to an item. */
  readonly ask: (what: AskedAction, id: string) => void;
  /** Closes the details; the cursor stays. */
  readonly showList: () => void;
}

export interface ResourceActions<Item> {
  /** A text says why there can be no new one. */
  readonly new: (() => void) | string;
  readonly undo?: () => void;
  /** What a key does to the selected, or the open, item. */
  readonly item: Partial<Record<ItemAction, (item: Item) => void>>;
  /** Why an action cannot be done to an item; `null`, the default: it can. */
  readonly whyNot?: (action: ItemAction, item: Item) => string | null;
  /** The question before something is done to an item, of the item as it is now. */
  readonly confirmation: (what: AskedAction, item: Item) => Confirmation & { readonly run: () => void };
}

/** What is asked about before it is done. */
export type AskedAction = 'enable' | 'cancel' | 'delete';

export type ItemAction = 'toggle' | 'another' | 'copy' | 'edit' | 'cancel' | 'delete';

/** A question before something is done. Its answer `no` is focused. */
export interface Confirmation {
  readonly title: string;
  readonly lines: readonly string[];
  readonly yes: string;
  readonly no: string;
}

export interface FormProps<Seed> extends TabScreenProps {
  readonly seed: Seed;
  /** The form is left, and nothing has changed. */
  readonly onLeave: () => void;
  /** The service has it. */
  readonly onSaved: (saved: {
    readonly id: string;
    /** It was there before. */
    readonly isChange?: boolean;
    readonly secret?: string | null;
  }) => void;
}

export interface SecretProps {
  readonly secret: string;
  readonly width: number;
  readonly height: number;
  readonly onClose: () => void;
}
