import { KEYMAP, type KeyBinding, type Scope } from '../input/keymap.ts';
import { fitLeft } from '../ui/text.tsx';

const TITLES: Readonly<Record<Scope, string>> = {
  global: 'Everywhere',
  live: 'Live',
  chart: 'Chart',
  alerts: 'Alerts',
  alert: 'An alert that is open',
  'alert-form': 'In the form of an alert',
  'auto-txs': 'Auto-tx',
  'auto-tx': 'An auto-tx that is open',
  'auto-tx-form': 'In the form of an auto-tx',
  explorer: 'Explorer',
  service: 'Service',
  question: 'When something is asked',
  secret: 'When a signing secret is shown',
  scroll: 'In this help and in the raw view',
  source: 'When no source answers',
};

/** The help overlay as lines, straight from the keymap: first the pane's own keys. */
export function helpLines(current: Scope): readonly string[] {
  const scopes: readonly Scope[] = [
    current,
    ...(Object.keys(TITLES) as Scope[]).filter((scope) => scope !== current),
  ];
  return scopes.flatMap((scope) => {
    const bindings = (KEYMAP as readonly KeyBinding[]).filter((binding) => binding.scope === scope);
    if (bindings.length === 0) return [];
    const lines = bindings.map(({ label, help }) => `  ${fitLeft(label, 10)}${help}`);
    return ['', TITLES[scope], ...lines];
  });
}
