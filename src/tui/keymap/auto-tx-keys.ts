import type { KeyBinding } from './key-binding.ts';

/** What the keys do to the one that is open; those that move scroll it. */
export const AUTO_TX_KEYS = [
  {
    action: 'open-auto-tx-close',
    scope: 'auto-tx',
    keys: ['escape'],
    label: 'Esc',
    help: 'back to the list',
    footer: 'back',
  },
  {
    action: 'open-auto-tx-toggle',
    scope: 'auto-tx',
    keys: ['space'],
    label: 'space',
    help: 'disable it, or have it wait again',
    footer: 'on/off',
  },
  {
    action: 'open-auto-tx-cancel',
    scope: 'auto-tx',
    keys: ['x'],
    label: 'x',
    help: 'cancel it; asks first',
    footer: 'cancel',
  },
  {
    action: 'open-auto-tx-edit',
    scope: 'auto-tx',
    keys: ['e'],
    label: 'e',
    help: 'change it: target, expiry, note; a draft gets its signature',
    footer: 'edit',
  },
  {
    action: 'open-auto-tx-delete',
    scope: 'auto-tx',
    keys: ['d', 'delete'],
    label: 'd',
    help: 'delete a draft or what is over; asks first',
    footer: 'delete',
  },
  {
    action: 'open-auto-tx-copy',
    scope: 'auto-tx',
    keys: ['c'],
    label: 'c',
    help: "copy the transaction's hash",
    footer: 'copy hash',
  },
] as const satisfies readonly KeyBinding[];
