import type { ServiceDescription } from '../../../client/openapi.ts';
import type { DashboardView, MarketView, RateLimitsView } from '../../../client/views/dashboard.ts';
import type { RecommendationView } from '../../../client/views/gas.ts';
import { formatAge } from '../../../core/units.ts';
import type { Polled } from '../../data/queries.ts';
import { sectionLine } from '../../ui/fact-list.tsx';
import type { PaneContext } from '../../ui/pane-context.ts';
import { missingReason, nextTry } from '../../ui/pane-state.tsx';
import { EMPTY_LINE, faint, flow, type Line, plain } from '../../ui/text.tsx';

export type Part<T> = Pick<Polled<T>, 'data' | 'at' | 'error' | 'retryAt'>;

export interface ServiceContext extends PaneContext {
  readonly now: number;
  readonly isOwn: boolean;
  /** The frame already says why the data is stale. */
  readonly isPast: boolean;
  readonly summary: Part<DashboardView>;
  readonly limits: Part<RateLimitsView>;
  readonly day: Part<MarketView>;
  readonly month: Part<MarketView>;
  readonly recommendation: Part<RecommendationView>;
  /** Its value is `null` when the service has no description. */
  readonly description: Part<ServiceDescription | null>;
}

/** The text for a part without data (`lacking`), or beside stale data; empty while it is fresh. */
export function stateOf(
  what: string,
  { data, at, error, retryAt }: Part<unknown>,
  { now, isPast }: Pick<ServiceContext, 'now' | 'isPast'>,
  lacking = `no ${what}`,
): readonly Line[] {
  if (error === null) return data === undefined ? [[faint(`loading ${what} …`)]] : [];
  const problem = missingReason(error, isPast);
  if (data === undefined) return [[faint(`${lacking}: ${problem}`)]];
  const next = nextTry(retryAt, now);
  return [[faint(`as of ${formatAge((now - at) / 1_000)}${next === null ? '' : `, ${next}`}: ${problem}`)]];
}

const TITLE_ROOM = 'Summary'.length;
const MARGIN = 3;

export const indented = (line: Line): Line => [plain(' '.repeat(MARGIN)), ...line];

/** The first line of a part; texts after the titles are aligned. */
export function partTitle(title: string, rest: Line = EMPTY_LINE): Line {
  return sectionLine(title.padEnd(TITLE_ROOM), rest);
}

/** A title and unbroken phrases after it, on as many lines as needed. */
export function phraseLines(title: string, phrases: readonly string[], width: number): readonly Line[] {
  const lines = flow(
    phrases.map((text) => [{ text }]),
    width - TITLE_ROOM - MARGIN + 1,
    { most: Number.POSITIVE_INFINITY, gap: 1 },
  );
  return lines.map(([, ...spans], place) =>
    partTitle(
      place === 0 ? title : '',
      spans.map((span) => ({ ...span, faint: place > 0 })),
    ),
  );
}
