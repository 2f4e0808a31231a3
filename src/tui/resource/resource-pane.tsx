import { Box } from 'ink';
import { type ComponentType, useContext, useState } from 'react';
import { ClientError } from '../../client/errors.ts';
import { formatCount } from '../../core/units.ts';
import { type Memory, useKeptState } from '../app/ui-state.ts';
import { type Feed, FilterContext, type ListItem, matchesFilter } from '../data/lists.tsx';
import { type Polled, useMonitor } from '../data/queries.ts';
import { type Confirmation, ConfirmDialog } from '../input/confirm.tsx';
import type { ActionName } from '../input/keymap.ts';
import { type ActionHandler, type ActionHandlers, scrollKeys, useKeys } from '../input/use-keys.tsx';
import { type PaneContext, usePane, useRoom } from '../ui/pane-context.tsx';
import { PaneState, PolledFrame } from '../ui/pane-state.tsx';
import { ScrolledLines, useFirstRow } from '../ui/scroll.tsx';
import { type TableColumn, useTable } from '../ui/table.ts';
import { bold, faint, type Line, LineList, plain, SegmentLine, scrolledTo } from '../ui/text.tsx';

/** What the user creates, changes and deletes (alerts, auto-txs): its content, which the resource pane draws. */
export interface Resource<Item extends ListItem, Seed> {
  readonly name: 'alert' | 'auto-tx';
  readonly tab: ActionName;
  readonly title: string;
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

interface PaneActions<Item, Seed> {
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

/** `entry`: the selected one of the log by its id; `null`: the newest. */
interface DetailsView {
  readonly kind: 'details';
  readonly id: string;
  readonly top: number;
  readonly entry: string | null;
}

type View<Seed> =
  | { readonly kind: 'list' }
  | DetailsView
  | {
      readonly kind: 'form';
      readonly seed: Seed;
      /** The item that was open before; `null`: the list. */
      readonly back: string | null;
      /** The tab from which the form was opened; `null`: this one. */
      readonly from: ActionName | null;
    }
  | { readonly kind: 'secret'; readonly secret: string };

interface ResourceState<Seed> {
  /** The selected item and its index: the cursor stays there when the item is gone. `null`: the first. */
  readonly cursor: { readonly id: string; readonly place: number } | null;
  readonly order: number;
  readonly view: View<Seed>;
}

const INITIAL_STATE = { cursor: null, order: 0, view: { kind: 'list' } } as const;

const viewOf = (id: string | null): View<never> =>
  id === null ? { kind: 'list' } : { kind: 'details', id, top: 0, entry: null };

function stateOf<Seed>(memory: Memory, name: Resource<never, Seed>['name']): ResourceState<Seed> {
  return (memory.get(`${name}s`) ?? INITIAL_STATE) as ResourceState<Seed>;
}

/** Makes a resource's tab show its form. `from`: the tab to return to. */
export function openResourceForm<Seed>(
  memory: Memory,
  name: Resource<never, Seed>['name'],
  seed: Seed,
  from: ActionName,
): void {
  memory.delete(`${name}-form`);
  memory.set(`${name}s`, { ...stateOf<Seed>(memory, name), view: { kind: 'form', seed, back: null, from } });
}

/** The request of the raw view: that of the list, or of the open item. */
export const resourceRequest =
  (name: Resource<never, never>['name'], list: string, item: string) => (memory: Memory) => {
    const { view } = stateOf(memory, name);
    return { path: view.kind === 'details' ? item.replace('{id}', encodeURIComponent(view.id)) : list };
  };

export function ResourcePane<Item extends ListItem, Seed>({ resource }: { resource: Resource<Item, Seed> }) {
  const { showTab } = useMonitor();
  const [state, change] = useKeptState<ResourceState<Seed>>(`${resource.name}s`, INITIAL_STATE);
  const show = (view: View<Seed>) => change((before) => ({ ...before, view }));
  const { view } = state;
  const { Form, Secret } = resource;
  if (view.kind === 'form') {
    const { from, seed, back } = view;
    return (
      <Form
        seed={seed}
        onLeave={() => {
          show(viewOf(back));
          if (from !== null && from !== resource.tab) showTab(from);
        }}
        // Shows a new item in the list, and a changed one where it was opened.
        onSaved={({ id, isChange, secret = null }) =>
          change((before) => ({
            ...before,
            cursor: { id, place: 0 },
            view: secret === null ? viewOf(isChange ? back : null) : { kind: 'secret', secret },
          }))
        }
      />
    );
  }
  if (view.kind === 'secret' && Secret !== undefined)
    return <Secret secret={view.secret} onClose={() => show(viewOf(null))} />;
  return <Items {...{ resource, state, change }} />;
}

interface ItemsProps<Item extends ListItem, Seed> {
  readonly resource: Resource<Item, Seed>;
  readonly state: ResourceState<Seed>;
  readonly change: (change: (state: ResourceState<Seed>) => ResourceState<Seed>) => void;
}

function Items<Item extends ListItem, Seed>(props: ItemsProps<Item, Seed>) {
  const { resource, state, change } = props;
  const context = usePane();
  const [opened, setOpened] = useState<Parameters<PaneActions<Item, Seed>['ask']> | null>(null);
  const list = resource.useList(context);
  const find = (id: string) => list.items.find((item) => item.id === id);
  const { view } = state;
  const actions = resource.useActions(
    {
      openForm: (seed) => {
        const back = view.kind === 'details' ? view.id : null;
        change((before) => ({ ...before, view: { kind: 'form', seed, back, from: null } }));
      },
      ask: (item, dialog) => setOpened([item, dialog]),
      showList: () => change((before) => ({ ...before, view: viewOf(null) })),
    },
    context,
  );
  if (opened !== null) {
    const [before, dialogOf] = opened;
    const item = find(before.id) ?? before;
    const { run, ...dialog } = dialogOf(item);
    const onYes = () => {
      setOpened(null);
      const place = list.items.indexOf(item);
      if (place >= 0) change((was) => ({ ...was, cursor: { id: item.id, place } }));
      run();
    };
    return <ConfirmDialog {...dialog} onYes={onYes} onNo={() => setOpened(null)} />;
  }
  const itemKeys = (item: Item | undefined) => ({ ...actions.list, ...(item && actions.item(item)) });
  const shared = { ...props, context, list, itemKeys };
  if (view.kind !== 'details') return <ListScreen {...shared} />;
  return <DetailsScreen key={view.id} {...shared} view={view} listed={find(view.id)} />;
}

interface ScreenProps<Item extends ListItem, Seed> extends ItemsProps<Item, Seed> {
  readonly context: PaneContext;
  readonly list: ReturnType<Resource<Item, Seed>['useList']>;
  readonly itemKeys: (item: Item | undefined) => ActionHandlers;
}

const CHROME = 2;
const MOST_SPOKEN = 10;

function ListScreen<Item extends ListItem, Seed>(props: ScreenProps<Item, Seed>) {
  const { resource, context, state, list, itemKeys, change } = props;
  const plural = `${resource.name}s` as const;
  const { columns, rows } = useRoom();
  const { feed, states, counts = [], notices = [], empty } = list;
  const { order } = state;
  const filter = useContext(FilterContext);
  const orders = Object.entries(resource.orders);
  const [orderName = '', compare = null] = orders[order] ?? [];
  const matching = filter === '' ? list.items : list.items.filter((item) => matchesFilter(item, filter));
  const items = compare ? matching.toSorted((one, other) => compare(one, other, context)) : matching;
  const taken = CHROME + notices.length + (resource.foot?.rows ?? 0) + (feed.error === null ? 0 : 1);
  const room = Math.max(rows - taken, 1);
  const found = items.findIndex(({ id }) => id === state.cursor?.id);
  const place = Math.max(found < 0 ? Math.min(state.cursor?.place ?? 0, items.length - 1) : found, 0);
  const above = useFirstRow({ count: items.length, place, room });
  const selected = items[place];
  // A screen reader begins with the selected one.
  const shown = context.isSpoken ? items.slice(place, place + MOST_SPOKEN) : items.slice(above, above + room);
  const cursor = context.isSpoken ? 0 : place - above;
  const table = useTable({ columns: resource.columns(context, shown), rows: shown, cursor });

  const select = (to: number, more: Partial<ResourceState<Seed>> = {}) => {
    const at = Math.min(Math.max(to, 0), items.length - 1);
    const id = items[at]?.id;
    if (id !== undefined) change((before) => ({ ...before, cursor: { id, place: at }, ...more }));
  };
  useKeys(plural, {
    ...(selected && {
      ...scrollKeys(select, { top: place, room, most: items.length - 1 }),
      open: () => select(place, { view: viewOf(selected.id) }),
      sort: () => select(place, { order: (order + 1) % orders.length }),
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
        if (items.length === 0 && empty !== null) return instead(empty);
        const lines: readonly Line[] = [...(notice === null ? [] : [[{ text: ' ' }, ...notice]]), ...notices];
        const total = feed.data?.total ?? 0;
        const ofTotal = total <= list.items.length ? '' : ` of ${formatCount(total)}`;
        const title = [bold(`${resource.title} ${formatCount(list.items.length)}${ofTotal}`)];
        const below = items.length - above - room;
        const hidden = [
          ...(above > 0 ? [`${formatCount(above)} above`] : []),
          ...(below > 0 ? [`${formatCount(below)} more (j)`] : []),
        ].join(', ');
        const words = [
          filter && `${formatCount(items.length)} match ${filter} (Esc: all)`,
          compare && `by ${orderName}`,
          hidden,
        ].flatMap((text): Line[] => (text ? [[faint(text)]] : []));
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={[title, ...states, ...words, ...counts]} />
            <LineList lines={[...lines, table.heading, ...table.lines]} />
            <Box flexGrow={1} />
            <LineList lines={(selected && resource.foot?.lines(selected, context)) ?? []} />
          </Box>
        );
      }}
    </PolledFrame>
  );
}

interface DetailsScreenProps<Item extends ListItem, Seed> extends ScreenProps<Item, Seed> {
  readonly view: DetailsView;
  readonly listed: Item | undefined;
}

function DetailsScreen<Item extends ListItem, Seed>(props: DetailsScreenProps<Item, Seed>) {
  const { resource, context, itemKeys, view, listed, change } = props;
  const plural = `${resource.name}s` as const;
  const { rows } = useRoom();
  const details = resource.useDetails(view.id, context, listed);
  const { polled, item, title, entries = [], redeliver } = details;
  const at = Math.max(
    entries.findIndex(({ id }) => id === view.entry),
    0,
  );
  const entry = entries[at];
  const logs = entries.map((each, place) => each.lines(place === at));
  const shown = context.isSpoken ? [[plain('Selected:')], ...logs.slice(at).flat()] : logs.flat();

  const scroll = (top: number, to = view.entry) =>
    change((before) => ({ ...before, view: { ...view, top, entry: to } }));
  const select = (to: number) => {
    const next = entries[to];
    if (next === undefined) return;
    const room = Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
    const from = details.lines.length + logs.slice(0, to).flat().length;
    const end = from + (logs[to]?.length ?? 1) - 1;
    scroll(scrolledTo(from, scrolledTo(end, view.top, room), room), next.id);
  };
  useKeys(plural, itemKeys(item));
  const ownKeys = {
    close: () => change((before) => ({ ...before, view: viewOf(null) })),
    ...(entry && redeliver && { redeliver: () => redeliver(entry.id) }),
    ...(entries.length > 1 && { previous: () => select(at - 1), next: () => select(at + 1) }),
  };
  useKeys(resource.name, ownKeys, 'overlay');

  const what = `the ${resource.name}`;
  if (polled.data === undefined && polled.error instanceof ClientError && polled.error.status === 404) {
    const title = `There is no such ${resource.name} any more`;
    return <PaneState kind="empty" title={title} hint="Esc goes back to the list." />;
  }
  return (
    <PolledFrame polled={polled} what={what}>
      {(notice) =>
        item === undefined ? (
          <PaneState kind="loading" what={what} />
        ) : (
          <ScrolledLines
            {...{ scope: plural, title, notice, top: view.top, onScroll: scroll }}
            lines={[...details.lines, ...shown]}
          />
        )
      }
    </PolledFrame>
  );
}
