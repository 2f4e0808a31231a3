import { Box, useIsScreenReaderEnabled } from 'ink';
import { useContext, useRef, useState } from 'react';
import { ClientError } from '../../client/errors.ts';
import { formatCount, UNKNOWN } from '../../core/units.ts';
import { useNow } from '../app/clock.ts';
import type { TabScreenProps } from '../app/tabs.ts';
import { useKeptReducer, useNavigation } from '../app/ui-state.ts';
import { FilterContext, type ListItem, matchesFilter } from '../data/lists.tsx';
import { Question } from '../input/confirm.tsx';
import { type ActionHandlers, scrollKeys, useKeys } from '../input/use-keys.tsx';
import { presentOf } from '../panes/explorer/place-frame.tsx';
import { SPOKEN_WIDTH, useWidest } from '../ui/fact-list.tsx';
import { PaneState, PolledFrame } from '../ui/pane-state.tsx';
import { columnWidths, headingLine, rowLine } from '../ui/table.ts';
import {
  type Line,
  LineList,
  OneLine,
  SegmentLine,
  SpokenSentences,
  scrolledTo,
  wrapText,
} from '../ui/text.tsx';
import { ASCII_THEME, useTheme } from '../ui/theme.ts';
import { systemOffset } from '../ui/time.ts';
import { MOST_SPOKEN, ResourceDetailsScreen, spokenLine, spokenSentences } from './resource-details.tsx';
import {
  type Cursor,
  INITIAL_STATE,
  type ResourceAction,
  type ResourceState,
  resourceReducer,
} from './resource-state.ts';
import type {
  AskedAction,
  GrowingColumn,
  ItemAction,
  PaneActions,
  PaneContext,
  Resource,
  ResourceActions,
} from './types.ts';

interface ResourcePaneProps<Item extends ListItem, Details extends Item, Seed> extends TabScreenProps {
  readonly resource: Resource<Item, Details, Seed>;
}

/** The tab of a resource: its list, and over it the details of an item, a form, a question or a secret. */
export function ResourcePane<Item extends ListItem, Details extends Item, Seed>(
  props: ResourcePaneProps<Item, Details, Seed>,
) {
  const { resource, snapshot, columns, rows } = props;
  const theme = useTheme();
  const isSpoken = useIsScreenReaderEnabled();
  const { showTab } = useNavigation();
  const [state, dispatch] = useKeptReducer<ResourceState<Seed>, ResourceAction<Seed>>(
    resource.plural,
    resourceReducer,
    INITIAL_STATE,
  );
  const context = {
    snapshot,
    present: presentOf(snapshot, useNow()),
    offsetAt: systemOffset,
    theme: isSpoken ? ASCII_THEME : theme,
    width: isSpoken ? SPOKEN_WIDTH : columns,
  };
  const { view } = state;
  const { Form, Secret } = resource;
  if (view.kind === 'form') {
    const { from, seed } = view;
    return (
      <Form
        snapshot={snapshot}
        columns={columns}
        rows={rows}
        seed={seed}
        onLeave={() => {
          dispatch({ type: 'leave-form' });
          if (from !== null && from !== resource.tab) showTab(from);
        }}
        onSaved={({ id, isChange = false, secret = null }) =>
          dispatch({ type: 'saved', id, isChange, secret })
        }
      />
    );
  }
  if (view.kind === 'secret' && Secret !== undefined) {
    return (
      <Secret secret={view.secret} width={columns} height={rows} onClose={() => dispatch({ type: 'list' })} />
    );
  }
  return <Items {...props} context={context} state={state} dispatch={dispatch} />;
}

export interface ItemsProps<Item extends ListItem, Details extends Item, Seed>
  extends ResourcePaneProps<Item, Details, Seed> {
  readonly context: PaneContext;
  readonly state: ResourceState<Seed>;
  readonly dispatch: (action: ResourceAction<Seed>) => void;
}

