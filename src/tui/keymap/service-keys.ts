import type { KeyBinding } from './key-binding.ts';

export const SERVICE_KEYS = [
  { action: 'service-up', scope: 'service', keys: ['k', 'up'], label: 'k ↑', help: 'one line up' },
  {
    action: 'service-down',
    scope: 'service',
    keys: ['j', 'down'],
    label: 'j ↓',
    help: 'one line down',
    footer: 'scroll',
    footerLabel: 'j/k',
  },
  {
    action: 'service-page-up',
    scope: 'service',
    keys: ['pageup', 'b'],
    label: 'PgUp b',
    help: 'one screen up',
  },
  {
    action: 'service-page-down',
    scope: 'service',
    keys: ['pagedown', 'space'],
    label: 'PgDn',
    help: 'one screen down',
  },
  { action: 'service-start', scope: 'service', keys: ['g', 'home'], label: 'g', help: 'to the first line' },
  { action: 'service-end', scope: 'service', keys: ['G', 'end'], label: 'G', help: 'to the last line' },
] as const satisfies readonly KeyBinding[];
