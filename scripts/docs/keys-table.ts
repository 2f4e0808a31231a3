import { KEYMAP, scopeTitle } from '../../src/tui/input/keymap.ts';
import { code, table } from './markdown.ts';

export interface KeyRow {
  readonly label: string;
  readonly help: string;
  /** Where it works: `Chart`. */
  readonly where: string;
}

/** The monitor's keys, in the order of their scopes. */
export function keyRows(): readonly KeyRow[] {
  return KEYMAP.map(({ label, help, scope }) => ({ label, help, where: scopeTitle(scope) }));
}

export function keysTable(): string {
  return table(
    ['key', 'what it does', 'where'],
    keyRows().map(({ label, help, where }) => [code(label), help, where]),
  );
}
