import { Text } from 'ink';
import type { Span } from '../facts.ts';
import { useTheme } from '../theme.ts';
import { displayWidth } from './fit.ts';
import { Words } from './words.tsx';

/** Pieces that stand or fall together. */
export type Segment = readonly Span[];

const GAP = 2;

/** One line of pieces after a margin of one, the weightiest first: what does not fit is left out whole. */
export function SegmentLine({
  segments,
  width,
}: {
  readonly segments: readonly Segment[];
  readonly width: number;
}) {
  const theme = useTheme();
  const translated = segments.map((segment) =>
    segment.map((span) => ({ ...span, text: theme.text(span.text) })),
  );
  return (
    <Text wrap="truncate">
      {fitSegments(translated, width - 2).map((segment, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a segment is its place
        <Text key={place}>
          {' '.repeat(place === 0 ? 1 : GAP)}
          {segment.map((span, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: so is a span
            <Words key={index} color={span.color} bold={span.bold} faint={span.faint}>
              {span.text}
            </Words>
          ))}
        </Text>
      ))}
    </Text>
  );
}

/** As many segments from the left as fit into `width`; the first always, even if it must be cut. */
export function fitSegments(segments: readonly Segment[], width: number): readonly Segment[] {
  let used = 0;
  return segments.filter((segment, place) => {
    const own = segment.reduce((sum, { text }) => sum + displayWidth(text), 0) + (place === 0 ? 0 : GAP);
    if (place > 0 && used + own > width) return false;
    used += own;
    return true;
  });
}
