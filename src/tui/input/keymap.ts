interface Key<Action extends string = string> {
  readonly action: Action;
  /** Key names as `keyNames` gives them: `q`, `ctrl+c`, `left`, `return`, `tab`, `?`. */
  readonly keys: readonly string[];
  readonly help: string;
  /** Its word in the footer; without it is not there. */
  readonly footer?: string | undefined;
  /** Default: the name of the first key. */
  readonly label?: string;
  readonly footerLabel?: string;
}

const key = <const Action extends string>(
  action: Action,
  keys: string,
  help: string,
  footer?: string,
  more: Pick<Key, 'label' | 'footerLabel'> = {},
): Key<Action> => ({ action, keys: keys.split(' '), help, footer, ...more });

/** The six movements shared by all scopes: they select in a list, or scroll a long text. */
const movement = (footer?: string, pageDown = 'pagedown space') => [
  key('up', 'k up', 'one line up', undefined, { label: 'k ↑' }),
  key('down', 'j down', 'one line down', footer, { label: 'j ↓', footerLabel: 'j/k' }),
  key('page-up', 'pageup b', 'one screen up', undefined, { label: 'PgUp b' }),
  key('page-down', pageDown, 'one screen down'),
  key('start', 'g home', 'to the first'),
  key('end', 'G end', 'to the last'),
];

/**
 * All keys of the monitor, by scope, each after its title. `scroll` works in the help and in the raw view; over an open
 * `alert`, `auto-tx` or `block` the keys of its list work, too; `form`, `text-field`, `question` and `secret` take every key.
 * Outside dialogs and `source` a letter has the same action in every scope.
 */
