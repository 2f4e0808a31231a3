import { formatAge, formatDuration } from '../../../core/units.ts';
import { sectionLine } from '../../ui/fact-list.tsx';
import { EMPTY_LINE, type Line } from '../../ui/text.tsx';
import type { Part } from './service-view.ts';

/**
 * What stands where a part has no data, or beside data that is old; `null`: it is there and fresh.
 *
 * @param lacking what is said where it is not there, if `no ` + `what` could be taken for the answer
 */
export function partLine<T>(
  what: string,
  { value, at, problem, retryAt }: Part<T>,
  now: number,
  lacking = `no ${what}`,
): Line | null {
  if (problem !== null) {
    const since = value === null || at === null ? lacking : `as of ${formatAge((now - at) / 1_000)}`;
    const sec = retryAt === null ? null : Math.max(Math.ceil((retryAt - now) / 1_000), 0);
    const next = sec === null || value === null ? '' : `, next try in ${formatDuration(sec)}`;
    return [{ text: `${since}${next}: ${problem}`, faint: true }];
  }
  return value === null ? [{ text: `loading ${what} …`, faint: true }] : null;
}

const TITLE_ROOM = 'Summary'.length;

/** The first line of a part; what follows the titles stands in one column. */
export function partTitle(title: string, rest: Line = EMPTY_LINE): Line {
  return sectionLine(title.padEnd(TITLE_ROOM), rest);
}