/** The list or the details of an item, and the question before something is done to one. */
function Items<Item extends ListItem, Details extends Item, Seed>(props: ItemsProps<Item, Details, Seed>) {
  const { resource, context, state, dispatch, columns, rows } = props;
  const { theme } = context;
  const [asked, setAsked] = useState<{ what: AskedAction; item: Item } | null>(null);
  const list = resource.useList(context);
  const items = useRef(list.items);
  // The open item may be one that the list does not have.
  const open = useRef<Item | undefined>(undefined);
  items.current = list.items;
  const find = (id: string) => items.current.find((item) => item.id === id);
  const pane: PaneActions<Seed> = {
    openForm: (seed) => dispatch({ type: 'form', seed }),
    ask: (what, id) => {
      const item = find(id) ?? open.current;
      if (item !== undefined) setAsked({ what, item });
    },
    showList: () => dispatch({ type: 'list' }),
  };
  const actions = resource.useActions(pane, context);
  const itemKeys = (selected: Item | undefined) => {
    open.current = selected;
    const names: readonly ItemAction[] = ['toggle', 'another', 'copy', 'edit', 'cancel', 'delete'];
    return Object.fromEntries(
      names.flatMap((name) => {
        const act = actions.item[name];
        if (act === undefined || selected === undefined) return [];
        return [[name, actions.whyNot?.(name, selected) ?? (() => act(selected))]];
      }),
    );
  };

  if (asked !== null) {
    const { what } = asked;
    const item = find(asked.item.id) ?? asked.item;
    const { lines, run, ...question } = actions.confirmation(what, item);
    const margins = 6;
    return (
      <Question
        {...question}
        lines={lines.flatMap((line) =>
          line === ' ' ? [line] : wrapText(line, columns - margins, MOST_LINES, theme.glyph.ellipsis),
        )}
        width={columns}
        height={rows}
        onYes={() => {
          setAsked(null);
          const place = list.items.findIndex(({ id }) => id === item.id);
          if (place >= 0) dispatch({ type: 'select', cursor: { id: item.id, place } });
          run();
        }}
        onNo={() => setAsked(null)}
      />
    );
  }
  const { view } = state;
  const shared = { ...props, list, actions, itemKeys };
  return view.kind === 'details' ? (
    <ResourceDetailsScreen key={view.id} {...shared} view={view} listed={find(view.id)} />
  ) : (
    <ListScreen {...shared} cursor={state.cursor} order={state.order} />
  );
}

/** Lines of one sentence of a question. */
const MOST_LINES = 4;

export interface SharedProps<Item extends ListItem, Details extends Item, Seed>
  extends ItemsProps<Item, Details, Seed> {
  readonly list: ReturnType<Resource<Item, Details, Seed>['useList']>;
  readonly actions: ResourceActions<Item>;
  /** What the keys do to an item. */
  readonly itemKeys: (item: Item | undefined) => ActionHandlers;
}

interface ListScreenProps<Item extends ListItem, Details extends Item, Seed>
  extends SharedProps<Item, Details, Seed> {
  readonly cursor: Cursor | null;
  readonly order: number;
}

/** Rows of the pane that are not items: title and headings. */
const CHROME = 2;

