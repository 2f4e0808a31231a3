import type { LaneName } from '../../core/advice.ts';
import { checked } from '../checked.ts';
import { usageError } from '../cli-error.ts';
import { parseDuration } from '../duration.ts';
import { parseGwei } from '../gwei.ts';
import { parseCount } from '../setting-values.ts';

/** A timer cannot be set for longer. */
const LONGEST_TIMEOUT = '24d';
const MOST_CONFIRMATIONS = 1_000;

export interface WaitFlags {
  readonly below?: string;
  readonly above?: string;
  readonly lane?: LaneName;
  readonly timeout?: string;
  readonly confirm?: string;
  readonly quiet?: boolean;
}

/** What `gastop wait` waits for. */
export interface WaitPlan {
  readonly lane: LaneName;
  /** The target itself counts on both sides: at or below, at or above. */
  readonly side: 'below' | 'above';
  /** Wei per gas. */
  readonly target: bigint;
  /** `null`: as long as it takes. */
  readonly timeoutSec: number | null;
  /** Blocks in a row that must be so. */
  readonly confirm: number;
}

/** @throws CliError (usage) */
export function waitPlan(flags: WaitFlags): WaitPlan {
  const { below, above, timeout, confirm } = flags;
  if (below !== undefined && above !== undefined) {
    throw usageError('--below and --above cannot be combined; name one price to wait for');
  }
  const side = above === undefined ? 'below' : 'above';
  const price = below ?? above;
  if (price === undefined) {
    throw usageError('wait needs a price to wait for: --below GWEI, or --above GWEI');
  }
  return {
    lane: flags.lane ?? 'average',
    side,
    target: checked(`--${side}`, () => parseGwei(price)),
    timeoutSec:
      timeout === undefined
        ? null
        : checked('--timeout', () => parseDuration(timeout, { min: '1s', max: LONGEST_TIMEOUT })),
    confirm: confirm === undefined ? 1 : checked('--confirm', () => parseConfirm(confirm)),
  };
}

function parseConfirm(text: string): number {
  const blocks = parseCount(text);
  if (blocks > MOST_CONFIRMATIONS)
    throw new RangeError(`"${text}" is too many blocks; at most ${MOST_CONFIRMATIONS}`);
  return blocks;
}

/** Whether the price is where the plan wants it. */
export function isMet({ side, target }: WaitPlan, price: bigint): boolean {
  return side === 'below' ? price <= target : price >= target;
}
