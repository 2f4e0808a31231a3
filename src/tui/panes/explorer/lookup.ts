import { KEY_PROBLEM, parseLookup } from '../../../core/parse-lookup.ts';
import { formatCount } from '../../../core/units.ts';
import type { PlaceName } from './explorer-state.ts';

export type Lookup =
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