function ListScreen<Item extends ListItem, Details extends Item, Seed>(
  props: ListScreenProps<Item, Details, Seed>,
) {
  const { resource, context, list, actions, itemKeys, cursor, order, dispatch, columns, rows } = props;
  const isSpoken = useIsScreenReaderEnabled();
  const { feed, title, counts, notices, empty } = list;
  const filter = useContext(FilterContext);
  const { name: orderName, compare } = resource.orders[order] ?? resource.orders[0];
  const matching = filter === '' ? list.items : list.items.filter((item) => matchesFilter(item, filter));
  const items =
    compare === undefined ? matching : matching.toSorted((one, other) => compare(one, other, context));
  const room = Math.max(
    rows - CHROME - notices.length - (resource.foot?.rows ?? 0) - (feed.error === null ? 0 : 1),
    1,
  );
  const found = cursor === null ? 0 : items.findIndex(({ id }) => id === cursor.id);
  const place = Math.max(found < 0 ? Math.min(cursor?.place ?? 0, items.length - 1) : found, 0);
  const first = useRef(0);
  first.current = Math.min(scrolledTo(place, first.current, room), Math.max(items.length - room, 0));
  const above = first.current;
  const below = Math.max(items.length - above - room, 0);
  const selected = items[place];

  const select = (to: number) => {
    const at = Math.min(Math.max(to, 0), items.length - 1);
    const item = items[at];
    if (item !== undefined) dispatch({ type: 'select', cursor: { id: item.id, place: at } });
  };
  useKeys(resource.plural, {
    new: actions.new,
    ...(actions.undo === undefined ? {} : { undo: actions.undo }),
    ...(selected === undefined
      ? {}
      : {
          ...scrollKeys(select, { top: place, room, most: items.length - 1 }),
          open: () => dispatch({ type: 'open', cursor: { id: selected.id, place } }),
          sort: () =>
            dispatch({
              type: 'sort',
              order: (order + 1) % resource.orders.length,
              cursor: { id: selected.id, place },
            }),
        }),
    ...itemKeys(selected),
  });

  if (feed.data === undefined && isAbsent(feed.error)) {
    return (
      <Box width={columns} height={rows}>
        <PaneState
          kind="empty"
          title={`This service keeps no ${resource.plural}`}
          hint="Its API has none; gastop's own service keeps them, also as gastop serve."
        />
      </Box>
    );
  }
  return (
    <PolledFrame polled={feed} what={`the ${resource.plural}`} pending={false} width={columns} height={rows}>
      {(notice) => {
        if (items.length === 0 && list.items.length > 0) {
          const title = `No ${resource.plural} match ${filter}`;
          return (
            <Box width={columns} height={rows}>
              <PaneState kind="empty" title={title} hint="Esc clears the filter." />
            </Box>
          );
        }
        if (items.length === 0 && empty !== null) {
          return (
            <Box width={columns} height={rows}>
              <PaneState kind="empty" {...empty} />
            </Box>
          );
        }
        const lines: readonly Line[] = [...(notice === null ? [] : [[{ text: ' ' }, ...notice]]), ...notices];
        if (isSpoken) {
          return (
            <SpokenList {...props} title={resource.spokenTitle} rest={items.slice(place)} notices={lines} />
          );
        }
        const hidden = [
          ...(above > 0 ? [`${formatCount(above)} above`] : []),
          ...(below > 0 ? [`${formatCount(below)} more (j)`] : []),
        ].join(', ');
        const said = [
          ...(filter === '' ? [] : [`${formatCount(items.length)} match ${filter} (Esc: all)`]),
          ...(compare === undefined ? [] : [`by ${orderName}`]),
          ...(hidden === '' ? [] : [hidden]),
        ].map((text): Line => [{ text, faint: true }]);
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={[...title, ...said, ...counts]} width={columns} />
            <LineList lines={lines} width={columns} />
            <ItemTable
              columns={resource.columns(context, items.slice(above, above + room))}
              rows={items.slice(above, above + room)}
              cursor={place - above}
              context={context}
            />
            {resource.foot === undefined || selected === undefined ? null : (
              <>
                <Box flexGrow={1} />
                <LineList lines={resource.foot.lines(selected, context)} width={columns} />
              </>
            )}
          </Box>
        );
      }}
    </PolledFrame>
  );
}

/** Whether the service does not have this resource at all. */
function isAbsent(error: Error | null): boolean {
  return error instanceof ClientError && (error.code === 'not-found' || error.status === 501);
}

const MARK = 3;

interface ItemTableProps<Item extends ListItem> {
  readonly columns: readonly GrowingColumn<Item>[];
  readonly rows: readonly Item[];
  /** The place of the selected row. */
  readonly cursor: number;
  readonly context: PaneContext;
}

