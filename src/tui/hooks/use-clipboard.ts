import { useStdout } from 'ink';
import { useCallback } from 'react';

/**
 * Puts text on the clipboard of the user's own terminal, also over ssh (OSC 52). Terminals do not say whether
 * they allow it.
 */
export function useClipboard(): (text: string) => void {
  const { stdout } = useStdout();
  return useCallback(
    (text) => {
      const encoded = Buffer.from(text, 'utf8').toString('base64');
      // Past Ink's own `write`: the sequence neither moves the cursor nor draws, so the frame may stay.
      stdout.write(`\u001b]52;c;${encoded}\u0007`);
    },
    [stdout],
  );
}
