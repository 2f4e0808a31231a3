import { AUTO_TX_STATUSES } from '../../contract/choices.ts';
import { cleanLine } from '../clean-line.ts';
import { usageError } from '../cli-error.ts';

/** Words that the monitor and the lists have for some of a status. */
const PARTS = {
  waiting: ({ word, hold }) => word === 'pending' && hold === null,
  held: ({ word, hold }) => word === 'pending' && hold !== null,
  mined: ({ word, blockNumber }) => word === 'submitted' && blockNumber !== null,
} as const satisfies Readonly<Record<string, (row: StatusRow & { readonly word: string }) => boolean>>;

const KNOWN: readonly string[] = [
  ...AUTO_TX_STATUSES.map((each) => each.toLowerCase()),
  ...Object.keys(PARTS),
];

/** An auto-tx, as it was read or as a service wrote it. */
interface StatusRow {
  readonly status?: unknown;
  readonly hold?: unknown;
  readonly blockNumber?: unknown;
}

export interface StatusFilter {
  readonly isWanted: (row: StatusRow) => boolean;
  /** To be called once all were looked at. @throws CliError (usage) for a word that is known and found nowhere. */
  readonly refuseUnknown: () => void;
}

/** What `--status` asks for: words in any case, several by commas; a service's own words are as good as the contract's. */
export function statusFilter(flag: string | undefined): StatusFilter {
  const wanted = flag === undefined ? null : flag.split(',').map((word) => word.trim().toLowerCase());
  const found = new Set(KNOWN);
  return {
    isWanted: ({ status, hold = null, blockNumber = null }) => {
      if (typeof status !== 'string') return wanted === null;
      const word = status.toLowerCase();
      found.add(word);
      if (wanted === null || wanted.includes(word)) return true;
      return Object.entries(PARTS).some(
        ([part, isOf]) => wanted.includes(part) && isOf({ word, hold, blockNumber }),
      );
    },
    refuseUnknown: () => {
      const unknown = wanted?.find((word) => !found.has(word));
      if (unknown === undefined) return;
      const named = unknown === '' ? 'nothing' : `"${cleanLine(unknown)}"`;
      throw usageError(
        `--status: ${named} is no status; it is one of ${[...found].map((word) => cleanLine(word)).join(', ')}`,
      );
    },
  };
}
