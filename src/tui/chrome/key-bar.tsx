import { Box, Text, Transform } from 'ink';
import { memo, useContext } from 'react';
import { KEYMAP, type KeyBinding, type Scope } from '../input/keymap.ts';
import { type Dispatcher, DispatcherContext } from '../input/use-keys.tsx';
import { useRoom } from '../ui/pane-context.tsx';
import { displayWidth } from '../ui/text.tsx';
import { forTerminal } from '../ui/theme.ts';

interface FooterKey {
  readonly key: string;
  readonly word: string;
}

/** The keys for the footer: help, those of `scopes` (nearest first) that work now and fit, quit. */
export function footerKeys(
  scopes: readonly Scope[],
  width: number,
  isWorking: Dispatcher['works'],
): readonly FooterKey[] {
  const footerKey = ({ footerLabel, label, footer = '' }: KeyBinding): FooterKey => ({
    key: forTerminal(footerLabel ?? label),
    word: forTerminal(footer),
  });
  const all = KEYMAP.filter(({ scope, action }) => isWorking(scope, action));
  const isShadowed = ({ scope, keys }: KeyBinding) => {
    const nearer = scopes.slice(0, scopes.indexOf(scope));
    return all.some((other) => nearer.includes(other.scope) && keys.every((key) => other.keys.includes(key)));
  };
  const place = ({ action, scope }: KeyBinding) =>
    action === 'help' ? -1 : action === 'quit' ? scopes.length : scopes.indexOf(scope);
  const shown = all
    .filter(
      (binding) => binding.footer !== undefined && scopes.includes(binding.scope) && !isShadowed(binding),
    )
    .toSorted((one, other) => place(one) - place(other));
  const isFixed = ({ action }: KeyBinding) => action === 'help' || action === 'quit';
  const kept = new Set<KeyBinding>();
  let used = 0;
  for (const binding of [...shown.filter(isFixed), ...shown.filter((each) => !isFixed(each))]) {
    const { key, word } = footerKey(binding);
    used += displayWidth(key) + displayWidth(word) + 3;
    if (used <= width) kept.add(binding);
  }
  return shown.filter((binding) => kept.has(binding)).map(footerKey);
}

/** The keys of the present frame: a transform writes them whenever Ink draws, styled as the pair K and W. */
export const KeyBar = memo(function KeyBar() {
  const { columns: width } = useRoom();
  const dispatcher = useContext(DispatcherContext);
  const draw = (pair: string) =>
    footerKeys(dispatcher.named, width, (scope, action) => dispatcher.works(scope, action))
      .map(({ key, word }) => pair.replace(/[KW]/g, (letter) => (letter === 'K' ? key : word)))
      .join('');
  return (
    <Box width={width} height={1} flexShrink={0} overflow="hidden">
      <Transform transform={draw}>
        {' '}
        <Text bold>K</Text>
        <Text dimColor>{' W '}</Text>
      </Transform>
    </Box>
  );
});
