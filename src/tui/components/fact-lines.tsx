import { Box, Text } from 'ink';
import { FACT_GAP, type Fact, factWidth, flowFacts } from '../facts.ts';
import { useWidest } from '../hooks/use-widest.ts';
import { Words } from './words.tsx';

interface FactLinesProps {
  readonly facts: readonly Fact[];
  /** All columns, with the margin of one at each side. */
  readonly width: number;
  readonly maxLines: number;
}

/** Facts in as many lines as they need and there are. */
export function FactLines({ facts, width, maxLines }: FactLinesProps) {
  const widest = useWidest(new Map(facts.map((fact) => [fact.id, factWidth(fact)])));
  const lines = flowFacts(facts, width - 2, maxLines, widest);
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line) => (
        <FactLine key={line[0]?.id} line={line} widest={widest} />
      ))}
    </Box>
  );
}

interface FactLineProps {
  readonly line: readonly Fact[];
  readonly widest: ReadonlyMap<string, number>;
}

function FactLine({ line, widest }: FactLineProps) {
  return (
    <Text wrap="truncate">
      {' '}
      {line.map((fact, place) => {
        const last = place === line.length - 1;
        const room = Math.max(widest.get(fact.id) ?? 0, factWidth(fact));
        return (
          <Text key={fact.id}>
            {fact.spans.map((span, index) => (
              <Words
                // biome-ignore lint/suspicious/noArrayIndexKey: a span is its place in the fact
                key={index}
                color={span.color}
                bold={span.bold}
                faint={span.faint}
              >
                {span.text}
              </Words>
            ))}
            {last ? '' : ' '.repeat(room - factWidth(fact) + FACT_GAP)}
          </Text>
        );
      })}
    </Text>
  );
}
