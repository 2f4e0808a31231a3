import { type ComponentType, useContext, useState } from 'react';
import * as z from 'zod';
import { ClientError } from '../../client/errors.ts';
import { titleWord } from '../../client/views/words.ts';
import { formatCount } from '../../core/units.ts';
import { FilterContext, type ListItem, matchesFilter } from '../data/list-filter.ts';
import type { Feed } from '../data/monitor-context.ts';
import { useMonitor } from '../data/monitor-context.ts';
import type { Polled } from '../data/polled-query.ts';
import { useRemembered } from '../data/remembered.ts';
import { type Confirmation, ConfirmDialog } from '../input/confirm.tsx';
import type { Values } from '../input/form.ts';
import type { TabScope } from '../input/keymap.ts';
import { type ActionHandler, type ActionHandlers, scrollKeys, useKeys } from '../input/use-keys.tsx';
import { type Memory, type PaneContext, usePane, usePaneMemory, useRoom } from '../ui/pane-context.tsx';
import { PaneState, PolledFrame } from '../ui/pane-state.tsx';
import { ScrolledLines, selectedPlace, TitledLines, useFirstRow } from '../ui/scroll.tsx';
import { SideBySide, useListWidth } from '../ui/side-by-side.tsx';
import { type TableColumn, useTable } from '../ui/table.tsx';
import { bold, faint, type Line, plain, scrolledTo } from '../ui/text.tsx';
import { useAtRest } from '../ui/use-elapsed.ts';

type ResourceName = 'alert' | 'auto-tx';

/** What the user creates, changes and deletes (alerts, auto-txs): its content, which the resource pane draws. */
export interface Resource<Item extends ListItem> {
  readonly name: ResourceName;
  readonly useList: (context: PaneContext) => {
    readonly feed: Feed<Item>;
    readonly items: readonly Item[];
    readonly states: readonly Line[];
    readonly counts?: readonly Line[];
    readonly notices?: readonly Line[];
    /** What to show instead of an empty list. */
    readonly empty: { readonly title: string; readonly hint: string; readonly more?: string | null } | null;
  };
  readonly columns: (context: PaneContext, rows: readonly Item[]) => readonly TableColumn<Item>[];
  /** The sort orders of `s`, by name; `null`: the list's own. */
  readonly orders: Readonly<
    Record<string, ((one: Item, other: Item, context: PaneContext) => number) | null>
  >;
  readonly foot?: {
    readonly rows: number;
    readonly lines: (item: Item, context: PaneContext) => readonly Line[];
  };
  /** Hook: the details of an item. `listed` is its row in the list; `isWanted`: they may be requested. */
  readonly useDetails: (
    id: string,
    context: PaneContext,
    listed: Item | undefined,
    isWanted: boolean,
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
    pane: PaneActions<Item>,
    context: PaneContext,
  ) => {
    readonly list: { readonly new: ActionHandler; readonly undo?: ActionHandler };
    readonly item: (
      item: Item,
    ) => Partial<Record<'toggle' | 'another' | 'copy' | 'edit' | 'cancel' | 'delete', ActionHandler>>;
  };
  readonly Form: ComponentType<FormProps<Item>>;
}

interface PaneActions<Item> {
  readonly openForm: (seed: Seed<Item>) => void;
  /** Asks before `run`; the question follows the item's present state. */
  readonly confirm: (item: Item, question: (item: Item) => Confirmation, run: (item: Item) => void) => void;
  readonly showList: () => void;
}

/** What a form begins with. */
interface Seed<Item> {
  /** The item to copy, or to change. */
  readonly like?: Item;
  readonly isChange?: boolean;
  /** Fields of a new one, as typed. */
  readonly prefill?: Values;
}

export interface FormProps<Item> {
  readonly seed: Seed<Item>;
  readonly onLeave: () => void;
  readonly onSaved: (id: string) => void;
}

interface ResourceState<Item> {
  /** The selected item and its index: the cursor stays there when the item is gone. `null`: the first. */
  readonly cursor: { readonly id: string; readonly place: number } | null;
  /** The item whose details are open. `entry`: the selected one of its log; `null`: the newest. */
  readonly opened: { readonly id: string; readonly top: number; readonly entry: string | null } | null;
  /** The open form. `from`: the tab where it was opened; `null`: this one. */
  readonly form: { readonly seed: Seed<Item>; readonly from: TabScope | null } | null;
}

