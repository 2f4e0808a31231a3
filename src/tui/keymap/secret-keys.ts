import type { KeyBinding } from './key-binding.ts';

export const SECRET_KEYS = [
  {
    action: 'secret-copy',
    scope: 'secret',
    keys: ['c'],
    label: 'c',
    help: 'copy the signing secret',
    footer: 'copy it',
  },
  {
    action: 'secret-close',
    scope: 'secret',
    keys: ['return', 'escape', 'q'],
    label: '⏎ Esc',
    help: 'it is kept: close',
    footer: 'close',
  },
] as const satisfies readonly KeyBinding[];
