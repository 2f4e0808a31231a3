import type { KeyBinding } from './key-binding.ts';

export const SOURCE_KEYS = [
  {
    action: 'source-retry',
    scope: 'source',
    keys: ['r'],
    label: 'r',
    help: 'try again now',
    footer: 'retry',
  },
  {
    action: 'source-url',
    scope: 'source',
    keys: ['u'],
    label: 'u',
    help: 'enter the URL of a node or service',
    footer: 'enter a URL',
  },
  {
    action: 'source-demo',
    scope: 'source',
    keys: ['d'],
    label: 'd',
    help: 'a simulated chain, without network',
    footer: 'demo',
  },
] as const satisfies readonly KeyBinding[];