const INITIAL = { cursor: null, opened: null, form: null } as const;

const stateOf = <Item,>(memory: Memory, name: ResourceName) =>
  (memory.get(`${name}s`) ?? INITIAL) as ResourceState<Item>;

/** Makes a resource's tab show the form of a new one. `from`: the tab to return to. */
export function openForm(memory: Memory, name: ResourceName, prefill: Values, from: TabScope): void {
  memory.delete(`${name}-form`);
  memory.set(`${name}s`, { ...stateOf(memory, name), opened: null, form: { seed: { prefill }, from } });
}

/** The request of the raw view: that of the list, or of the open item. */
export const resourceRequest = (name: ResourceName, list: string, item: string) => (memory: Memory) => {
  const { opened } = stateOf(memory, name);
  return { path: opened === null ? list : item.replace('{id}', encodeURIComponent(opened.id)) };
};

export function ResourcePane<Item extends ListItem>({ resource }: { resource: Resource<Item> }) {
  const { showTab } = useMonitor();
  const [state, set] = usePaneMemory<ResourceState<Item>>(`${resource.name}s`, INITIAL);
  const change = (part: Partial<ResourceState<Item>>) => set((before) => ({ ...before, ...part }));
  const { form } = state;
  if (form === null) return <Items resource={resource} state={state} change={change} />;
  const onLeave = () => {
    change({ form: null });
    if (form.from !== null) showTab(form.from);
  };
  // Shows a new item in the list, and a changed one where it was opened.
  const onSaved = (id: string) =>
    change({ form: null, cursor: { id, place: 0 }, ...(!form.seed.isChange && { opened: null }) });
  return <resource.Form seed={form.seed} onLeave={onLeave} onSaved={onSaved} />;
}

interface ItemsProps<Item extends ListItem> {
  readonly resource: Resource<Item>;
  readonly state: ResourceState<Item>;
  readonly change: (part: Partial<ResourceState<Item>>) => void;
}

function Items<Item extends ListItem>(props: ItemsProps<Item>) {
  const { resource, state, change } = props;
  const pane = usePane();
  const listWidth = useListWidth();
  const context = listWidth === null ? pane : { ...pane, width: listWidth };
  const [confirming, setConfirming] = useState<Parameters<PaneActions<Item>['confirm']> | null>(null);
  const list = resource.useList(context);
  const rows = useListRows(props, list.items, context);
  const find = (id: string) => list.items.find((item) => item.id === id);
  const does: PaneActions<Item> = {
    openForm: (seed) => change({ form: { seed, from: null } }),
    confirm: (...question) => setConfirming(question),
    showList: () => change({ opened: null }),
  };
  const actions = resource.useActions(does, context);
  if (confirming !== null) {
    const [before, question, run] = confirming;
    const item = find(before.id) ?? before;
    const onAnswer = (isYes: boolean) => {
      setConfirming(null);
      if (!isYes) return;
      change({ cursor: { id: item.id, place: list.items.indexOf(item) } });
      run(item);
    };
    return <ConfirmDialog {...question(item)} onAnswer={onAnswer} />;
  }
  const itemKeys = (item: Item | undefined) => ({ ...actions.list, ...(item && actions.item(item)) });
  const screen = { ...props, list, itemKeys };
  const selected = listWidth === null ? undefined : rows.selected;
  const shown = state.opened ?? (selected && { id: selected.id, top: 0, entry: null });
  const left = <ListScreen {...screen} rows={rows} isAlone={shown === undefined} />;
  if (shown === undefined) return left;
  const isOpen = state.opened !== null;
  const of = { opened: shown, isOpen, listed: find(shown.id) };
  const right = <DetailsScreen key={shown.id} {...screen} {...of} />;
  if (listWidth === null) return right;
  return <SideBySide leftWidth={listWidth} left={left} right={right} isRightOpen={isOpen} />;
}

const OrderName = z.string();

