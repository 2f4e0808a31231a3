interface More {
  readonly label?: string;
  readonly footer?: string;
  readonly footerLabel?: string;
}

interface Key<Action extends string = string> extends More {
  readonly action: Action;
  /** Key names as `keyNames` gives them: `q`, `ctrl+c`, `left`, `return`, `tab`, `?`. */
  readonly keys: readonly string[];
  readonly help: string;
}

function key<const Action extends string>(
  action: Action,
  keys: string,
  help: string,
  more: More = {},
): Key<Action> {
  return { action, keys: keys.split(' '), help, ...more };
}

/** The six movements shared by all scopes: they select in a list, or scroll a long text. */
function movement({
  footer = '',
  start = 'to the first line',
  end = 'to the last line',
  /** `false`: the space bar has another action in this scope. */
  space = true,
} = {}) {
  const reminder = footer === '' ? {} : { footer, footerLabel: 'j/k' };
  return [
    key('up', 'k up', 'one line up', { label: 'k ↑' }),
    key('down', 'j down', 'one line down', { label: 'j ↓', ...reminder }),
    key('page-up', 'pageup b', 'one screen up', { label: 'PgUp b' }),
    key('page-down', space ? 'pagedown space' : 'pagedown', 'one screen down'),
    key('start', 'g home', start),
    key('end', 'G end', end),
  ];
}

interface FormOptions {
  readonly send: string;
  readonly leave: string;
  readonly switch: Pick<Key, 'help' | 'footer'>;
  readonly done: string;
  readonly clear?: string;
}

function form({ send, leave, switch: { help, ...toggle }, done, clear }: FormOptions) {
  return [
    key('field-next', 'tab down', 'next field', { footer: 'fields', footerLabel: 'Tab', label: 'Tab ↓' }),
    key('field-previous', 'shift+tab up', 'previous field', { label: '⇧Tab ↑' }),
    key('form-send', 'ctrl+s', send, { footer: 'save it' }),
    key('form-leave', 'escape', leave, { footer: 'leave' }),
    key('field-right', 'right', 'the choice or the character after', {
      footer: 'choose',
      footerLabel: '←/→',
    }),
    key('field-left', 'left', 'the choice or the character before'),
    key('field-switch', 'space', help, toggle),
    ...(clear === undefined ? [] : [key('field-clear', 'ctrl+u', clear)]),
    key('field-done', 'return', done),
  ];
}

/**
 * All keys of the monitor, by scope. `global` works on every tab; `scroll` in the help and in the raw view; `alert`
 * and `auto-tx` while one is open over its list, whose keys work then too; `alert-form`, `auto-tx-form`,
 * `text-field`, `question` and `secret` while such an overlay is open and takes every key; the others only while they
 * are shown. Outside dialogs and `source` a letter has the same action in every scope.
 */
