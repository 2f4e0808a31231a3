import { Box, Text, Transform } from 'ink';
import { useContext } from 'react';
import { KEYMAP, type KeyBinding, type Scope } from '../input/keymap.ts';
import { type Dispatcher, DispatcherContext } from '../input/use-keys.tsx';
import { useRoom } from '../ui/pane-context.tsx';
import { displayWidth } from '../ui/text.tsx';
import { forTerminal } from '../ui/theme.ts';

/** The keys for the footer: help, those of `scopes` (nearest first) that work now and fit, quit. */
export function footerKeys(scopes: readonly Scope[], width: number, isWorking: Dispatcher['works']) {
  const working = KEYMAP.filter(({ scope, action }) => scopes.includes(scope) && isWorking(scope, action));
  const place = ({ action, scope }: KeyBinding) =>
    action === 'help' ? -1 : action === 'quit' ? scopes.length : scopes.indexOf(scope);
  const isShadowed = (binding: KeyBinding) =>
    working.some(
      (other) =>
        scopes.indexOf(other.scope) < scopes.indexOf(binding.scope) &&
        binding.keys.every((key) => other.keys.includes(key)),
    );
  const shown = working
    .filter((binding) => binding.footer !== undefined && !isShadowed(binding))
    .toSorted((one, other) => place(one) - place(other))
    .map(({ action, footerLabel, label, footer = '' }) => ({
      key: forTerminal(footerLabel ?? label),
      word: forTerminal(footer),
      isFixed: action === 'help' || action === 'quit',
    }));
  let left = width;
  const fits = ({ key, word }: (typeof shown)[number]) => {
    left -= displayWidth(key) + displayWidth(word) + 3;
    return left >= 0;
  };
  const kept = new Set(
    [...shown.filter(({ isFixed }) => isFixed), ...shown.filter(({ isFixed }) => !isFixed)].filter(fits),
  );
  return shown.filter((each) => kept.has(each)).map(({ key, word }) => ({ key, word }));
}

/** The keys of the present frame: a transform writes them whenever Ink draws, styled as the pair K and W. */
export function KeyBar() {
  const { columns: width } = useRoom();
  const dispatcher = useContext(DispatcherContext);
  const draw = (pair: string) =>
    footerKeys(dispatcher.scopes, width, (scope, action) => dispatcher.works(scope, action))
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
}