const KEYS = {
  global: [
    'everywhere',
    key('help', '?', 'show or hide this help', 'help'),
    key('live', '1', 'Live'),
    key('chart', '2', 'Chart'),
    key('alerts', '3', 'Alerts'),
    key('auto-txs', '4', 'Auto-tx'),
    key('explorer', '5', 'Explorer'),
    key('service', '6', 'Service'),
    key('next-tab', 'tab ]', 'next tab', undefined, { label: 'Tab ]' }),
    key('previous-tab', 'shift+tab [', 'previous tab', undefined, { label: '⇧Tab [' }),
    key('board', 'C', 'all chains side by side, and back', 'chains'),
    key('find', '/', 'filter a list, or open a block or transaction', 'find'),
    key('alert', 'a', 'new alert for when gas is cheaper than now', 'alert'),
    key('freeze', 'f', 'freeze the screen, or resume it', 'freeze'),
    key('refresh', 'r', 'refresh now', 'refresh'),
    key('raw', 'i', "show the service's raw response"),
    key('zone', 'z', 'all times local, or all in UTC'),
    key('mouse', 'M', 'mouse on, or off: then the terminal selects text with it'),
    key('slower', '-', 'refresh less often'),
    key('faster', '+ =', 'refresh more often', 'interval', { footerLabel: '+/-' }),
    key('play-slower', ',', 'play a recording slower; 0 pauses it'),
    key('play-faster', '.', 'play a recording faster', 'speed', { footerLabel: ',/.' }),
    key('seek-back', '<', 'a recording: a minute back'),
    key('seek-on', '>', 'a recording: a minute on', 'minute', { footerLabel: '</>' }),
    key('back', 'escape', 'close what is open, clear the filter, or go back; never quits'),
    key('suspend', 'ctrl+z', 'back to the shell; fg returns'),
    key('quit', 'q ctrl+c', 'quit', 'quit'),
  ],
  scroll: ['help, raw response', ...movement('scroll')],
  source: [
    'no source answers',
    key('source-retry', 'r', 'try again now', 'retry'),
    key('source-url', 'u', 'enter the URL of a node or service', 'enter a URL'),
    key('source-demo', 'd', 'a simulated chain, without network', 'demo'),
  ],
  board: [
    'all chains',
    key('open', 'return', 'open the chain, with all tabs; Esc comes back', 'open'),
    key('sort', 's', 'sort: by swap, send, price, name', 'sort'),
    ...movement(),
  ],
  live: [
    'Live',
    key('open', 'return', 'the advice in full, with all its reasons', 'why'),
    key('close', 'escape', 'back from the advice', 'back'),
    key('patience', 'P', 'how long you can wait: 5m, 15m, 1h, 6h, 1d', 'patience'),
    key('copy', 'y', 'copy the price of the Average lane', 'copy'),
    key('copy-all', 'Y', 'copy the three lanes, with max fee and tip'),
    key('alert', 'a', 'new alert at the advised price, or for when gas is cheaper than now', 'alert'),
  ],
  chart: [
    'Chart',
    key('time-frame', 't', 'time frame: 1h, 24h, 7d, 30d', 'time frame'),
    key('percentile', 'p', 'tip percentile: p50 to p99', 'percentile'),
    key('compare', 'v', 'compare with the window before', 'compare'),
    key('heatmap', 'h', 'cheap hours: day × hour', 'hours'),
    key('axis', 'l', 'linear or logarithmic axis', 'axis'),
    key('drawing', 'B', 'draw with braille dots, or with a line', 'dots'),
    key('close', 'escape', 'put the cursor away, or back from the cheap hours', 'back'),
    key('write', 'w', 'write what is shown to a CSV file; asks first, with its full path', 'write CSV'),
    key('cursor-left', 'left', 'move the cursor back'),
    key('cursor-right', 'right', 'move the cursor on: how likely its price with tip comes in 1h', 'cursor', {
      footerLabel: '←/→',
    }),
    key('cursor-up', 'up', 'cursor to the highest base fee; in the cheap hours a day back'),
    key(
      'cursor-down',
      'down',
      'cursor to the lowest base fee; in the cheap hours a day on',
      'high/low, day',
      {
        footerLabel: '↑/↓',
      },
    ),
    key('start', 'g home', 'cursor to the oldest value'),
    key('end', 'G end', 'cursor to the newest value'),
    key(
      'alert',
      'a',
      'new alert at the price of the cursor, or of the cheapest hour; above the present one for a rise',
      'alert here',
    ),
  ],
  alerts: [
    'Alerts',
    key('new', 'n', 'new alert', 'new'),
    key('open', 'return', 'details: savings and deliveries; beside the list: go to them', 'details'),
    key('toggle', 'space', 'disable it, or enable it again', 'on/off'),
    key('edit', 'e', 'edit it', 'edit'),
    key('another', 'c', 'make another one like it', 'another'),
    key('delete', 'd delete', 'delete it; asks first, and can be undone for 10 s', 'delete'),
    key('undo', 'u', 'bring back what was just deleted'),
    key('sort', 's', 'sort: newest, nearest, last fired', 'sort'),
    ...movement(undefined, 'pagedown'),
  ],
  alert: [
    'an open alert',
    key('close', 'escape', 'back to the list', 'back'),
    key('redeliver', 'R', 'send the selected delivery again', 'send again'),
    key('previous', 'left', 'select the delivery above'),
    key('next', 'right', 'select the delivery below', 'select', { footerLabel: '←/→' }),
  ],
  'auto-txs': [
    'Auto-tx',
    key('new', 'n', 'schedule a signed transaction', 'new'),
    key('open', 'return', 'details: checks and history; beside the list: go to them', 'details'),
    key('toggle', 'space', 'disable it, or enable it again', 'on/off'),
    key('cancel', 'x', 'cancel it; asks first', 'cancel'),
    key('edit', 'e', 'edit target, expiry and note; sign a draft', 'edit'),
    key('another', 'c', 'schedule another one like it', 'another'),
    key('delete', 'd delete', 'delete a draft or a final one; asks first', 'delete'),
    key('copy', 'y', "copy the transaction's hash", 'copy hash'),
    key('sort', 's', 'sort: under way, target, newest', 'sort'),
    ...movement(undefined, 'pagedown'),
  ],
  'auto-tx': ['an open auto-tx', key('close', 'escape', 'back to the list', 'back')],
  form: [
    'a form',
    key('field-next', 'tab down', 'next field', 'fields', { footerLabel: 'Tab', label: 'Tab ↓' }),
    key('field-previous', 'shift+tab up', 'previous field', undefined, { label: '⇧Tab ↑' }),
    key('form-send', 'ctrl+s', 'save it: make the alert, schedule the auto-tx, or change it', 'save it'),
    key('form-leave', 'escape', 'leave; asks if something was typed or pasted', 'leave'),
    key('field-right', 'right', 'the choice or the character after', 'choose', { footerLabel: '←/→' }),
    key('field-left', 'left', 'the choice or the character before'),
    key('field-switch', 'space', 'tick a channel, or the next choice, usual cooldown or expiry', 'switch'),
    key('field-clear', 'ctrl+u', 'clear what was pasted, or what is typed before the cursor'),
    key('field-done', 'return', 'next field; in the last one: save it'),
  ],
  question: [
    'a question',
    key('other', 'left right up down tab shift+tab h l', 'the other answer', 'choose', {
      footerLabel: '←/→',
      label: '← →',
    }),
    key('chosen', 'return', 'the focused answer', 'choose it'),
    key('yes', 'y Y', 'yes', 'yes'),
    key('no', 'n N escape q', 'no', 'no', { footerLabel: 'n', label: 'n Esc' }),
  ],
  secret: [
    'a signing secret',
    key('copy', 'y', 'copy the signing secret', 'copy it'),
    key('close', 'return escape q', 'close it', 'close', { label: '⏎ Esc' }),
  ],
  explorer: [
    'Explorer',
    ...movement('move'),
    key('open', 'return', 'open the block or transaction; beside the list: go to it', 'open'),
    key('close', 'escape', 'back to where it was opened from', 'back'),
    key('previous', 'left', 'in a block: the one before'),
    key('next', 'right', 'in a block: the next one', 'block', { footerLabel: '←/→' }),
    key('cost', 'a', 'in a transaction: what one like it costs now, and if it waits', 'cost'),
    key('copy', 'y', 'copy the block number or the hash', 'copy'),
  ],
  block: [
    'an open block',
    key('to-transactions', 'return', 'down to its transactions, where none is in sight', 'transactions'),
  ],
  service: ['Service', ...movement('scroll')],
  'text-field': [
    'a text field',
    key('submit', 'return', 'open what is typed, or keep it as the filter', 'go'),
    key('leave', 'escape', 'leave; clears the filter', 'leave'),
    key('line-ends', 'ctrl+a ctrl+e', 'to the start, to the end; in forms, too', undefined, {
      label: 'Ctrl-A E',
    }),
    key('clear-around', 'ctrl+u ctrl+k', 'clear what stands before, or after, the cursor', undefined, {
      label: 'Ctrl-U K',
    }),
    key('clear-word', 'ctrl+w ctrl+d', 'clear the word before, or the character under, it', undefined, {
      label: 'Ctrl-W D',
    }),
  ],
} satisfies Readonly<Record<string, readonly [title: string, ...Key[]]>>;

