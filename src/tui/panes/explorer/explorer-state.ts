import type { SnapshotView } from '../../../client/views/gas.ts';
import { PATHS } from '../../../contract/routes.ts';
import { KEY_PROBLEM, parseLookup } from '../../../core/parse-lookup.ts';
import { formatCount } from '../../../core/units.ts';
import type { Memory } from '../../app/ui-state.ts';
import type { RawQuestion } from '../../chrome/raw-view.tsx';

export type PlaceName =
  | { readonly kind: 'block'; readonly number: number }
  | { readonly kind: 'tx'; readonly hash: string };

export type Place = PlaceName & {
  /** The first line that is shown. */
  readonly top: number;
  /** The marked transaction of a block by its place in the list; `null`: none yet, the facts are being read. */
  readonly selected: number | null;
};

/** What the user looks at on the Explorer tab; kept while other tabs are shown. */
export interface ExplorerState {
  /** The block under the cursor by its number, so that it stays while new ones arrive; `null` follows the newest. */
  readonly cursor: number | null;
  /** What lies open over the list, each opened from the one before. */
  readonly places: readonly Place[];
}

export interface ExplorerLevelProps {
  readonly snapshot: SnapshotView;
  readonly change: (change: (state: ExplorerState) => ExplorerState) => void;
  readonly columns: number;
  readonly rows: number;
}

export const EXPLORER_MEMORY = 'explorer';
export const INITIAL_EXPLORER_STATE: ExplorerState = { cursor: null, places: [] };

/** Blocks and transactions lead to each other; nobody goes back through more. */
const MOST_PLACES = 50;

const idOf = (name: PlaceName) => (name.kind === 'block' ? String(name.number) : name.hash);

export function opened(state: ExplorerState, name: PlaceName): ExplorerState {
  const { places } = state;
  // A block opened from one of its own transactions is the one it came from: back instead of deeper.
  const known = [-2, -1].find(
    (at) => places.at(at) !== undefined && idOf(places.at(at) ?? name) === idOf(name),
  );
  if (known !== undefined) return known === -1 ? state : back(state);
  return { ...state, places: [...places, { ...name, top: 0, selected: null }].slice(-MOST_PLACES) };
}

export function turnedTo(state: ExplorerState, number: number): ExplorerState {
  return { ...state, places: [...back(state).places, { kind: 'block', number, top: 0, selected: null }] };
}

export function back(state: ExplorerState): ExplorerState {
  return { ...state, places: state.places.slice(0, -1) };
}

export function scrolled(state: ExplorerState, to: Partial<Pick<Place, 'top' | 'selected'>>): ExplorerState {
  return {
    ...state,
    places: state.places.map((place, at, { length }) => (at < length - 1 ? place : { ...place, ...to })),
  };
}

const stateIn = (memory: Memory) => (memory.get(EXPLORER_MEMORY) ?? INITIAL_EXPLORER_STATE) as ExplorerState;

/** Has the tab show a block or a transaction when it is shown next. */
export function openPlace(memory: Memory, name: PlaceName): void {
  memory.set(EXPLORER_MEMORY, opened(stateIn(memory), name));
}

/** What the raw view asks for: what is open, or else the list's base fees. */
export function explorerQuestion(memory: Memory): RawQuestion {
  const place = stateIn(memory).places.at(-1);
  if (place === undefined) return { path: PATHS.baseFee, query: { bucket: 'block' } };
  return { path: (place.kind === 'block' ? PATHS.block : PATHS.tx).replace(/\{\w+\}/, idOf(place)) };
}

/** Why no transactions can be seen here; `null`: they can. */
export function noTransactions({ source }: SnapshotView): string | null {
  return source.kind === 'replay' ? 'a recording holds no transactions; its blocks can be looked up' : null;
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

export function readLookup(typed: string, { head, noTransactions: without, isKey }: LookupContext): Lookup {
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
      return without === null ? found(sought) : wrong(without);
  }
}

const found = (place: PlaceName): Lookup => ({ kind: 'found', place });
const wrong = (problem: string): Lookup => ({ kind: 'wrong', problem });
