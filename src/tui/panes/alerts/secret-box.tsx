import { Box, Text } from 'ink';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/footer.tsx';
import { useModalKeys } from '../../input/use-keys.tsx';
import { useTheme } from '../../ui/theme.ts';

interface SecretBoxProps {
  readonly secret: string;
  readonly width: number;
  readonly height: number;
  readonly onClose: () => void;
}

/** What webhooks are signed with. It is on the screen this once, and nowhere else. */
export function SecretBox({ secret, width, height, onClose }: SecretBoxProps) {
  const theme = useTheme();
  const toast = useToast();
  const copy = useClipboard();
  useModalKeys('secret', {
    copy: () => {
      copy(secret);
      toast({
        kind: 'info',
        text: 'Copied the signing secret (if your terminal lets programs copy: OSC 52)',
      });
    },
    close: onClose,
  });
  return (
    <Box
      flexDirection="column"
      width={width}
      height={height}
      paddingX={3}
      justifyContent="center"
      overflow="hidden"
    >
      <Text bold>{theme.text('The alert is made. Its webhook is signed with this secret:')}</Text>
      <Text> </Text>
      <Text bold color={theme.color('accent')}>
        {secret}
      </Text>
      <Text> </Text>
      <Text>It is shown only now. Keep it where the receiver checks the header X-Gastop-Signature.</Text>
      <Text> </Text>
      <Text>
        <Text bold>c</Text> copies it <Text bold>{theme.text('⏎')}</Text> closes
      </Text>
    </Box>
  );
}
