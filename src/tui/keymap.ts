/**
 * Every key the monitor knows. This table drives dispatch, the footer, the `?` overlay and the README, so a
 * key that is not here does not exist.
 */

export type Scope = 'global' | 'live' | 'chart' | 'explorer' | 'service' | 'scroll' | 'source';

export interface KeyBinding {
  readonly action: string;
  /** `global` works on every tab; `scroll` in what lies over it; the others only while they are shown. */
  readonly scope: Scope;
  /** Key names as {@link keyName} gives them: `q`, `ctrl+c`, `left`, `return`, `tab`, `?`. */
  readonly keys: readonly string[];
  /** How the keys are written for people. */
  readonly label: string;
  /** What it does, in the help overlay. */
  readonly help: string;
  /** The word beside the key in the footer; absent: not in the footer. */
  readonly footer?: string;
  /** How the key is written in the footer where it stands for a pair; default: `label`. */
  readonly footerLabel?: string;
}

export const KEYMAP = [
  {
    action: 'help',
    scope: 'global',
    keys: ['?'],
    label: '?',
    help: 'show or hide this help',
    footer: 'help',
  },
  { action: 'tab-1', scope: 'global', keys: ['1'], label: '1', help: 'Live' },
  { action: 'tab-2', scope: 'global', keys: ['2'], label: '2', help: 'Chart' },
  { action: 'tab-5', scope: 'global', keys: ['5'], label: '5', help: 'Explorer' },
  { action: 'tab-6', scope: 'global', keys: ['6'], label: '6', help: 'Service' },
  { action: 'next-tab', scope: 'global', keys: ['tab', ']'], label: 'Tab ]', help: 'next tab' },
  {
    action: 'previous-tab',
    scope: 'global',
    keys: ['shift+tab', '['],
    label: '⇧Tab [',
    help: 'previous tab',
  },
  { action: 'refresh', scope: 'global', keys: ['r'], label: 'r', help: 'ask again now', footer: 'refresh' },
  {
    action: 'freeze',
    scope: 'global',
    keys: ['f'],
    label: 'f',
    help: 'freeze the screen, or let it go on',
    footer: 'freeze',
  },
  { action: 'raw', scope: 'global', keys: ['i'], label: 'i', help: "show the service's own answer" },
  { action: 'slower', scope: 'global', keys: ['-'], label: '-', help: 'ask less often' },
  {
    action: 'faster',
    scope: 'global',
    keys: ['+', '='],
    label: '+',
    help: 'ask more often',
    footer: 'interval',
    footerLabel: '+/-',
  },
  {
    action: 'back',
    scope: 'global',
    keys: ['escape'],
    label: 'Esc',
    help: 'close what is open; never quits',
  },
  {
    action: 'suspend',
    scope: 'global',
    keys: ['ctrl+z'],
    label: 'Ctrl-Z',
    help: 'back to the shell; fg returns',
  },
  { action: 'quit', scope: 'global', keys: ['q', 'ctrl+c'], label: 'q', help: 'quit', footer: 'quit' },

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

  {
    action: 'copy',
    scope: 'live',
    keys: ['c'],
    label: 'c',
    help: 'copy the three lanes to the clipboard',
    footer: 'copy',
  },

  {
    action: 'time-frame',
    scope: 'chart',
    keys: ['t'],
    label: 't',
    help: 'time frame: 1h, 24h, 7d, 30d',
    footer: 'time',
  },
  {
    action: 'percentile',
    scope: 'chart',
    keys: ['p'],
    label: 'p',
    help: 'tip percentile: p50 to p99',
    footer: 'percentile',
  },
  {
    action: 'compare',
    scope: 'chart',
    keys: ['v'],
    label: 'v',
    help: 'compare with the window before',
    footer: 'compare',
  },
  {
    action: 'heatmap',
    scope: 'chart',
    keys: ['h'],
    label: 'h',
    help: 'cheap hours: day × hour',
    footer: 'hours',
  },
  { action: 'close-heatmap', scope: 'chart', keys: ['escape'], label: 'Esc', help: 'back from the hours' },
  {
    action: 'export',
    scope: 'chart',
    keys: ['e'],
    label: 'e',
    help: 'save what is shown as CSV',
    footer: 'export',
  },
  { action: 'cursor-left', scope: 'chart', keys: ['left'], label: '←', help: 'move the cursor back' },
  { action: 'cursor-right', scope: 'chart', keys: ['right'], label: '→', help: 'move the cursor on' },
  {
    action: 'cursor-start',
    scope: 'chart',
    keys: ['g', 'home'],
    label: 'g',
    help: 'cursor to the oldest value',
  },
  {
    action: 'cursor-end',
    scope: 'chart',
    keys: ['G', 'end'],
    label: 'G',
    help: 'cursor to the newest value',
  },

  { action: 'explorer-up', scope: 'explorer', keys: ['k', 'up'], label: 'k ↑', help: 'one line up' },
  {
    action: 'explorer-down',
    scope: 'explorer',
    keys: ['j', 'down'],
    label: 'j ↓',
    help: 'one line down',
    footer: 'move',
    footerLabel: 'j/k',
  },
  {
    action: 'explorer-page-up',
    scope: 'explorer',
    keys: ['pageup', 'b'],
    label: 'PgUp b',
    help: 'one screen up',
  },
  {
    action: 'explorer-page-down',
    scope: 'explorer',
    keys: ['pagedown', 'space'],
    label: 'PgDn',
    help: 'one screen down',
  },
  {
    action: 'explorer-start',
    scope: 'explorer',
    keys: ['g', 'home'],
    label: 'g',
    help: 'to the top: newest',
  },
  { action: 'explorer-end', scope: 'explorer', keys: ['G', 'end'], label: 'G', help: 'to the end: oldest' },
  {
    action: 'explorer-open',
    scope: 'explorer',
    keys: ['return'],
    label: '⏎',
    help: 'open the block or transaction',
    footer: 'open',
  },
  {
    action: 'explorer-back',
    scope: 'explorer',
    keys: ['escape'],
    label: 'Esc',
    help: 'back to where it was opened from',
  },
  {
    action: 'previous-block',
    scope: 'explorer',
    keys: ['left'],
    label: '←',
    help: 'in a block: the one before',
  },
  {
    action: 'following-block',
    scope: 'explorer',
    keys: ['right'],
    label: '→',
    help: 'in a block: the next one',
  },
  {
    action: 'look-up',
    scope: 'explorer',
    keys: ['/'],
    label: '/',
    help: 'look up a block or a transaction',
    footer: 'look up',
  },
  {
    action: 'explorer-copy',
    scope: 'explorer',
    keys: ['c'],
    label: 'c',
    help: 'copy the block number or the hash',
    footer: 'copy',
  },

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

export type ActionName = (typeof KEYMAP)[number]['action'];
