import { Box, Text, useApp } from 'ink';
import { memo, useLayoutEffect } from 'react';
import { KEYMAP, type KeyBinding, type Scope } from '../input/keymap.ts';
import { useWorkingKeys } from '../input/use-keys.tsx';
import { displayWidth } from '../ui/text.tsx';
import { useTheme } from '../ui/theme.ts';

interface FooterKey {
  readonly key: string;
  readonly word: string;
}

/**
 * The keys worth a reminder, in `scopes` (nearest first), as many as fit into `width`: help, then what belongs to the
 * pane, then what is everywhere, and quit. A key that a nearer scope takes is not named twice, one that does nothing now
 * not at all. `textOf` is how a key and its word are written: "Enter" takes more room than "⏎".
 */
export function footerKeys(
  scopes: readonly Scope[],
  width: number,
  isWorking: ReturnType<typeof useWorkingKeys>,
  textOf: (text: string) => string = (text) => text,
): readonly FooterKey[] {
  const footerKey = (binding: KeyBinding): FooterKey => ({
    key: textOf(binding.footerLabel ?? binding.label),
    word: textOf(binding.footer ?? ''),
  });
  const all = KEYMAP.filter(({ scope, action }) => isWorking(scope, action));
  const shown = all
    .filter(({ footer, scope }) => footer !== undefined && scopes.includes(scope))
    .filter((binding) => !isShadowed(binding, all, scopes))
    .sort((one, other) => place(one, scopes) - place(other, scopes));
  const kept = new Set<KeyBinding>();
  let used = 0;
  for (const binding of [...shown].sort((one, other) => weight(one, scopes) - weight(other, scopes))) {
    const { key, word } = footerKey(binding);
    used += displayWidth(key) + displayWidth(word) + 3;
    if (used <= width) kept.add(binding);
  }
  return shown.filter((binding) => kept.has(binding)).map(footerKey);
}

function isShadowed(
  { scope, keys }: KeyBinding,
  all: readonly KeyBinding[],
  scopes: readonly Scope[],
): boolean {
  const nearer = scopes.slice(0, scopes.indexOf(scope));
  return all.some((other) => nearer.includes(other.scope) && keys.every((key) => other.keys.includes(key)));
}

/** Help and quit must stay whatever is left out. */
function weight(binding: KeyBinding, scopes: readonly Scope[]): number {
  return isFixed(binding) ? -1 : scopes.indexOf(binding.scope);
}

function place(binding: KeyBinding, scopes: readonly Scope[]): number {
  if (!isFixed(binding)) return scopes.indexOf(binding.scope);
  return binding.action === 'help' ? -1 : scopes.length;
}

function isFixed({ action }: KeyBinding): boolean {
  return action === 'help' || action === 'quit';
}

interface KeyBarProps {
  readonly width: number;
  readonly scopes: readonly Scope[];
}

/** The last line: what the keys do. */
export const KeyBar = memo(function KeyBar({ width, scopes }: KeyBarProps) {
  const theme = useTheme();
  const keys = footerKeys(scopes, width, useWorkingKeys(), theme.text);
  const { waitUntilRenderFlush } = useApp();
  // A pane says what its keys do once Ink has drawn it. Ink draws again after a timer, which comes late on a busy machine.
  useLayoutEffect(() => void waitUntilRenderFlush());
  return (
    <Box width={width} height={1} flexShrink={0} overflow="hidden">
      <Text wrap="truncate">
        {keys.map(({ key, word }) => (
          <Text key={key}>
            {' '}
            <Text bold>{key}</Text>
            <Text dimColor>{` ${word} `}</Text>
          </Text>
        ))}
      </Text>
    </Box>
  );
});
