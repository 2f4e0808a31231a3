import { Box, Text } from 'ink';
import { ASCII_THEME } from '../theme.ts';

/** Sentences for a screen reader, one under the other, in ASCII; two of them may be alike. */
export function SpokenSentences({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <Box flexDirection="column">
      {sentences.map((sentence, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is its place
        <Text key={place}>{ASCII_THEME.text(sentence)}</Text>
      ))}
    </Box>
  );
}
