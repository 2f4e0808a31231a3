import { Box, useIsScreenReaderEnabled } from 'ink';
import { ClientError } from '../../client/errors.ts';
import type { ListItem } from '../data/lists.tsx';
import { scrollKeys, useKeys, useOverlayScope } from '../input/use-keys.tsx';
import { PaneState, PolledFrame } from '../ui/pane-state.tsx';
import { type Line, LineList, OneLine, SegmentLine, SpokenSentences, scrolledTo } from '../ui/text.tsx';
import { ASCII_THEME } from '../ui/theme.ts';
import type { SharedProps } from './resource-pane.tsx';
import type { ResourceView } from './resource-state.ts';

interface DetailsScreenProps<Item extends ListItem, Details extends Item, Seed>
  extends SharedProps<Item, Details, Seed> {
  readonly view: Extract<ResourceView<Seed>, { kind: 'details' }>;
  /** Its row in the list. */
  readonly listed: Item | undefined;
}

/** One item: all that is known of it, and the log of what was done for it. */
export function ResourceDetailsScreen<Item extends ListItem, Details extends Item, Seed>(
  props: DetailsScreenProps<Item, Details, Seed>,
) {
  const { resource, context, actions, itemKeys, view, listed, dispatch, columns, rows } = props;
  const isSpoken = useIsScreenReaderEnabled();
  const details = resource.useDetails(view.id, listed, context);
  const { polled, item, title, entries, redeliver } = details;
  const selected = Math.max(
    entries.findIndex(({ id }) => id === view.entry),
    0,
  );
  const logs = entries.map((entry, place) => entry.lines(place === selected));
  const lines = [...details.lines, ...logs.flat()];
  const room = Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
  const most = Math.max(lines.length - room, 0);
  const top = Math.min(view.top, most);

  const scroll = (to: number) => dispatch({ type: 'scroll', top: Math.min(Math.max(to, 0), most) });
  const select = (to: number) => {
    const next = entries[to];
    if (next === undefined) return;
    const from = details.lines.length + logs.slice(0, to).reduce((sum, log) => sum + log.length, 0);
    const end = from + (logs[to]?.length ?? 1) - 1;
    const inSight = scrolledTo(from, scrolledTo(end, top, room), room);
    dispatch({ type: 'scroll', top: Math.min(inSight, most), entry: next.id });
  };
  useOverlayScope(resource.name);
  useKeys(resource.plural, {
    ...scrollKeys(scroll, { top, room, most }),
    new: actions.new,
    ...(actions.undo === undefined ? {} : { undo: actions.undo }),
    ...itemKeys(item),
  });
  const entry = entries[selected];
  useKeys(resource.name, {
    close: () => dispatch({ type: 'list' }),
    ...(entry === undefined || redeliver === undefined ? {} : { redeliver: () => redeliver(entry.id) }),
    ...(entries.length > 1 ? { previous: () => select(selected - 1), next: () => select(selected + 1) } : {}),
  });

  const what = `the ${resource.name}`;
  if (polled.data === undefined && polled.error instanceof ClientError && polled.error.status === 404) {
    return (
      <Box width={columns} height={rows}>
        <PaneState
          kind="empty"
          title={`There is no such ${resource.name} any more`}
          hint="Esc goes back to the list."
        />
      </Box>
    );
  }
  return (
    <PolledFrame polled={polled} what={what} pending={false} width={columns} height={rows}>
      {(notice) => {
        if (item === undefined) return <PaneState kind="loading" what={what} />;
        if (isSpoken) {
          const known = [...title, ...details.lines].map(spokenLine);
          const log = logs
            .slice(selected, selected + MOST_SPOKEN)
            .flatMap((entry, place) =>
              entry.map((line, at) => `${place + at === 0 ? 'Selected: ' : ''}${spokenLine(line)}`),
            );
          return <SpokenSentences sentences={spokenSentences([...known, ...log])} />;
        }
        const below = lines.length - top - room;
        // A narrow screen has no room for the word beside a long state.
        const unit = columns < 80 ? '' : below === 1 ? ' line' : ' lines';
        const hidden = below > 0 ? [[{ text: `${below}${unit} below (j)`, faint: true }]] : [];
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={title.toSpliced(2, 0, ...hidden)} width={columns} />
            {notice === null ? null : <OneLine line={[{ text: ' ' }, ...notice]} width={columns} />}
            <LineList lines={lines.slice(top, top + room)} width={columns} />
          </Box>
        );
      }}
    </PolledFrame>
  );
}

/** Entries of a log, or items, that are read out at once. */
export const MOST_SPOKEN = 10;

/** What there is to read in lines, each as a sentence. */
export function spokenSentences(lines: readonly string[]): readonly string[] {
  return lines
    .filter((text) => /\p{L}|\p{N}/u.test(text))
    .map((text) => (/[.?!]$/.test(text) ? text : `${text}.`));
}

/** A line as it is read out, without glyphs and gaps that only draw. */
export function spokenLine(line: Line): string {
  return ASCII_THEME.text(line.map(({ text }) => text).join(''))
    .trim()
    .replace(/^v (?=\d)/, 'down ')
    .replace(/^\^ (?=\d)/, 'up ')
    .replace(/^(?:[*o>!-] )+/, '')
    .replace(/\s{2,}/g, ', ')
    .replace(/ [*o!] /g, ' ');
}
