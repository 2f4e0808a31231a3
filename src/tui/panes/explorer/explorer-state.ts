import type { SnapshotView } from '../../../client/views/gas.ts';
import { PATHS } from '../../../contract/routes.ts';
import { KEY_PROBLEM, parseLookup } from '../../../core/parse-lookup.ts';
import { formatCount } from '../../../core/units.ts';
import type { Memory } from '../../app/ui-state.ts';
import type { RawQuestion } from '../../chrome/raw-view.tsx';

/** What each level of the Explorer is given. */
export interface ExplorerLevelProps {
  readonly snapshot: SnapshotView;
  readonly symbol: string;
  readonly dispatch: (action: ExplorerAction) => void;
  readonly columns: number;
  readonly rows: number;
}

/** What can be opened from the list of blocks, or looked up. */
export type Place =
  | {
      readonly kind: 'block';
      readonly number: number;
      /** The marked transaction by its place in the list; `null`: none yet, the facts are being read. */
      readonly selected: number | null;
      /** The first line that is shown. */
      readonly top: number;
    }
  | { readonly kind: 'tx'; readonly hash: string; readonly top: number };

export type PlaceName =
  | { readonly kind: 'block'; readonly number: number }
  | { readonly kind: 'tx'; readonly hash: string };

/** What the user looks at on the Explorer tab; kept while other tabs are shown. */
interface ExplorerState {
  /** The block under the cursor by its number, so that it stays while new ones arrive; `null` follows the newest. */
  readonly cursor: number | null;
  /** What lies open over the list, each opened from the one before. */
  readonly places: readonly Place[];
}

type ExplorerAction =
  | { readonly type: 'move-cursor'; readonly to: number | null }
  | { readonly type: 'open'; readonly place: PlaceName }
  /** Another block in the place of the one that is open. */
  | { readonly type: 'turn-to'; readonly number: number }
  | { readonly type: 'scroll'; readonly top: number; readonly selected?: number | null }
  | { readonly type: 'back' };

export const INITIAL_EXPLORER_STATE: ExplorerState = { cursor: null, places: [] };

/** Blocks and transactions lead to each other; nobody goes back through more. */
const MOST_PLACES = 50;

export function explorerReducer(state: ExplorerState, action: ExplorerAction): ExplorerState {
  const place = state.places.at(-1);
  const below = state.places.slice(0, -1);
  switch (action.type) {
    case 'move-cursor':
      return { ...state, cursor: action.to };
    case 'open': {
      const before = below.at(-1);
      // A block opened from one of its own transactions is the one it came from: back instead of deeper.
      if (before !== undefined && isSame(before, action.place)) return { ...state, places: below };
      if (place !== undefined && isSame(place, action.place)) return state;
      return { ...state, places: [...state.places, opened(action.place)].slice(-MOST_PLACES) };
    }
    case 'turn-to':
      return { ...state, places: [...below, opened({ kind: 'block', number: action.number })] };
    case 'scroll': {
      if (place === undefined) return state;
      const { top, selected } = action;
      const moved =
        place.kind === 'block' && selected !== undefined ? { ...place, top, selected } : { ...place, top };
      return { ...state, places: [...below, moved] };
    }
    case 'back':
      return { ...state, places: below };
  }
}

function opened(name: PlaceName): Place {
  return name.kind === 'block'
    ? { kind: 'block', number: name.number, selected: null, top: 0 }
    : { kind: 'tx', hash: name.hash, top: 0 };
}

function isSame(place: Place, name: PlaceName): boolean {
  if (place.kind === 'block') return name.kind === 'block' && place.number === name.number;
  return name.kind === 'tx' && place.hash === name.hash;
}

export const EXPLORER_MEMORY = 'explorer';

const stateIn = (memory: Memory) => (memory.get(EXPLORER_MEMORY) ?? INITIAL_EXPLORER_STATE) as ExplorerState;

/** Has the tab show a block or a transaction when it is shown next. */
export function openPlace(memory: Memory, place: PlaceName): void {
  memory.set(EXPLORER_MEMORY, explorerReducer(stateIn(memory), { type: 'open', place }));
}

/** What the raw view asks for: what is open, or else the list's base fees. */
export function explorerQuestion(memory: Memory): RawQuestion {
  const place = stateIn(memory).places.at(-1);
  if (place === undefined) return { path: PATHS.baseFee, query: { bucket: 'block' } };
  return place.kind === 'block'
    ? { path: PATHS.block.replace('{number}', String(place.number)) }
    : { path: PATHS.tx.replace('{hash}', place.hash) };
}

type Lookup =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'found'; readonly place: PlaceName }
  /** One line: what is wrong with what was typed. */
  | { readonly kind: 'wrong'; readonly problem: string };

export interface LookupContext {
  /** The newest block; `null` where the service does not number its blocks. */
  readonly head: number | null;
  /** Why no transaction can be looked up here; `null`: one can. */
  readonly noTransactions: string | null;
  /** Whether a text is a key, which is no hash even if it looks like one. */
  readonly isKey: (text: string) => boolean;
}

/** Where what was typed leads to on this service. */
export function readLookup(typed: string, { head, noTransactions, isKey }: LookupContext): Lookup {
  if (typed.trim() === '') return { kind: 'nothing' };
  if (isKey(typed)) return wrong(KEY_PROBLEM);
  const sought = parseLookup(typed);
  switch (sought.kind) {
    case 'wrong':
      return sought;
    case 'newest':
      return head === null
        ? wrong('this service does not say which block is its newest; use a number')
        : found({ kind: 'block', number: head });
    case 'block':
      return head !== null && sought.number > head
        ? wrong(`the newest block is ${formatCount(head)}`)
        : found(sought);
    case 'tx':
      return noTransactions === null ? found(sought) : wrong(noTransactions);
  }
}

const found = (place: PlaceName): Lookup => ({ kind: 'found', place });
const wrong = (problem: string): Lookup => ({ kind: 'wrong', problem });