/** Headings and rows, the selected row with an arrow. */
function ItemTable<Item extends ListItem>(props: ItemTableProps<Item>) {
  const { rows, cursor, context } = props;
  const { theme, width } = context;
  const widest = useWidest(columnWidths(props.columns, rows, theme));
  const { columns, widths } = fitColumns(props.columns, rows, widest, width - MARK - 1);
  const lines = rows.map(
    (row, place): Line => [
      place === cursor
        ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true }
        : { text: ' '.repeat(MARK) },
      ...rowLine(columns, widths, theme, row),
    ],
  );
  return (
    <>
      <OneLine line={[{ text: ' '.repeat(MARK) }, ...headingLine(columns, widths, theme)]} width={width} />
      <LineList lines={lines} width={width} />
    </>
  );
}

const GAP = 2;

/**
 * The columns that fit into `width`, those with a low rank first; the room that is left goes to the growing ones, in the
 * order of their ranks. Columns without a single value are left out.
 */
export function fitColumns<Item>(
  all: readonly GrowingColumn<Item>[],
  rows: readonly Item[],
  widest: ReadonlyMap<string, number>,
  width: number,
): { readonly columns: readonly GrowingColumn<Item>[]; readonly widths: ReadonlyMap<string, number> } {
  const told = all.filter(
    ({ rank, cell }) => rank === 0 || rows.length === 0 || rows.some((row) => !isUnknown(cell(row))),
  );
  const ranked = [...told].sort((one, other) => one.rank - other.rank);
  const widths = new Map<string, number>();
  let left = width + GAP;
  for (const { id, least, most } of ranked) {
    const own = most === undefined ? (widest.get(id) ?? least) : least;
    if (own + GAP > left && widths.size > 0) continue;
    widths.set(id, own);
    left -= own + GAP;
  }
  for (const { id, least, most = 0 } of ranked) {
    const own = widths.get(id);
    if (own === undefined || most <= least) continue;
    const wanted = most === Number.POSITIVE_INFINITY ? own + left : Math.min(widest.get(id) ?? least, most);
    const more = Math.max(Math.min(wanted - own, left), 0);
    widths.set(id, own + more);
    left -= more;
  }
  return { columns: all.filter(({ id }) => widths.has(id)), widths };
}

const isUnknown = (cell: string | Line) => cell === UNKNOWN || cell === '';

interface SpokenListProps<Item extends ListItem, Details extends Item, Seed>
  extends ListScreenProps<Item, Details, Seed> {
  readonly title: string;
  /** From the selected one on. */
  readonly rest: readonly Item[];
  readonly notices: readonly Line[];
}

/** The list for a screen reader: the row of each item, the selected one first, and what its foot says. */
function SpokenList<Item extends ListItem, Details extends Item, Seed>(
  props: SpokenListProps<Item, Details, Seed>,
) {
  const { resource, context, title, rest, notices } = props;
  const items = rest.slice(0, MOST_SPOKEN);
  const columns = resource.columns(context, items);
  const spokenItem = (item: Item): readonly string[] => {
    const foot = (resource.foot?.lines(item, context) ?? []).map(spokenLine);
    const cells = columns.flatMap(({ heading, cell, most }, place) => {
      const value = cell(item);
      const text = spokenLine(typeof value === 'string' ? [{ text: value }] : value);
      if (isUnknown(value) || text === '') return [];
      // A growing column holds a text, which the foot may say in full.
      if (most !== undefined && foot.some((line) => line.includes(text))) return [];
      return [place === 0 ? text : `${heading} ${text}`];
    });
    return [cells.join(', '), ...foot];
  };
  const lines = [
    `${title} Enter opens the first one named here, n makes a new one`,
    ...notices.map(spokenLine),
    ...items.flatMap(spokenItem),
  ];
  return <SpokenSentences sentences={spokenSentences(lines)} />;
}