export type Scope = keyof typeof KEYS;
export type ActionName = Exclude<(typeof KEYS)[Scope][number], string>['action'];
/** A tab's scope has the name of the action that shows it. `alert` and `board` name a scope and an action, but no tab. */
export type TabScope = Exclude<Extract<Scope, ActionName>, 'alert' | 'board'>;

export interface KeyBinding extends Key<ActionName> {
  readonly scope: Scope;
  readonly label: string;
}

const LABELS: Readonly<Record<string, string>> = {
  ...{ escape: 'Esc', return: '⏎', left: '←', right: '→', up: '↑', down: '↓', pagedown: 'PgDn' },
  ...{ 'ctrl+s': 'Ctrl-S', 'ctrl+u': 'Ctrl-U', 'ctrl+z': 'Ctrl-Z' },
};

const KEYS_BY_SCOPE: Readonly<Record<Scope, readonly [title: string, ...Key<ActionName>[]]>> = KEYS;

export const SCOPES = Object.keys(KEYS).filter((name): name is Scope => name in KEYS);

export const scopeTitle = (scope: Scope): string => KEYS_BY_SCOPE[scope][0];

/** The whole keymap: it drives the dispatcher, the footer, the `?` overlay and docs/MONITOR.md. */
export const KEYMAP: readonly KeyBinding[] = SCOPES.flatMap((scope) => {
  const [, ...keys] = KEYS_BY_SCOPE[scope];
  return keys.map((each) => {
    const [first = ''] = each.keys;
    return { ...each, scope, label: each.label ?? LABELS[first] ?? first };
  });
});

export function actionOf(scope: Scope, name: string): ActionName | undefined {
  return KEYMAP.find((binding) => binding.scope === scope && binding.keys.includes(name))?.action;
}
