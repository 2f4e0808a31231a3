import { Box } from 'ink';
import { useContext, useState } from 'react';
import { ClientError } from '../../client/errors.ts';
import { formatCount } from '../../core/units.ts';
import { useKeptState } from '../app/ui-state.ts';
import { FilterContext, type ListItem, matchesFilter } from '../data/lists.tsx';
import { useMonitor } from '../data/queries.ts';
import { ConfirmDialog } from '../input/confirm.tsx';
import { type ActionHandlers, scrollKeys, useKeys } from '../input/use-keys.tsx';
import { type PaneContext, usePane, useRoom } from '../ui/pane-context.tsx';
import { PaneState, PolledFrame } from '../ui/pane-state.tsx';
import { ScrolledLines, useFirstRow } from '../ui/scroll.tsx';
import { spokenRow, useTable } from '../ui/table.ts';
import { type Line, LineList, SegmentLine, SpokenSentences, scrolledTo, spokenLine } from '../ui/text.tsx';
import {
  type EmptyState,
  INITIAL_STATE,
  type PaneActions,
  type Resource,
  type ResourceList,
  type ResourceState,
  type ResourceView,
  viewOf,
} from './resource.ts';

interface ResourcePaneProps<Item extends ListItem, Seed> {
  readonly resource: Resource<Item, Seed>;
}

export function ResourcePane<Item extends ListItem, Seed>(props: ResourcePaneProps<Item, Seed>) {
  const { resource } = props;
  const { showTab } = useMonitor();
  const [state, change] = useKeptState<ResourceState<Seed>>(resource.plural, INITIAL_STATE);
  const show = (view: ResourceView<Seed>) => change((before) => ({ ...before, view }));
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
  if (view.kind === 'secret' && Secret !== undefined) {
    const close = () => show(viewOf(null));
    return <Secret secret={view.secret} onClose={close} />;
  }
  return <Items {...props} state={state} change={change} />;
}

interface ItemsProps<Item extends ListItem, Seed> extends ResourcePaneProps<Item, Seed> {
  readonly state: ResourceState<Seed>;
  readonly change: (change: (state: ResourceState<Seed>) => ResourceState<Seed>) => void;
}

function Items<Item extends ListItem, Seed>(props: ItemsProps<Item, Seed>) {
  const { resource, state, change } = props;
  const context = usePane();
  type OpenDialog = Parameters<PaneActions<Item, Seed>['ask']>;
  const [opened, setOpened] = useState<OpenDialog | null>(null);
  const list = resource.useList(context);
  const find = (id: string) => list.items.find((item) => item.id === id);
  const actions = resource.useActions(
    {
      openForm: (seed) =>
        change((before) => {
          const back = before.view.kind === 'details' ? before.view.id : null;
          return { ...before, view: { kind: 'form', seed, back, from: null } };
        }),
      ask: (item, dialog) => setOpened([item, dialog]),
      showList: () => change((before) => ({ ...before, view: viewOf(null) })),
    },
    context,
  );
  if (opened !== null) {
    const [before, dialogOf] = opened;
    const item = find(before.id) ?? before;
    const { run, ...dialog } = dialogOf(item);
    return (
      <ConfirmDialog
        {...dialog}
        onYes={() => {
          setOpened(null);
          const place = list.items.indexOf(item);
          if (place >= 0) change((was) => ({ ...was, cursor: { id: item.id, place } }));
          run();
        }}
        onNo={() => setOpened(null)}
      />
    );
  }
  const { view } = state;
  const itemKeys = (item: Item | undefined): ActionHandlers => ({
    ...actions.list,
    ...(item && actions.item(item)),
  });
  const shared = { ...props, context, list, itemKeys };
  return view.kind === 'details' ? (
    <DetailsScreen key={view.id} {...shared} view={view} listed={find(view.id)} />
  ) : (
    <ListScreen {...shared} />
  );
}

interface SharedProps<Item extends ListItem, Seed> extends ItemsProps<Item, Seed> {
  readonly context: PaneContext;
  readonly list: ResourceList<Item>;
  readonly itemKeys: (item: Item | undefined) => ActionHandlers;
}

const CHROME = 2;
const MOST_SPOKEN = 10;