/** The items that match the filter, in the chosen order, and which is selected. */
function useListRows<Item extends ListItem>(
  { resource, state }: Pick<ItemsProps<Item>, 'resource' | 'state'>,
  all: readonly Item[],
  context: PaneContext,
) {
  const filter = useContext(FilterContext);
  const names = Object.keys(resource.orders);
  const [chosen, setOrder] = useRemembered(`${resource.name}s.sort`, OrderName, names[0] ?? '');
  const orderName = names.includes(chosen) ? chosen : (names[0] ?? '');
  const compare = resource.orders[orderName] ?? null;
  const sort = () => setOrder(names[(names.indexOf(orderName) + 1) % names.length] ?? '');
  const matching = filter === '' ? all : all.filter((item) => matchesFilter(item, filter, context));
  const items = compare ? matching.toSorted((one, other) => compare(one, other, context)) : matching;
  const found = items.findIndex(({ id }) => id === state.cursor?.id);
  const place = Math.max(found < 0 ? Math.min(state.cursor?.place ?? 0, items.length - 1) : found, 0);
  return { items, place, selected: items[place], filter, sort, orderName: compare && orderName };
}

interface ScreenProps<Item extends ListItem> extends ItemsProps<Item> {
  readonly list: ReturnType<Resource<Item>['useList']>;
  readonly itemKeys: (item: Item | undefined) => ActionHandlers;
}

const CHROME = 2;
const MOST_SPOKEN = 10;

interface ListScreenProps<Item extends ListItem> extends ScreenProps<Item> {
  readonly rows: ReturnType<typeof useListRows<Item>>;
  /** Without the details of the selected item beside it: its foot is about that. */
  readonly isAlone: boolean;
}

function ListScreen<Item extends ListItem>(props: ListScreenProps<Item>) {
  const { resource, list, itemKeys, change, isAlone } = props;
  const plural = `${resource.name}s` as const;
  const context = usePane();
  const { rows } = useRoom();
  const { forgetful } = useMonitor();
  const mayMake = typeof itemKeys(undefined).new === 'function';
  const forgets = mayMake && forgetful ? `${forgetful} forgets these when it ends` : null;
  const { feed, states, counts = [], notices = [], empty } = list;
  const { items, place, selected, filter, orderName, sort } = props.rows;
  const foot = isAlone ? resource.foot : undefined;
  const taken = CHROME + notices.length + (foot?.rows ?? 0) + (feed.error === null ? 0 : 1);
  const room = Math.max(rows - taken, 1);
  const above = useFirstRow({ count: items.length, place, room });
  // A screen reader begins with the selected one.
  const shown = context.isSpoken ? items.slice(place, place + MOST_SPOKEN) : items.slice(above, above + room);
  const cursor = context.isSpoken ? 0 : place - above;
  const table = useTable({ columns: resource.columns(context, shown), rows: shown, cursor });

  const select = (to: number, more: Partial<ResourceState<Item>> = {}) => {
    const id = items[to]?.id;
    if (id !== undefined) change({ cursor: { id, place: to }, ...more });
  };
  useKeys(plural, {
    ...(selected && {
      ...scrollKeys(select, { top: place, room, most: items.length - 1 }),
      open: () => select(place, { opened: { id: selected.id, top: 0, entry: null } }),
      sort: () => {
        // The cursor stays on its item.
        select(place);
        sort();
      },
    }),
    ...itemKeys(selected),
  });

  const instead = (words: NonNullable<typeof empty>) => <PaneState kind="empty" {...words} />;
  // The service does not support this resource.
  const isAbsent =
    feed.error instanceof ClientError && (feed.error.code === 'not-found' || feed.error.status === 501);
  if (feed.data === undefined && isAbsent) {
    return instead({
      title: `This service keeps no ${plural}`,
      hint: "Its API has none; gastop's own service keeps them, also as gastop serve.",
    });
  }
  return (
    <PolledFrame polled={feed} what={`the ${plural}`}>
      {(notice) => {
        if (items.length === 0 && list.items.length > 0) {
          return instead({ title: `No ${plural} match ${filter}`, hint: 'Esc clears the filter.' });
        }
        if (items.length === 0 && empty !== null) {
          const more = [empty.more, forgets && `What you make here: ${forgets.replace(' these', ' it')}.`];
          return instead({ ...empty, more: more.filter((text) => text).join(' ') });
        }
        const total = feed.data?.total ?? 0;
        const unreadable = feed.data?.unreadable ?? 0;
        const ofTotal = total <= list.items.length ? '' : ` of ${formatCount(total)}`;
        const title = [bold(`${titleWord(plural)} ${formatCount(list.items.length)}${ofTotal}`)];
        const below = items.length - above - room;
        const hidden = [
          ...(above > 0 ? [`${formatCount(above)} above`] : []),
          ...(below > 0 ? [`${formatCount(below)} more (j)`] : []),
        ].join(', ');
        const words = [
          filter && `${formatCount(items.length)} match ${filter} (Esc: all)`,
          orderName && `by ${orderName}`,
          hidden,
          unreadable > 0 && `${formatCount(unreadable)} unreadable`,
        ].flatMap((text): Line[] => (text ? [[faint(text)]] : []));
        return (
          <TitledLines
            title={[title, ...states, ...words, ...counts, ...(forgets ? [[faint(forgets)]] : [])]}
            notice={notice}
            lines={[...notices, table.heading]}
            rows={{ lines: table.lines, select: (row) => select(above + row, { opened: null }) }}
            foot={(selected && foot?.lines(selected, context)) ?? []}
          />
        );
      }}
    </PolledFrame>
  );
}