const KEYS = {
  global: [
    key('help', '?', 'show or hide this help', { footer: 'help' }),
    key('tab-1', '1', 'Live'),
    key('tab-2', '2', 'Chart'),
    key('tab-3', '3', 'Alerts'),
    key('tab-4', '4', 'Auto-tx'),
    key('tab-5', '5', 'Explorer'),
    key('tab-6', '6', 'Service'),
    key('next-tab', 'tab ]', 'next tab', { label: 'Tab ]' }),
    key('previous-tab', 'shift+tab [', 'previous tab', { label: '⇧Tab [' }),
    key('board', 'C', 'all chains side by side, and back', { footer: 'chains' }),
    key('find', '/', 'filter a list, or open a block or transaction', { footer: 'find' }),
    key('alert', 'a', 'new alert for when gas is cheaper than now', { footer: 'alert' }),
    key('refresh', 'r', 'refresh now', { footer: 'refresh' }),
    key('freeze', 'f', 'freeze the screen, or resume it', { footer: 'freeze' }),
    key('raw', 'i', "show the service's raw response"),
    key('slower', '-', 'refresh less often'),
    key('faster', '+ =', 'refresh more often', { footer: 'interval', footerLabel: '+/-' }),
    key('back', 'escape', 'close what is open, clear the filter, or go back; never quits'),
    key('suspend', 'ctrl+z', 'back to the shell; fg returns'),
    key('quit', 'q ctrl+c', 'quit', { footer: 'quit' }),
  ],
  scroll: movement({ footer: 'scroll' }),
  source: [
    key('source-retry', 'r', 'try again now', { footer: 'retry' }),
    key('source-url', 'u', 'enter the URL of a node or service', { footer: 'enter a URL' }),
    key('source-demo', 'd', 'a simulated chain, without network', { footer: 'demo' }),
  ],
  board: [
    key('open', 'return', 'open the chain, with all tabs; Esc comes back', { footer: 'open' }),
    key('sort', 's', 'sort: by swap, send, price, name', { footer: 'sort' }),
    ...movement({ start: 'to the first', end: 'to the last' }),
  ],
  live: [
    key('open', 'return', 'the advice in full, with all its reasons', { footer: 'why' }),
    key('close', 'escape', 'back from the advice', { footer: 'back' }),
    key('copy', 'y', 'copy the three lanes to the clipboard', { footer: 'copy' }),
  ],
  chart: [
    key('time-frame', 't', 'time frame: 1h, 24h, 7d, 30d', { footer: 'time frame' }),
    key('percentile', 'p', 'tip percentile: p50 to p99', { footer: 'percentile' }),
    key('compare', 'v', 'compare with the window before', { footer: 'compare' }),
    key('heatmap', 'h', 'cheap hours: day × hour', { footer: 'hours' }),
    key('close', 'escape', 'back from the cheap hours', { footer: 'back' }),
    key('write', 'w', 'write what is shown to a CSV file', { footer: 'write CSV' }),
    key('cursor-left', 'left', 'move the cursor back'),
    key('cursor-right', 'right', 'move the cursor on'),
    key('start', 'g home', 'cursor to the oldest value'),
    key('end', 'G end', 'cursor to the newest value'),
    key('alert', 'a', "new alert at the cursor's price", { footer: 'alert here' }),
  ],
  alerts: [
    key('new', 'n', 'new alert', { footer: 'new' }),
    key('open', 'return', 'details: savings and deliveries', { footer: 'details' }),
    key('toggle', 'space', 'disable it, or enable it again', { footer: 'on/off' }),
    key('edit', 'e', 'edit it', { footer: 'edit' }),
    key('another', 'c', 'make another one like it', { footer: 'another' }),
    key('delete', 'd delete', 'delete it; asks first, and can be undone for 10 s', { footer: 'delete' }),
    key('undo', 'u', 'bring back what was just deleted'),
    key('sort', 's', 'sort: newest, nearest, last fired', { footer: 'sort' }),
    ...movement({ start: 'to the first', end: 'to the last', space: false }),
  ],
  alert: [
    key('close', 'escape', 'back to the list', { footer: 'back' }),
    key('redeliver', 'R', 'send the selected delivery again', { footer: 'send again' }),
    key('previous', 'left', 'select the delivery above'),
    key('next', 'right', 'select the delivery below', { footer: 'select', footerLabel: '←/→' }),
  ],
  'alert-form': form({
    send: 'make the alert, or change it',
    leave: 'leave; asks if something was typed',
    switch: { help: 'tick a channel, or the next usual cooldown', footer: 'tick' },
    done: 'next field; in the last one: send the form',
  }),
  'auto-txs': [
    key('new', 'n', 'schedule a signed transaction', { footer: 'new' }),
    key('open', 'return', 'details: checks and history', { footer: 'details' }),
    key('toggle', 'space', 'disable it, or enable it again', { footer: 'on/off' }),
    key('cancel', 'x', 'cancel it; asks first', { footer: 'cancel' }),
    key('edit', 'e', 'edit target, expiry and note; sign a draft', { footer: 'edit' }),
    key('another', 'c', 'schedule another one like it', { footer: 'another' }),
    key('delete', 'd delete', 'delete a draft or a final one; asks first', { footer: 'delete' }),
    key('copy', 'y', "copy the transaction's hash", { footer: 'copy hash' }),
    key('sort', 's', 'sort: attention, target, newest', { footer: 'sort' }),
    ...movement({ start: 'to the first', end: 'to the last', space: false }),
  ],
  'auto-tx': [key('close', 'escape', 'back to the list', { footer: 'back' })],
  'auto-tx-form': form({
    send: 'schedule it: the service sends it at the target',
    leave: 'leave; asks if something was pasted or typed',
    switch: { help: 'the next choice, or the next usual expiry' },
    done: 'next field; in the last one: schedule it',
    clear: 'clear what was pasted, or what is typed before the cursor',
  }),
  question: [
    key('other', 'left right up down tab shift+tab h l', 'the other answer', {
      footer: 'choose',
      footerLabel: '←/→',
      label: '← →',
    }),
    key('chosen', 'return', 'the focused answer', { footer: 'choose it' }),
    key('yes', 'y Y', 'yes', { footer: 'yes' }),
    key('no', 'n N escape q', 'no', { footer: 'no', footerLabel: 'n', label: 'n Esc' }),
  ],
  secret: [
    key('copy', 'y', 'copy the signing secret', { footer: 'copy it' }),
    key('close', 'return escape q', 'close it', { footer: 'close', label: '⏎ Esc' }),
  ],
  explorer: [
    ...movement({ footer: 'move', start: 'to the top: newest', end: 'to the end: oldest' }),
    key('open', 'return', 'open the block or transaction', { footer: 'open' }),
    key('close', 'escape', 'back to where it was opened from', { footer: 'back' }),
    key('previous', 'left', 'in a block: the one before'),
    key('next', 'right', 'in a block: the next one', { footer: 'block', footerLabel: '←/→' }),
    key('copy', 'y', 'copy the block number or the hash', { footer: 'copy' }),
  ],
  service: movement({ footer: 'scroll' }),
  'text-field': [
    key('submit', 'return', 'open what is typed, or keep it as the filter', { footer: 'go' }),
    key('leave', 'escape', 'leave; clears the filter', { footer: 'leave' }),
    key('line-ends', 'ctrl+a ctrl+e', 'to the start, to the end; in forms, too', { label: 'Ctrl-A E' }),
    key('clear-around', 'ctrl+u ctrl+k', 'clear what stands before, or after, the cursor', {
      label: 'Ctrl-U K',
    }),
    key('clear-word', 'ctrl+w ctrl+d', 'clear the word before, or the character under, the cursor', {
      label: 'Ctrl-W D',
    }),
  ],
} satisfies Readonly<Record<string, readonly Key[]>>;

