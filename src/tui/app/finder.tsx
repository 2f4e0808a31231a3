import { Box, Text } from 'ink';
import { type ReactNode, useContext, useState } from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';
import { looksLikeKey } from '../../core/key-text.ts';
import { formatCount } from '../../core/units.ts';
import { FilterContext, ListsContext, matchesFilter } from '../data/lists.tsx';
import { useMonitor } from '../data/queries.ts';
import type { Scope } from '../input/keymap.ts';
import { TextField } from '../input/text-field.tsx';
import { useKeys } from '../input/use-keys.tsx';
import { noTransactions, readLookup } from '../panes/explorer/explorer-state.ts';
import { displayWidth, truncate } from '../ui/text.tsx';
import { type ColorName, useTheme } from '../ui/theme.ts';
import { veilAll } from './source.ts';
import { useKeptState, useNavigation } from './ui-state.ts';

interface Find {
  readonly isOpen: boolean;
  readonly filter: string;
}

const NO_FIND: Find = { isOpen: false, filter: '' };

/** Rows that the field takes from the tab. */
const FIND_ROWS = 2;

interface FinderProps {
  readonly scope: Scope;
  readonly snapshot: SnapshotView;
  readonly columns: number;
  readonly rows: number;
  /** Draws the tab in the remaining rows. */
  readonly children: (rows: number) => ReactNode;
}

/** `/` on a tab: filters its list while typing, and opens a block or a transaction in the Explorer. */
export function Finder({ scope, snapshot, columns, rows, children }: FinderProps) {
  const [{ isOpen, filter }, change] = useKeptState(`find ${scope}`, NO_FIND);
  const setFind = (find: Find) => change(() => find);
  useKeys('global', {
    find: () => setFind({ isOpen: true, filter: '' }),
    ...(filter === '' ? {} : { back: () => setFind(NO_FIND) }),
  });
  return (
    <FilterContext value={filter.trim()}>
      {isOpen ? (
        <FindField
          scope={scope}
          snapshot={snapshot}
          width={columns}
          onChange={(text) => setFind({ isOpen: true, filter: text })}
          onKeep={() => setFind({ isOpen: false, filter })}
          onClose={() => setFind(NO_FIND)}
        />
      ) : null}
      {children(rows - (isOpen ? FIND_ROWS : 0))}
    </FilterContext>
  );
}

interface FindFieldProps {
  readonly scope: Scope;
  readonly snapshot: SnapshotView;
  readonly width: number;
  readonly onChange: (text: string) => void;
  /** Closes the field and keeps the filter. */
  readonly onKeep: () => void;
  readonly onClose: () => void;
}

const EXAMPLES = 'a block like 24,337,604, #24337604 or 0x1735cc4, or the hash of a transaction';
const SHORT_EXAMPLES = 'a block number, or the hash of a transaction';
const LIST_HINT = 'words filter the list; a block number or a hash opens in Explorer';

function FindField({ scope, snapshot, width, onChange, onKeep, onClose }: FindFieldProps) {
  const theme = useTheme();
  const lists = useContext(ListsContext);
  const { isKey = looksLikeKey } = useMonitor();
  const { openPlace } = useNavigation();
  const [text, setText] = useState('');
  const feed = scope === 'alerts' ? lists?.alerts : scope === 'auto-txs' ? lists?.autoTxs : undefined;
  const items = feed?.data?.value.items;
  const matching = items?.filter((item) => matchesFilter(item, text.trim())).length ?? 0;
  const context = { head: snapshot.blockNumber, noTransactions: noTransactions(snapshot), isKey };
  const read = readLookup(text, context);
  const isFilter = items !== undefined && (matching > 0 || read.kind !== 'found');
  const [words, color] = ((): readonly [string, ColorName | null] => {
    if (read.kind === 'nothing') {
      if (items !== undefined) return [LIST_HINT, null];
      return [displayWidth(EXAMPLES) <= width - 2 ? EXAMPLES : SHORT_EXAMPLES, null];
    }
    if (isFilter && matching > 0) {
      const count = `${formatCount(matching)} of ${formatCount(items.length)}`;
      return [`${count} match: ⏎ keeps the filter, Esc clears it`, 'good'];
    }
    if (isFilter && !isKey(text)) {
      return [`${theme.glyph.warning} nothing matches, and it is no block or transaction`, 'warn'];
    }
    if (read.kind === 'wrong') return [`${theme.glyph.warning} ${read.problem}`, 'warn'];
    return ['⏎ opens it in Explorer, Esc closes', 'good'];
  })();
  return (
    <Box flexDirection="column" flexShrink={0} height={FIND_ROWS}>
      <TextField
        label=" find"
        width={width}
        veil={(typed) => (isKey(typed) ? veilAll(typed, theme) : typed)}
        onChange={(typed) => {
          setText(typed);
          onChange(isKey(typed) ? '' : typed);
        }}
        onSubmit={() => {
          if (isFilter) onKeep();
          else if (read.kind === 'found') {
            onClose();
            openPlace(read.place);
          }
        }}
        onCancel={onClose}
      />
      <Text wrap="truncate" {...(color === null ? { dimColor: true } : { color: theme.color(color) })}>
        {` ${truncate(theme.text(words), width - 2, theme.glyph.ellipsis)}`}
      </Text>
    </Box>
  );
}
