import { Box } from 'ink';
import { type ReactNode, useContext, useState } from 'react';
import * as z from 'zod';
import { looksLikeKey } from '../../core/key-text.ts';
import { KEY_PROBLEM, parseLookup } from '../../core/parse-lookup.ts';
import { formatCount } from '../../core/units.ts';
import { FilterContext, matchesFilter } from '../data/list-filter.ts';
import {
  ListsContext,
  listOfScope,
  MonitorContext,
  type PlaceName,
  useMonitor,
  useShownSnapshot,
} from '../data/monitor-context.ts';
import { useRemembered } from '../data/remembered.ts';
import type { Scope } from '../input/keymap.ts';
import { TextField } from '../input/text-input.tsx';
import { useKeys } from '../input/use-keys.tsx';
import { noTransactions } from '../panes/explorer/details.tsx';
import { presentOf, Room, usePaneMemory, useRoom } from '../ui/pane-context.tsx';
import { colored, faint, LineList, plain } from '../ui/text.tsx';
import type { ColorName } from '../ui/theme.ts';
import { veilAll } from './source.ts';

/** `typed`: in the open field, or a filter that is not to be remembered. */
const NO_FIND = { isOpen: false, typed: '' };
const Filter = z.string().max(200);
/** A hash, or a key that is none of ours. */
const LONG_HEX = /[0-9a-f]{40}/i;
const FIND_ROWS = 2;

/** What Enter does with a typed text, in words: keeps it as the filter, opens something, or nothing. */
interface Reading {
  readonly words: string;
  readonly color?: ColorName;
  readonly onEnter: 'keep' | (() => void) | null;
}

const useKeyFinder = () => useContext(MonitorContext)?.isKey ?? looksLikeKey;

/** `/`: filters what is shown while typing. Returns the filter, and the open field with its rows. */
export function useFind(scope: Scope, read: (text: string) => Reading) {
  const [{ isOpen, typed: own }, setFind] = usePaneMemory(`find ${scope}`, NO_FIND);
  const [remembered, remember] = useRemembered(`${scope}.filter`, Filter, '', {
    isEverywhere: scope === 'board',
  });
  const filter = isOpen || own !== '' ? own : remembered;
  const [text, setText] = useState('');
  const isKey = useKeyFinder();
  const clear = () => {
    setFind(NO_FIND);
    if (remembered !== '') remember('');
  };
  const keep = () => {
    const isRemembered = filter.length <= 200 && !LONG_HEX.test(filter);
    setFind({ isOpen: false, typed: isRemembered ? '' : filter });
    remember(isRemembered ? filter : '');
  };
  useKeys('global', {
    find: () => {
      setText('');
      setFind({ isOpen: true, typed: '' });
    },
    back: filter === '' ? undefined : clear,
  });
  const openField = () => {
    // A long list is read for it.
    const { words, color, onEnter } = read(text);
    return (
      <Box flexDirection="column" flexShrink={0} height={FIND_ROWS}>
        <TextField
          label=" find"
          veil={(typed) => (isKey(typed) ? veilAll(typed) : typed)}
          onChange={(typed) => {
            setText(typed);
            setFind({ isOpen: true, typed: isKey(typed) ? '' : typed });
          }}
          onSubmit={() => {
            if (onEnter === 'keep') keep();
            else if (onEnter !== null) {
              clear();
              onEnter();
            }
          }}
          onCancel={clear}
        />
        <LineList lines={[[plain(' '), color ? colored(words, color) : faint(words)]]} />
      </Box>
    );
  };
  return { filter: filter.trim(), field: isOpen ? openField() : null, rows: isOpen ? FIND_ROWS : 0 };
}

const EXAMPLES = 'a block like 24,337,604, or the hash of a transaction';
const LIST_HINT = 'words filter the list; a block number or a hash opens in Explorer';

export function Finder({ scope, children }: { readonly scope: Scope; readonly children: ReactNode }) {
  const snapshot = useShownSnapshot();
  const { columns, rows } = useRoom();
  const lists = useContext(ListsContext);
  const isKey = useKeyFinder();
  const { openPlace, now } = useMonitor();
  const items = listOfScope(lists, scope)?.data?.items;
  const find = useFind(scope, (text): Reading => {
    const sought = readLookup(text, snapshot.blockNumber, noTransactions(snapshot), isKey);
    const at = { snapshot, present: presentOf(snapshot, now()) };
    const matching = items?.filter((item) => matchesFilter(item, text.trim(), at)).length ?? 0;
    const isFilter = items !== undefined && (matching > 0 || sought.kind !== 'found');
    const onEnter = isFilter ? 'keep' : sought.kind === 'found' ? () => openPlace(sought.place) : null;
    if (sought.kind === 'nothing') return { words: items === undefined ? EXAMPLES : LIST_HINT, onEnter };
    if (isFilter && matching > 0) {
      const count = `${formatCount(matching)} of ${formatCount(items.length)}`;
      return { words: `${count} match: ⏎ keeps the filter, Esc clears it`, color: 'good', onEnter };
    }
    const wrong = sought.kind === 'wrong' ? sought.problem : null;
    const problem = isFilter && !isKey(text) ? 'nothing matches, and it is no block or transaction' : wrong;
    if (problem !== null) return { words: `! ${problem}`, color: 'warn', onEnter };
    return { words: '⏎ opens it in Explorer, Esc closes', color: 'good', onEnter };
  });
  return (
    <FilterContext value={find.filter}>
      {find.field}
      <Room columns={columns} rows={rows - find.rows}>
        {children}
      </Room>
    </FilterContext>
  );
}

export function readLookup(
  typed: string,
  head: number | null,
  without: string | null,
  isKey: (text: string) => boolean,
) {
  const wrong = (problem: string) => ({ kind: 'wrong', problem }) as const;
  const found = (place: PlaceName) => ({ kind: 'found', place }) as const;
  if (typed.trim() === '') return { kind: 'nothing' } as const;
  if (isKey(typed)) return wrong(KEY_PROBLEM);
  const sought = parseLookup(typed);
  if (sought.kind === 'wrong') return sought;
  if (sought.kind === 'tx') return without === null ? found(sought) : wrong(without);
  if (sought.kind === 'block') {
    const isAhead = head !== null && sought.number > head;
    return isAhead ? wrong(`the newest block is ${formatCount(head)}`) : found(sought);
  }
  if (head !== null) return found({ kind: 'block', number: head });
  return wrong('this service does not say which block is its newest; use a number');
}
