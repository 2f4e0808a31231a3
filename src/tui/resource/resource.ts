import type { ComponentType } from 'react';
import type { Memory } from '../app/ui-state.ts';
import type { RawRequest } from '../chrome/raw-view.tsx';
import type { Feed, ListItem } from '../data/lists.tsx';
import type { Polled } from '../data/queries.ts';
import type { Confirmation } from '../input/confirm.tsx';
import type { ActionName } from '../input/keymap.ts';
import type { ActionHandler } from '../input/use-keys.tsx';
import type { PaneContext } from '../ui/pane-context.tsx';
import type { TableColumn } from '../ui/table.ts';
import type { Line } from '../ui/text.tsx';

/** What the user creates, changes and deletes (alerts, auto-txs): its content, which the resource pane draws. */
export interface Resource<Item extends ListItem, Seed> {
  readonly name: 'alert' | 'auto-tx';
  readonly plural: 'alerts' | 'auto-txs';
  readonly tab: ActionName;
  readonly title: string;
  readonly spokenTitle: string;
  readonly useList: (context: PaneContext) => ResourceList<Item>;
  readonly columns: (context: PaneContext, rows: readonly Item[]) => readonly TableColumn<Item>[];
  /** The sort orders of `s`, by name; `null`: the list's own. */
  readonly orders: Readonly<
    Record<string, ((one: Item, other: Item, context: PaneContext) => number) | null>
  >;
  readonly foot?: {
    readonly rows: number;
    readonly lines: (item: Item, context: PaneContext) => readonly Line[];
  };
  /** Hook: the details of an item. `listed` is its row in the list. */
  readonly useDetails: (
    id: string,
    context: PaneContext,
    listed: Item | undefined,
  ) => {
    readonly polled: Polled<unknown>;
    readonly item: Item | undefined;
    readonly title: readonly Line[];
    readonly lines: readonly Line[];
    /** A log at the end, with one selected entry. */
    readonly entries?: readonly {
      readonly id: string;
      readonly lines: (isSelected: boolean) => readonly Line[];
    }[];
    readonly redeliver?: (entryId: string) => void;
  };
  /** Hook: the actions of the list, and of the selected or open item. */
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
  /** Shows a secret that the service returns once. */
  readonly Secret?: ComponentType<SecretProps>;
}

export interface ResourceList<Item> {
  readonly feed: Feed<Item>;
  readonly items: readonly Item[];
  readonly states: readonly Line[];
  readonly counts?: readonly Line[];
  readonly notices?: readonly Line[];
  readonly empty: EmptyState | null;
}

export interface EmptyState {
  readonly title: string;
  readonly hint: string;
  readonly more?: string | null;
}

export interface PaneActions<Item, Seed> {
  readonly openForm: (seed: Seed) => void;
  /** Opens a confirmation for an item; its text follows the item's present state. */
  readonly ask: (item: Item, dialog: (item: Item) => Confirmation & { readonly run: () => void }) => void;
  readonly showList: () => void;
}

export interface FormProps<Seed> {
  readonly seed: Seed;
  readonly onLeave: () => void;
  readonly onSaved: (saved: {
    readonly id: string;
    readonly isChange: boolean;
    readonly secret?: string | null;
  }) => void;
}

export interface SecretProps {
  readonly secret: string;
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
      /** The item that was open before; `null`: the list. */
      readonly back: string | null;
      /** The tab from which the form was opened; `null`: this one. */
      readonly from: ActionName | null;
    }
  | { readonly kind: 'secret'; readonly secret: string };

export interface ResourceState<Seed> {
  /** The selected item and its index: the cursor stays there when the item is gone. `null`: the first. */
  readonly cursor: { readonly id: string; readonly place: number } | null;
  readonly order: number;
  readonly view: ResourceView<Seed>;
}

export const INITIAL_STATE = { cursor: null, order: 0, view: { kind: 'list' } } as const;

export function viewOf(id: string | null): ResourceView<never> {
  return id === null ? { kind: 'list' } : { kind: 'details', id, top: 0, entry: null };
}

function stateOf<Seed>(memory: Memory, plural: string): ResourceState<Seed> {
  return (memory.get(plural) ?? INITIAL_STATE) as ResourceState<Seed>;
}

/** Makes a resource's tab show its form. `from`: the tab to return to. */
export function openResourceForm<Seed>(
  memory: Memory,
  { name, plural }: { readonly name: string; readonly plural: string },
  seed: Seed,
  from: ActionName,
): void {
  memory.delete(`${name}-form`);
  memory.set(plural, { ...stateOf<Seed>(memory, plural), view: { kind: 'form', seed, back: null, from } });
}

export const resourceRequest =
  (plural: string, list: string, item: string) =>
  (memory: Memory): RawRequest => {
    const { view } = stateOf(memory, plural);
    return { path: view.kind === 'details' ? item.replace('{id}', encodeURIComponent(view.id)) : list };
  };
