/** Writes the README's table of keys from the monitor's own. Run it after a change to src/tui/keymap/. */
import { readFile, writeFile } from 'node:fs/promises';
import type { KeyBinding, Scope } from '../src/tui/keymap/key-binding.ts';
import { KEYMAP } from '../src/tui/keymap.ts';

const BEGIN = '<!-- keys: written by scripts/readme-keys.ts -->';
const END = '<!-- end of keys -->';

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

/** The README with its table of keys brought up to date. */
export function withKeys(readme: string): string {
  const [before, after] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (before < 0 || after < before) throw new Error('README.md has lost its marks around the table of keys');
  return `${readme.slice(0, before)}${BEGIN}\n\n${keysTable()}\n\n${readme.slice(after)}`;
}

function keysTable(): string {
  const bindings: readonly KeyBinding[] = KEYMAP;
  const rows = (Object.keys(WHERE) as Scope[]).flatMap((scope) =>
    bindings
      .filter((binding) => binding.scope === scope)
      .map(({ label, help }) => `| \`${cell(label)}\` | ${cell(help)} | ${WHERE[scope]} |`),
  );
  return ['| key | what it does | where |', '|---|---|---|', ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

if (import.meta.main) {
  const path = new URL('../README.md', import.meta.url);
  await writeFile(path, withKeys(await readFile(path, 'utf8')));
}
