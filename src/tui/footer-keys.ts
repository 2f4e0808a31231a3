import { displayWidth } from './components/fit.ts';
import { KEYMAP, type KeyBinding, type Scope } from './keymap.ts';

export interface FooterKey {
  readonly key: string;
  readonly word: string;
}

/**
 * The keys worth a reminder, in `scopes`, as many as fit into `width`: help first and quit last, and what belongs
 * to the pane before what is everywhere.
 */
export function footerKeys(scopes: readonly Scope[], width: number): readonly FooterKey[] {
  const shown: readonly KeyBinding[] = (KEYMAP as readonly KeyBinding[]).filter(
    ({ footer, scope }) => footer !== undefined && scopes.includes(scope),
  );
  const kept = new Set<KeyBinding>();
  let used = 1;
  for (const binding of [...shown].sort((one, other) => weight(one, scopes) - weight(other, scopes))) {
    used += entryWidth(binding) + 2;
    if (used <= width + 1) kept.add(binding);
  }
  const place = (binding: KeyBinding) => (binding.action === 'quit' ? 1 : 0);
  return shown
    .filter((binding) => kept.has(binding))
    .sort((one, other) => place(one) - place(other))
    .map((binding) => ({ key: binding.footerLabel ?? binding.label, word: binding.footer ?? '' }));
}

function weight({ action, scope }: KeyBinding, scopes: readonly Scope[]): number {
  if (action === 'help' || action === 'quit' || action === 'back') return -1;
  return scopes.indexOf(scope);
}

function entryWidth({ label, footerLabel, footer = '' }: KeyBinding): number {
  return displayWidth(footerLabel ?? label) + 1 + displayWidth(footer);
}
