import { displayWidth } from './components/fit.ts';
import type { KeyBinding, Scope } from './keymap/key-binding.ts';
import { KEYMAP } from './keymap.ts';

export interface FooterKey {
  readonly key: string;
  readonly word: string;
}

/**
 * The keys worth a reminder, in `scopes` (nearest first), as many as fit into `width`: help, then what belongs to the
 * pane, then what is everywhere, and quit. A key that a nearer scope takes is not named twice.
 */
export function footerKeys(scopes: readonly Scope[], width: number): readonly FooterKey[] {
  const all: readonly KeyBinding[] = KEYMAP;
  const shown = all
    .filter(({ footer, scope }) => footer !== undefined && scopes.includes(scope))
    .filter((binding) => !isShadowed(binding, all, scopes))
    .sort((one, other) => place(one, scopes) - place(other, scopes));
  const kept = new Set<KeyBinding>();
  let used = 0;
  for (const binding of [...shown].sort((one, other) => weight(one, scopes) - weight(other, scopes))) {
    used += displayWidth(keyOf(binding)) + displayWidth(binding.footer ?? '') + 3;
    if (used <= width) kept.add(binding);
  }
  return shown
    .filter((binding) => kept.has(binding))
    .map((binding) => ({ key: keyOf(binding), word: binding.footer ?? '' }));
}

function keyOf({ footerLabel, label }: KeyBinding): string {
  return footerLabel ?? label;
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
