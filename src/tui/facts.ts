import { displayWidth } from './components/fit.ts';
import type { ColorName } from './theme.ts';

/** A piece of a line with one look. */
export interface Span {
  readonly text: string;
  readonly color?: ColorName;
  readonly bold?: boolean;
  readonly faint?: boolean;
  /** The place of a cursor. */
  readonly inverse?: boolean;
}

/** Something worth knowing in a few words, such as the next base fee. */
export interface Fact {
  readonly id: string;
  readonly spans: readonly Span[];
}

export const FACT_GAP = 4;

export function factWidth(fact: Fact): number {
  return fact.spans.reduce((sum, span) => sum + displayWidth(span.text), 0);
}

/**
 * Sets facts into lines of at most `width` columns, in their order, at most `maxLines` lines. A fact that no longer
 * fits is left out; none is cut. `reserved` are the widths to keep for facts by id, so that their neighbours stay
 * where they are when a number grows shorter.
 */
export function flowFacts(
  facts: readonly Fact[],
  width: number,
  maxLines: number,
  reserved: ReadonlyMap<string, number> = new Map(),
): readonly (readonly Fact[])[] {
  const lines: Fact[][] = [];
  let used = 0;
  for (const fact of facts) {
    const own = factWidth(fact);
    if (own > width) continue;
    const room = Math.max(own, reserved.get(fact.id) ?? 0);
    const line = lines.at(-1);
    if (line !== undefined && used + FACT_GAP + own <= width) {
      line.push(fact);
      used += FACT_GAP + room;
    } else if (lines.length < maxLines) {
      lines.push([fact]);
      used = room;
    }
  }
  return lines;
}
