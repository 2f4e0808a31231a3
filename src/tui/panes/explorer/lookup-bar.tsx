import { Box, Text } from 'ink';
import { useState } from 'react';
import { veilAll } from '../../app/source.ts';
import { TextField } from '../../components/text-field.tsx';
import { displayWidth, truncate } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import type { PlaceName } from './explorer-state.ts';
import { type LookupContext, readLookup } from './lookup.ts';

interface LookupBarProps {
  readonly width: number;
  readonly context: LookupContext;
  readonly open: (place: PlaceName) => void;
  readonly close: () => void;
}

const LABEL = ' look up';
const EXAMPLES = 'a block like 24,337,604, #24337604 or 0x1735cc4, or the hash of a transaction';
const SHORT_EXAMPLES = 'a block number, or the hash of a transaction';

/** One line to type into and one that says what is wrong with it, or what can be typed. */
export function LookupBar({ width, context, open, close }: LookupBarProps) {
  const theme = useTheme();
  const [text, setText] = useState('');
  const read = readLookup(text, context);
  const line = (words: string) => ` ${truncate(theme.text(words), width - 2, theme.glyph.ellipsis)}`;
  return (
    <Box flexDirection="column" flexShrink={0} height={2}>
      <TextField
        label={LABEL}
        width={width}
        veil={(typed) => (context.isKey(typed) ? veilAll(typed, theme) : typed)}
        onChange={setText}
        onSubmit={(typed) => {
          const place = readLookup(typed, context);
          if (place.kind === 'found') open(place.place);
        }}
        onCancel={close}
      />
      {read.kind === 'wrong' ? (
        <Text wrap="truncate" color={theme.color('warn')}>
          {line(`${theme.glyph.warning} ${read.problem}`)}
        </Text>
      ) : read.kind === 'found' ? (
        <Text wrap="truncate" color={theme.color('good')}>
          {line('⏎ opens it, Esc closes')}
        </Text>
      ) : (
        <Text wrap="truncate" dimColor>
          {line(displayWidth(EXAMPLES) <= width - 2 ? EXAMPLES : SHORT_EXAMPLES)}
        </Text>
      )}
    </Box>
  );
}
