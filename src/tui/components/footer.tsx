import { Box, Text } from 'ink';
import { memo } from 'react';
import { footerKeys } from '../footer-keys.ts';
import type { Toast } from '../hooks/use-toast.ts';
import type { Scope } from '../keymap/key-binding.ts';
import { useTheme } from '../theme.ts';
import { truncate } from './fit.ts';

interface FooterProps {
  readonly width: number;
  readonly scopes: readonly Scope[];
  readonly toast: Toast | null;
}

/** The last line: what just happened, or else what the keys do. */
export const Footer = memo(function Footer({ width, scopes, toast }: FooterProps) {
  const theme = useTheme();
  return (
    <Box width={width} height={1} flexShrink={0} overflow="hidden">
      {toast === null ? (
        <Text wrap="truncate">
          {footerKeys(scopes, width).map(({ key, word }) => (
            <Text key={key}>
              {' '}
              <Text bold>{theme.text(key)}</Text>
              <Text dimColor>{` ${theme.text(word)} `}</Text>
            </Text>
          ))}
        </Text>
      ) : (
        <ToastText toast={toast} width={width} />
      )}
    </Box>
  );
});

function ToastText({ toast, width }: { readonly toast: Toast; readonly width: number }) {
  const theme = useTheme();
  const text = truncate(theme.text(toast.text), width - 4, theme.glyph.ellipsis);
  if (toast.kind === 'alert') {
    return <Text wrap="truncate" bold color={theme.color('warn')}>{` ${theme.glyph.marker} ${text}`}</Text>;
  }
  return toast.kind === 'error' ? (
    <Text wrap="truncate" bold color={theme.color('bad')}>{` ${theme.glyph.warning} ${text}`}</Text>
  ) : (
    <Text wrap="truncate">{` ${theme.glyph.arrow} ${text}`}</Text>
  );
}
