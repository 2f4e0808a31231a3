import type { KeyBinding } from './key-binding.ts';

export const SCROLL_KEYS = [
  { action: 'scroll-up', scope: 'scroll', keys: ['k', 'up'], label: 'k ↑', help: 'one line up' },
  {
    action: 'scroll-down',
    scope: 'scroll',
    keys: ['j', 'down'],
    label: 'j ↓',
    help: 'one line down',
    footer: 'scroll',
    footerLabel: 'j/k',
  },
  { action: 'page-up', scope: 'scroll', keys: ['pageup', 'b'], label: 'PgUp b', help: 'one screen up' },
  {
    action: 'page-down',
    scope: 'scroll',
    keys: ['pagedown', 'space'],
    label: 'PgDn',
    help: 'one screen down',
  },
  { action: 'scroll-start', scope: 'scroll', keys: ['g', 'home'], label: 'g', help: 'to the first line' },
  { action: 'scroll-end', scope: 'scroll', keys: ['G', 'end'], label: 'G', help: 'to the last line' },
] as const satisfies readonly KeyBinding[];
