import type { KeyBinding } from './key-binding.ts';

export const LIVE_KEYS = [
  {
    action: 'copy',
    scope: 'live',
    keys: ['c'],
    label: 'c',
    help: 'copy the three lanes to the clipboard',
    footer: 'copy',
  },
  {
    action: 'live-alert',
    scope: 'live',
    keys: ['a'],
    label: 'a',
    help: 'an alert for when gas is cheaper than now',
    footer: 'alert here',
  },
] as const satisfies readonly KeyBinding[];
