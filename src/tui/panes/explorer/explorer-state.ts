import type { SnapshotView } from '../../../client/views/gas.ts';
import { PATHS } from '../../../contract/routes.ts';
import { KEY_PROBLEM, parseLookup } from '../../../core/parse-lookup.ts';
import { formatCount } from '../../../core/units.ts';
import type { Memory } from '../../app/ui-state.ts';
import type { RawRequest } from '../../chrome/raw-view.tsx';

export type PlaceName =
  | { readonly kind: 'block'; readonly number: number }
  | { readonly kind: 'tx'; readonly hash: string };

export type Place = PlaceName & {
  readonly top: number;
  readonly selected: number | null;
};

export interface ExplorerState {
  /** Number of the block under the cursor, so that it stays while new ones arrive; `null` follows the newest. */
  readonly cursor: number | null;
  readonly places: readonly Place[];
}

export interface ExplorerLevelProps {
  readonly change: (change: (state: ExplorerState) => ExplorerState) => void;
}

export const EXPLORER_MEMORY = 'explorer';
export const INITIAL_EXPLORER_STATE: ExplorerState = { cursor: null, places: [] };

/** Blocks and transactions link to each other; more steps back are never needed. */
const MOST_PLACES = 50;

const idOf = (name: PlaceName) => (name.kind === 'block' ? String(name.number) : name.hash);

export function opened(state: ExplorerState, name: PlaceName): ExplorerState {
  const { places } = state;
  // Opening the block that this transaction was opened from goes back instead of deeper.
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

export function openPlace(memory: Memory, name: PlaceName): void {
  memory.set(EXPLORER_MEMORY, opened(stateIn(memory), name));
}

export function explorerRequest(memory: Memory): RawRequest {
  const place = stateIn(memory).places.at(-1);
  if (place === undefined) return { path: PATHS.baseFee, query: { bucket: 'block' } };
  return { path: (place.kind === 'block' ? PATHS.block : PATHS.tx).replace(/\{\w+\}/, idOf(place)) };
}

export function noTransactions({ source }: SnapshotView): string | null {
  return source.kind === 'replay' ? 'a recording holds no transactions; its blocks can be looked up' : null;
}

type Lookup =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'found'; readonly place: PlaceName }
  | { readonly kind: 'wrong'; readonly problem: string };

export interface LookupContext {
  /** The newest block; `null` when the service does not number its blocks. */
  readonly head: number | null;
  readonly noTransactions: string | null;
  /** Whether a text is a key, even if it looks like a hash. */
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
