import { KEYMAP, type KeyBinding, type Scope } from '../../src/tui/input/keymap.ts';
import { code, table } from './markdown.ts';

export interface KeyRow {
  readonly label: string;
  readonly help: string;
  /** Where it works: `Chart`. */
  readonly where: string;
}

const WHERE: Readonly<Record<Scope, string>> = {
  global: 'everywhere',
  live: 'Live',
  chart: 'Chart',
  alerts: 'Alerts',
  alert: 'an open alert',
  'alert-form': 'form of an alert',
  'auto-txs': 'Auto-tx',
  'auto-tx': 'an open auto-tx',
  'auto-tx-form': 'form of an auto-tx',
  explorer: 'Explorer',
  service: 'Service',
  question: 'a question',
  secret: 'a signing secret',
  scroll: 'help, raw view',
  source: 'no source answers',
};

/** The monitor's keys, in the order of their scopes. */
export function keyRows(): readonly KeyRow[] {
  const bindings: readonly KeyBinding[] = KEYMAP;
  return (Object.keys(WHERE) as Scope[]).flatMap((scope) =>
    bindings
      .filter((binding) => binding.scope === scope)
      .map(({ label, help }) => ({ label, help, where: WHERE[scope] })),
  );
}

export function keysTable(): string {
  return table(
    ['key', 'what it does', 'where'],
    keyRows().map(({ label, help, where }) => [code(label), help, where]),
  );
}
