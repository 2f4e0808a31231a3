import type { ServiceDescription } from '../../../client/openapi.ts';
import type { DashboardView, MarketView, RateLimitsView } from '../../../client/views/dashboard.ts';
import type { RecommendationView } from '../../../client/views/gas.ts';
import { formatAge, formatDuration } from '../../../core/units.ts';
import { sectionLine } from '../../ui/fact-list.tsx';
import type { PaneContext } from '../../ui/pane-context.ts';
import { displayWidth, EMPTY_LINE, type Line } from '../../ui/text.tsx';

/** One answer of the service, as far as there is one. */
export interface Part<T> {
  /** The last good answer. */
  readonly value: T | null;
  /** When it came, ms. */
  readonly at: number | null;
  /** Why there is none, or none newer: one clean line; `null` while all is well. */
  readonly problem: string | null;
  /** When it is asked for again by itself, ms; `null`: it is not. */
  readonly retryAt: number | null;
}

/** All that the Service pane draws. */
export interface ServiceContext extends PaneContext {
  /** Ms since epoch. */
  readonly now: number;
  /** The service is the one in this process. */
  readonly isOwn: boolean;
  readonly summary: Part<DashboardView>;
  readonly limits: Part<RateLimitsView>;
  readonly day: Part<MarketView>;
  readonly month: Part<MarketView>;
  readonly recommendation: Part<RecommendationView>;
  /** Its value is `null` too where the service says nothing about itself. */
  readonly description: Part<ServiceDescription | null>;
}

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
  if (problem === null) return value === null ? [{ text: `loading ${what} …`, faint: true }] : null;
  if (value === null || at === null) return [{ text: `${lacking}: ${problem}`, faint: true }];
  const sec = retryAt === null ? null : Math.max(Math.ceil((retryAt - now) / 1_000), 0);
  const next = sec === null ? '' : `, next try in ${formatDuration(sec)}`;
  return [{ text: `as of ${formatAge((now - at) / 1_000)}${next}: ${problem}`, faint: true }];
}

const TITLE_ROOM = 'Summary'.length;
const MARGIN = 3;

export const indented = (line: Line): Line => [{ text: ' '.repeat(MARGIN) }, ...line];

/** The first line of a part; what follows the titles stands in one column. */
export function partTitle(title: string, rest: Line = EMPTY_LINE): Line {
  return sectionLine(title.padEnd(TITLE_ROOM), rest);
}

/** A title and phrases after it, none of them broken, on as many lines as they need. */
export function phraseLines(title: string, phrases: readonly string[], width: number): readonly Line[] {
  const lines: string[] = [];
  const room = width - TITLE_ROOM - MARGIN - 1;
  for (const phrase of phrases) {
    const joined = lines.length === 0 ? phrase : `${lines.at(-1)} ${phrase}`;
    if (lines.length > 0 && displayWidth(joined.trimEnd()) <= room) lines[lines.length - 1] = joined;
    else lines.push(phrase);
  }
  return lines.map((text, place) => partTitle(place === 0 ? title : '', [{ text, faint: place > 0 }]));
}
