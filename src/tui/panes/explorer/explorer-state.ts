import type { SnapshotView } from '../../../client/views/gas.ts';
import { PATHS } from '../../../contract/routes.ts';
import { KEY_PROBLEM, parseLookup } from '../../../core/parse-lookup.ts';
import { formatCount } from '../../../core/units.ts';
import type { RawRequest } from '../../chrome/raw-view.tsx';
import type { PlaceName } from '../../data/queries.ts';
import type { Memory } from '../../ui/pane-context.tsx';

export type Place = PlaceName & { readonly at: number };

export interface ExplorerState {
  /** The block under the cursor, so that it stays while new ones arrive; `null` follows the newest. */
  readonly cursor: number | null;
  readonly places: readonly Place[];
}

export const EXPLORER_MEMORY = 'explorer';
export const INITIAL_EXPLORER_STATE: ExplorerState = { cursor: null, places: [] };

const idOf = (name: PlaceName) => (name.kind === 'block' ? String(name.number) : name.hash);

/** Blocks and transactions link to each other: one that is open is gone back to. */
export function opened({ cursor, places }: ExplorerState, name: PlaceName): ExplorerState {
  const known = places.findIndex((place) => idOf(place) === idOf(name));
  return { cursor, places: known < 0 ? [...places, { ...name, at: 0 }] : places.slice(0, known + 1) };
}

export const back = (state: ExplorerState) => ({ ...state, places: state.places.slice(0, -1) });

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