interface DetailsScreenProps<Item extends ListItem> extends ScreenProps<Item> {
  readonly opened: NonNullable<ResourceState<Item>['opened']>;
  /** Otherwise it is merely selected in the list beside it. */
  readonly isOpen: boolean;
  readonly listed: Item | undefined;
}

function DetailsScreen<Item extends ListItem>(props: DetailsScreenProps<Item>) {
  const { resource, itemKeys, opened, isOpen, listed, change } = props;
  const plural = `${resource.name}s` as const;
  const context = usePane();
  const { rows } = useRoom();
  const { isOwnService } = useMonitor();
  const isAtRest = useAtRest(opened.id);
  const details = resource.useDetails(opened.id, context, listed, isOpen || isOwnService || isAtRest);
  const { item, title, entries = [], redeliver } = details;
  // Beside the list what it has of the item is shown until the details are there.
  const isLoading = details.polled.data === undefined && details.polled.error === null;
  const polled = isLoading && !isOpen ? { ...details.polled, data: listed } : details.polled;
  const at = selectedPlace(entries, ({ id }) => id === opened.entry);
  const entry = entries[at];
  const logs = entries.map((each, place) => each.lines(isOpen && place === at));
  const shown = context.isSpoken ? [[plain('Selected:')], ...logs.slice(at).flat()] : logs.flat();

  const scroll = (top: number, to = opened.entry) => change({ opened: { ...opened, top, entry: to } });
  const select = (to: number) => {
    const next = entries[to];
    if (next === undefined) return;
    const room = Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
    const from = details.lines.length + logs.slice(0, to).flat().length;
    const end = from + (logs[to]?.length ?? 1) - 1;
    scroll(scrolledTo(from, scrolledTo(end, opened.top, room), room), next.id);
  };
  useKeys(plural, itemKeys(item));
  const ownKeys = {
    close: () => change({ opened: null }),
    redeliver: entry && redeliver && (() => redeliver(entry.id)),
    previous: entries.length > 1 ? () => select(at - 1) : undefined,
    next: entries.length > 1 ? () => select(at + 1) : undefined,
  };
  useKeys(resource.name, ownKeys, 'overlay');

  if (polled.data === undefined && polled.error instanceof ClientError && polled.error.status === 404) {
    const title = `There is no such ${resource.name} any more`;
    return <PaneState kind="empty" title={title} hint="Esc goes back to the list." />;
  }
  return (
    <PolledFrame polled={polled} what={`the ${resource.name}`}>
      {(notice) => (
        <ScrolledLines
          scope={plural}
          title={title}
          notice={notice}
          top={opened.top}
          onScroll={scroll}
          lines={[...details.lines, ...shown]}
        />
      )}
    </PolledFrame>
  );
}