function ListScreen<Item extends ListItem, Seed>(props: SharedProps<Item, Seed>) {
  const { resource, context, state, list, itemKeys, change } = props;
  const { columns, rows } = useRoom();
  const { feed, states, counts = [], notices = [], empty } = list;
  const { cursor, order } = state;
  const filter = useContext(FilterContext);
  const orders = Object.entries(resource.orders);
  const [orderName = '', compare = null] = orders[order] ?? [];
  const matching = filter === '' ? list.items : list.items.filter((item) => matchesFilter(item, filter));
  const items = compare ? matching.toSorted((one, other) => compare(one, other, context)) : matching;
  const taken = CHROME + notices.length + (resource.foot?.rows ?? 0) + (feed.error === null ? 0 : 1);
  const room = Math.max(rows - taken, 1);
  const found = cursor === null ? 0 : items.findIndex(({ id }) => id === cursor.id);
  const place = Math.max(found < 0 ? Math.min(cursor?.place ?? 0, items.length - 1) : found, 0);
  const above = useFirstRow({ count: items.length, place, room });
  const selected = items[place];
  const shown = context.isSpoken ? items.slice(place, place + MOST_SPOKEN) : items.slice(above, above + room);
  const all = resource.columns(context, shown);
  const table = useTable({ columns: all, rows: shown, cursor: place - above });

  const select = (to: number, more: Partial<ResourceState<Seed>> = {}) => {
    const at = Math.min(Math.max(to, 0), items.length - 1);
    const id = items[at]?.id;
    if (id !== undefined) change((before) => ({ ...before, cursor: { id, place: at }, ...more }));
  };
  useKeys(resource.plural, {
    ...(selected && {
      ...scrollKeys(select, { top: place, room, most: items.length - 1 }),
      open: () => select(place, { view: viewOf(selected.id) }),
      sort: () => select(place, { order: (order + 1) % orders.length }),
    }),
    ...itemKeys(selected),
  });

  const instead = (words: EmptyState) => <PaneState kind="empty" {...words} />;
  // The service does not support this resource.
  const isAbsent =
    feed.error instanceof ClientError && (feed.error.code === 'not-found' || feed.error.status === 501);
  if (feed.data === undefined && isAbsent) {
    return instead({
      title: `This service keeps no ${resource.plural}`,
      hint: "Its API has none; gastop's own service keeps them, also as gastop serve.",
    });
  }
  return (
    <PolledFrame polled={feed} what={`the ${resource.plural}`}>
      {(notice) => {
        if (items.length === 0 && list.items.length > 0) {
          return instead({ title: `No ${resource.plural} match ${filter}`, hint: 'Esc clears the filter.' });
        }
        if (items.length === 0 && empty !== null) return instead(empty);
        const lines: readonly Line[] = [...(notice === null ? [] : [[{ text: ' ' }, ...notice]]), ...notices];
        const foot = (item: Item | undefined) => (item && resource.foot?.lines(item, context)) ?? [];
        if (context.isSpoken) {
          const spokenItem = (item: Item) => {
            const words = foot(item).map(spokenLine);
            return [spokenRow(all, item, words), ...words];
          };
          const heading = `${resource.spokenTitle} Enter opens the first one named here, n makes a new one`;
          return (
            <SpokenSentences sentences={[heading, ...lines.map(spokenLine), ...shown.flatMap(spokenItem)]} />
          );
        }
        const total = feed.data?.total ?? 0;
        const ofTotal = total <= list.items.length ? '' : ` of ${formatCount(total)}`;
        const title: Line = [
          { text: `${resource.title} ${formatCount(list.items.length)}${ofTotal}`, bold: true },
        ];
        const below = items.length - above - room;
        const hidden = [
          ...(above > 0 ? [`${formatCount(above)} above`] : []),
          ...(below > 0 ? [`${formatCount(below)} more (j)`] : []),
        ].join(', ');
        const words = [
          filter && `${formatCount(items.length)} match ${filter} (Esc: all)`,
          compare && `by ${orderName}`,
          hidden,
        ].flatMap((text): Line[] => (text ? [[{ text, faint: true }]] : []));
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={[title, ...states, ...words, ...counts]} />
            <LineList lines={[...lines, table.heading, ...table.lines]} />
            <Box flexGrow={1} />
            <LineList lines={foot(selected)} />
          </Box>
        );
      }}
    </PolledFrame>
  );
}

interface DetailsScreenProps<Item extends ListItem, Seed> extends SharedProps<Item, Seed> {
  readonly view: Extract<ResourceView<Seed>, { kind: 'details' }>;
  readonly listed: Item | undefined;
}

function DetailsScreen<Item extends ListItem, Seed>(props: DetailsScreenProps<Item, Seed>) {
  const { resource, context, itemKeys, view, listed, change } = props;
  const { rows } = useRoom();
  const details = resource.useDetails(view.id, context, listed);
  const { polled, item, title, entries = [], redeliver } = details;
  const at = Math.max(
    entries.findIndex(({ id }) => id === view.entry),
    0,
  );
  const entry = entries[at];
  const logs = entries.map((each, place) => each.lines(place === at));
  const spoken = logs.slice(at, at + MOST_SPOKEN).flat();
  const shown = context.isSpoken
    ? spoken.map((line, place): Line => (place === 0 ? [{ text: `Selected: ${spokenLine(line)}` }] : line))
    : logs.flat();

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
  useKeys(resource.plural, itemKeys(item));
  const ownKeys = {
    close: () => change((before) => ({ ...before, view: viewOf(null) })),
    ...(entry && redeliver && { redeliver: () => redeliver(entry.id) }),
    ...(entries.length > 1 && { previous: () => select(at - 1), next: () => select(at + 1) }),
  };
  useKeys(resource.name, ownKeys, 'overlay');

  const what = `the ${resource.name}`;
  if (polled.data === undefined && polled.error instanceof ClientError && polled.error.status === 404) {
    return (
      <PaneState
        kind="empty"
        title={`There is no such ${resource.name} any more`}
        hint="Esc goes back to the list."
      />
    );
  }
  return (
    <PolledFrame polled={polled} what={what}>
      {(notice) =>
        item === undefined ? (
          <PaneState kind="loading" what={what} />
        ) : (
          <ScrolledLines
            scope={resource.plural}
            title={title}
            lines={[...details.lines, ...shown]}
            notice={notice}
            top={view.top}
            onScroll={scroll}
          />
        )
      }
    </PolledFrame>
  );
}