export type Scope = keyof typeof KEYS;
export type ActionName = (typeof KEYS)[Scope][number]['action'];

export interface KeyBinding extends Key<ActionName> {
  readonly scope: Scope;
  readonly label: string;
}

const LABELS: Readonly<Record<string, string>> = {
  escape: 'Esc',
  return: '⏎',
  left: '←',
  right: '→',
  pagedown: 'PgDn',
  'ctrl+s': 'Ctrl-S',
  'ctrl+u': 'Ctrl-U',
  'ctrl+z': 'Ctrl-Z',
};

const KEYS_BY_SCOPE: Readonly<Record<Scope, readonly Key<ActionName>[]>> = KEYS;

export const SCOPES = Object.keys(KEYS).filter((name): name is Scope => name in KEYS);

/** The whole keymap: it drives the dispatcher, the footer, the `?` overlay and docs/MONITOR.md. */
export const KEYMAP: readonly KeyBinding[] = SCOPES.flatMap((scope) =>
  KEYS_BY_SCOPE[scope].map((key) => ({
    ...key,
    scope,
    label: key.label ?? LABELS[key.keys[0] ?? ''] ?? key.keys[0] ?? '',
  })),
);

export function actionOf(scope: Scope, key: string): ActionName | undefined {
  return KEYMAP.find((binding) => binding.scope === scope && binding.keys.includes(key))?.action;
}

export const SCOPE_TITLES: Readonly<Record<Scope, string>> = {
  global: 'everywhere',
  board: 'all chains',
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
  'text-field': 'a text field',
  question: 'a question',
  secret: 'a signing secret',
  scroll: 'help, raw response',
  source: 'no source answers',
};
