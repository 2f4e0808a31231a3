import { KEYMAP, SCOPE_TITLES, SCOPES, type Scope } from '../input/keymap.ts';
import { fitText } from '../ui/text.tsx';

export function helpLines(current: Scope): readonly string[] {
  const keys = [current, ...SCOPES.filter((scope) => scope !== current)].flatMap((scope) => {
    const lines = KEYMAP.filter((binding) => binding.scope === scope).map(
      ({ label, help }) => `  ${fitText(label, 10)}${help}`,
    );
    const title = SCOPE_TITLES[scope];
    return ['', `${title.charAt(0).toUpperCase()}${title.slice(1)}`, ...lines];
  });
  return [...keys, '', ...SIGNS];
}

const SIGNS = [
  'Beside a tab',
  '  !2        2 have fired or come to an end since you last looked',
  '  ·2        none has; 2 wait for their price or are on their way',
];
