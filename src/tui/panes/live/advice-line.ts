import type { RecommendationView } from '../../../client/views/gas.ts';
import { formatDuration, formatGwei, formatLikelihood, formatPercent } from '../../../core/units.ts';
import { keptWords } from '../../track-words.ts';
import type { Fact } from '../../ui/fact-list.tsx';
import type { Span } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import { dayText, systemOffset } from '../../ui/time.ts';

/**
 * The recommendation as facts: what to do, what it saves, how likely, and how such advice has held so far. On a
 * narrow screen the last one uses fewer words.
 *
 * @param olderSec by how much it is older than the prices around it, where that is worth saying
 */
export function adviceFacts(
  advice: RecommendationView,
  theme: Theme,
  narrow: boolean,
  olderSec: number | null = null,
): readonly Fact[] {
  return [
    whatToDo(advice, theme),
    older(olderSec),
    saving(advice),
    likelihood(advice),
    record(advice, narrow),
  ].filter((fact) => fact !== null);
}

function older(sec: number | null): Fact | null {
  if (sec === null) return null;
  return { id: 'older', spans: [{ text: `${formatDuration(sec)} older than the prices`, faint: true }] };
}

function whatToDo(advice: RecommendationView, theme: Theme): Fact {
  const price = advice.targetPrice === null ? null : `${formatGwei(advice.targetPrice)} gwei`;
  const spans: Span[] = [];
  switch (advice.action) {
    case 'SEND_NOW':
      spans.push({ text: `${theme.glyph.arrow} SEND NOW`, color: 'good', bold: true });
      if (price !== null) spans.push({ text: ` at ${price}` });
      break;
    case 'WAIT': {
      const wait = advice.expectedWaitSec;
      spans.push({ text: `${theme.glyph.arrow} WAIT`, color: 'warn', bold: true });
      if (wait !== null) spans.push({ text: ` ~${formatDuration(wait)}` });
      if (price !== null) spans.push({ text: ` for ${price}` });
      break;
    }
    case 'SET_ALERT':
      spans.push({ text: `${theme.glyph.arrow} SET AN ALERT`, color: 'accent', bold: true });
      if (price !== null) spans.push({ text: ` at ${price}` });
      break;
    default:
      spans.push({ text: `${theme.glyph.arrow} ${theme.text(advice.action)}`, bold: true });
      if (price !== null) spans.push({ text: ` ${price}` });
  }
  return { id: 'advice', spans };
}

function saving({ expectedSavingRatio }: RecommendationView): Fact | null {
  if (expectedSavingRatio === null || expectedSavingRatio < 0.005) return null;
  return { id: 'saving', spans: [{ text: `saves ${formatPercent(expectedSavingRatio)}` }] };
}

function likelihood({ probability }: RecommendationView): Fact {
  const text = probability === null ? 'not yet measured' : `${formatLikelihood(probability)} likely`;
  return { id: 'likely', spans: [{ text, faint: probability === null }] };
}

function record({ track }: RecommendationView, narrow: boolean): Fact | null {
  const kept = track === null ? null : keptWords(track, narrow);
  if (track === null || kept === null) return null;
  const since = narrow || track.since === null ? '' : ` since ${dayText(track.since, systemOffset)}`;
  return { id: 'record', spans: [{ text: `(${kept}${since})`, faint: true }] };
}
