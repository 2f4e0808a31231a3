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
}

const HASH_DIGITS = 64;
/** Hexadecimal digits of the largest number that is exact here (2^53 − 1). */
const NUMBER_DIGITS = 14;

/**
 * What was typed: a block by number (`24337604`, `24,337,604`, `#24337604`, `0x1735cc4`, `latest`) or a transaction
 * by its hash, with or without `0x`.
 */
export function readLookup(typed: string, context: LookupContext): Lookup {
  const text = typed.trim();
  if (text === '') return { kind: 'nothing' };
  if (/^(latest|head)$/i.test(text)) {
    return context.head === null
      ? wrong('this service does not say which block is its newest; use a number')
      : found({ kind: 'block', number: context.head });
  }
  const hex = /^0x(.*)$/i.exec(text)?.[1];
  if (hex !== undefined) return readHex(hex, context);
  if (/^[0-9a-f]{64}$/i.test(text)) return readHex(text, context);
  return readNumber(text, context);
}

function readHex(digits: string, context: LookupContext): Lookup {
  const stray = /[^0-9a-f]/i.exec(digits)?.[0];
  if (stray !== undefined) return wrong(`${quoted(stray)} is no hexadecimal digit: 0 to 9 and a to f are`);
  if (digits === '') return wrong('digits are missing after 0x');
  if (digits.length === HASH_DIGITS) {
    if (context.noTransactions !== null) return wrong(context.noTransactions);
    return found({ kind: 'tx', hash: `0x${digits.toLowerCase()}` });
  }
  if (digits.length <= NUMBER_DIGITS) return readBlock(Number.parseInt(digits, 16), context);
  if (digits.length === 40) return wrong('this is an address; a transaction hash has 64 digits after 0x');
  return wrong(`a transaction hash has 64 digits after 0x, this has ${digits.length}`);
}

function readNumber(text: string, context: LookupContext): Lookup {
  const digits = text.replace(/^#\s*/, '');
  if (/^\d+$/.test(digits)) return readBlock(Number(digits), context);
  if (/^\d{1,3}([ ,._'’\u00a0\u2009\u202f])\d{3}(\1\d{3})*$/u.test(digits)) {
    return readBlock(Number(digits.replace(/\D/gu, '')), context);
  }
  if (/^\d[\d ,._'’]*$/u.test(digits)) return wrong('digits stand in groups of three: 24,337,604');
  if (/^[0-9a-f]{15,}$/i.test(digits)) {
    return wrong(`a transaction hash has 64 digits, this has ${digits.length}`);
  }
  if (/^[0-9a-f]+$/i.test(digits)) return wrong('put 0x before a hexadecimal block number');
  const stray = /[^\d]/u.exec(digits)?.[0] ?? digits;
  return wrong(`${quoted(stray)} does not belong here: type a block number or a transaction hash`);
}

function readBlock(number: number, { head }: LookupContext): Lookup {
  if (!Number.isSafeInteger(number)) return wrong('no chain is that long: a block number has fewer digits');
  if (head !== null && number > head) return wrong(`the newest block is ${formatCount(head)}`);
  return found({ kind: 'block', number });
}

const found = (place: PlaceName): Lookup => ({ kind: 'found', place });
const wrong = (problem: string): Lookup => ({ kind: 'wrong', problem });
const quoted = (text: string) => `“${text}”`;
