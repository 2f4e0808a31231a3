/** One line of the keymap. */
interface Key<Action extends string = string> {
  readonly action: Action;
  /** Key names as `keyNames` gives them: `q`, `ctrl+c`, `left`, `return`, `tab`, `?`. */
  readonly keys: readonly [string, ...string[]];
  /** How the keys are written for people; default: the first of them. */
  readonly label?: string;
  /** What the key does, in the help overlay. */
  readonly help: string;
  /** The word beside the key in the footer; absent: not in the footer. */
  readonly footer?: string;
  /** How the key is written in the footer where it stands for a pair; default: `label`. */
  readonly footerLabel?: string;
}

/** What moves the selection in a list, or scrolls what is longer than the screen. */
type Movement = 'up' | 'down' | 'page-up' | 'page-down' | 'start' | 'end';

interface MovementOptions {
  /** The word beside `j/k` in the footer; absent: not in the footer. */
  readonly footer?: string;
  readonly start?: string;
  readonly end?: string;
  /** `false`: the space bar does something else in this scope. */
  readonly space?: boolean;
}

/** The same six movements wherever something moves. */
function movement(options: MovementOptions = {}): readonly Key<Movement>[] {
  const { footer, start = 'to the first line', end = 'to the last line', space = true } = options;
  const reminder = footer === undefined ? {} : { footer, footerLabel: 'j/k' };
  return [
    { action: 'up', keys: ['k', 'up'], label: 'k ↑', help: 'one line up' },
    { action: 'down', keys: ['j', 'down'], label: 'j ↓', help: 'one line down', ...reminder },
    { action: 'page-up', keys: ['pageup', 'b'], label: 'PgUp b', help: 'one screen up' },
    { action: 'page-down', keys: space ? ['pagedown', 'space'] : ['pagedown'], help: 'one screen down' },
    { action: 'start', keys: ['g', 'home'], help: start },
    { action: 'end', keys: ['G', 'end'], help: end },
  ];
}

type FormAction =
  | 'field-next'
  | 'field-previous'
  | 'field-left'
  | 'field-right'
  | 'field-switch'
  | 'field-clear'
  | 'field-done'
  | 'form-send'
  | 'form-leave';

interface FormOptions {
  /** What sending the form does, as a sentence and as a word for the footer. */
  readonly send: string;
  readonly sendWord: string;
  readonly leave: string;
  readonly switch: Pick<Key, 'help' | 'footer'>;
  readonly done: string;
  readonly clear?: string;
}

/** The keys of a form. */
function form({
  send,
  sendWord,
  leave,
  switch: toggle,
  done,
  clear,
}: FormOptions): readonly Key<FormAction>[] {
  return [
    {
      action: 'field-next',
      keys: ['tab', 'down'],
      label: 'Tab ↓',
      help: 'next field',
      footer: 'fields',
      footerLabel: 'Tab',
    },
    { action: 'field-previous', keys: ['shift+tab', 'up'], label: '⇧Tab ↑', help: 'previous field' },
    { action: 'form-send', keys: ['ctrl+s'], help: send, footer: sendWord },
    { action: 'form-leave', keys: ['escape'], help: leave, footer: 'leave' },
    {
      action: 'field-right',
      keys: ['right'],
      help: 'the choice or the character after',
      footer: 'choose',
      footerLabel: '←/→',
    },
    { action: 'field-left', keys: ['left'], help: 'the choice or the character before' },
    { action: 'field-switch', keys: ['space'], ...toggle },
    ...(clear === undefined ? [] : [{ action: 'field-clear', keys: ['ctrl+u'], help: clear } as const]),
    { action: 'field-done', keys: ['return'], help: done },
  ];
}

/**
 * Every key the monitor knows, by scope. `global` works on every tab; `scroll` in the help and in the raw view; `alert`
 * and `auto-tx` while one is open over its list, whose keys work then too; `alert-form`, `auto-tx-form`,
 * `text-field`, `question` and `secret` while such a thing is open and takes every key; the others only while they are shown.
 * Outside dialogs and `source` a letter means one thing: the same action in every scope.
 */
const KEYS = {
  global: [
    { action: 'help', keys: ['?'], help: 'show or hide this help', footer: 'help' },
    { action: 'tab-1', keys: ['1'], help: 'Live' },
    { action: 'tab-2', keys: ['2'], help: 'Chart' },
    { action: 'tab-3', keys: ['3'], help: 'Alerts' },
    { action: 'tab-4', keys: ['4'], help: 'Auto-tx' },
    { action: 'tab-5', keys: ['5'], help: 'Explorer' },
    { action: 'tab-6', keys: ['6'], help: 'Service' },
    { action: 'next-tab', keys: ['tab', ']'], label: 'Tab ]', help: 'next tab' },
    { action: 'previous-tab', keys: ['shift+tab', '['], label: '⇧Tab [', help: 'previous tab' },
    { action: 'find', keys: ['/'], help: 'filter a list, or open a block or transaction', footer: 'find' },
    { action: 'alert', keys: ['a'], help: 'new alert for when gas is cheaper than now', footer: 'alert' },
    { action: 'refresh', keys: ['r'], help: 'refresh now', footer: 'refresh' },
    { action: 'freeze', keys: ['f'], help: 'freeze the screen, or resume it', footer: 'freeze' },
    { action: 'raw', keys: ['i'], help: "show the service's raw response" },
    { action: 'slower', keys: ['-'], help: 'refresh less often' },
    {
      action: 'faster',
      keys: ['+', '='],
      help: 'refresh more often',
      footer: 'interval',
      footerLabel: '+/-',
    },
    { action: 'back', keys: ['escape'], help: 'close what is open, or clear the filter; never quits' },
    { action: 'suspend', keys: ['ctrl+z'], help: 'back to the shell; fg returns' },
    { action: 'quit', keys: ['q', 'ctrl+c'], help: 'quit', footer: 'quit' },
  ],
  scroll: movement({ footer: 'scroll' }),
  source: [
    { action: 'source-retry', keys: ['r'], help: 'try again now', footer: 'retry' },
    { action: 'source-url', keys: ['u'], help: 'enter the URL of a node or service', footer: 'enter a URL' },
    { action: 'source-demo', keys: ['d'], help: 'a simulated chain, without network', footer: 'demo' },
  ],
  live: [
    { action: 'open', keys: ['return'], help: 'the advice in full, with all its reasons', footer: 'why' },
    { action: 'close', keys: ['escape'], help: 'back from the advice', footer: 'back' },
    { action: 'copy', keys: ['y'], help: 'copy the three lanes to the clipboard', footer: 'copy' },
  ],
  chart: [
    { action: 'time-frame', keys: ['t'], help: 'time frame: 1h, 24h, 7d, 30d', footer: 'time frame' },
    { action: 'percentile', keys: ['p'], help: 'tip percentile: p50 to p99', footer: 'percentile' },
    { action: 'compare', keys: ['v'], help: 'compare with the window before', footer: 'compare' },
    { action: 'heatmap', keys: ['h'], help: 'cheap hours: day × hour', footer: 'hours' },
    { action: 'close', keys: ['escape'], help: 'back from the cheap hours', footer: 'back' },
    { action: 'write', keys: ['w'], help: 'write what is shown to a CSV file', footer: 'write CSV' },
    { action: 'cursor-left', keys: ['left'], help: 'move the cursor back' },
    { action: 'cursor-right', keys: ['right'], help: 'move the cursor on' },
    { action: 'start', keys: ['g', 'home'], help: 'cursor to the oldest value' },
    { action: 'end', keys: ['G', 'end'], help: 'cursor to the newest value' },
    { action: 'alert', keys: ['a'], help: "new alert at the cursor's price", footer: 'alert here' },
  ],
  alerts: [
    { action: 'new', keys: ['n'], help: 'new alert', footer: 'new' },
    { action: 'open', keys: ['return'], help: 'details: savings and deliveries', footer: 'details' },
    { action: 'toggle', keys: ['space'], help: 'disable it, or enable it again', footer: 'on/off' },
    { action: 'edit', keys: ['e'], help: 'edit it', footer: 'edit' },
    { action: 'another', keys: ['c'], help: 'make another one like it', footer: 'another' },
    {
      action: 'delete',
      keys: ['d', 'delete'],
      help: 'delete it; asks first, and can be undone for 10 s',
      footer: 'delete',
    },
    { action: 'undo', keys: ['u'], help: 'bring back what was just deleted' },
    { action: 'sort', keys: ['s'], help: 'sort: newest, nearest, last fired', footer: 'sort' },
    ...movement({ start: 'to the first', end: 'to the last', space: false }),
  ],
  alert: [
    { action: 'close', keys: ['escape'], help: 'back to the list', footer: 'back' },
    { action: 'redeliver', keys: ['R'], help: 'send the selected delivery again', footer: 'send again' },
    { action: 'previous', keys: ['left'], help: 'select the delivery above' },
    {
      action: 'next',
      keys: ['right'],
      help: 'select the delivery below',
      footer: 'select',
      footerLabel: '←/→',
    },
  ],
  'alert-form': form({
    send: 'make the alert, or change it',
    sendWord: 'save it',
    leave: 'leave; asks if something was typed',
    switch: { help: 'tick a channel, or the next usual cooldown', footer: 'tick' },
    done: 'next field; in the last one: send the form',
  }),
  'auto-txs': [
    { action: 'new', keys: ['n'], help: 'schedule a signed transaction', footer: 'new' },
    { action: 'open', keys: ['return'], help: 'details: checks and history', footer: 'details' },
    { action: 'toggle', keys: ['space'], help: 'disable it, or enable it again', footer: 'on/off' },
    { action: 'cancel', keys: ['x'], help: 'cancel it; asks first', footer: 'cancel' },
    { action: 'edit', keys: ['e'], help: 'edit target, expiry and note; sign a draft', footer: 'edit' },
    { action: 'another', keys: ['c'], help: 'schedule another one like it', footer: 'another' },
    {
      action: 'delete',
      keys: ['d', 'delete'],
      help: 'delete a draft or a final one; asks first',
      footer: 'delete',
    },
    { action: 'copy', keys: ['y'], help: "copy the transaction's hash", footer: 'copy hash' },
    { action: 'sort', keys: ['s'], help: 'sort: attention, target, newest', footer: 'sort' },
    ...movement({ start: 'to the first', end: 'to the last', space: false }),
  ],
  'auto-tx': [{ action: 'close', keys: ['escape'], help: 'back to the list', footer: 'back' }],
  'auto-tx-form': form({
    send: 'schedule it: the service sends it at the target',
    sendWord: 'schedule',
    leave: 'leave; asks if something was pasted or typed',
    switch: { help: 'the next choice, or the next usual expiry' },
    done: 'next field; in the last one: schedule it',
    clear: 'clear what was pasted, or what is typed before the cursor',
  }),
  question: [
    {
      action: 'other',
      keys: ['left', 'right', 'up', 'down', 'tab', 'shift+tab', 'h', 'l'],
      label: '← →',
      help: 'the other answer',
      footer: 'choose',
      footerLabel: '←/→',
    },
    { action: 'chosen', keys: ['return'], help: 'the focused answer', footer: 'choose it' },
    { action: 'yes', keys: ['y', 'Y'], help: 'yes', footer: 'yes' },
    {
      action: 'no',
      keys: ['n', 'N', 'escape', 'q'],
      label: 'n Esc',
      help: 'no',
      footer: 'no',
      footerLabel: 'n',
    },
  ],
  secret: [
    { action: 'copy', keys: ['y'], help: 'copy the signing secret', footer: 'copy it' },
    {
      action: 'close',
      keys: ['return', 'escape', 'q'],
      label: '⏎ Esc',
      help: 'close it',
      footer: 'close',
    },
  ],
  explorer: [
    ...movement({ footer: 'move', start: 'to the top: newest', end: 'to the end: oldest' }),
    { action: 'open', keys: ['return'], help: 'open the block or transaction', footer: 'open' },
    { action: 'close', keys: ['escape'], help: 'back to where it was opened from', footer: 'back' },
    { action: 'previous', keys: ['left'], help: 'in a block: the one before' },
    {
      action: 'next',
      keys: ['right'],
      help: 'in a block: the next one',
      footer: 'block',
      footerLabel: '←/→',
    },
    { action: 'copy', keys: ['y'], help: 'copy the block number or the hash', footer: 'copy' },
  ],
  service: movement({ footer: 'scroll' }),
  'text-field': [
    {
      action: 'submit',
      keys: ['return'],
      help: 'open what is typed, or keep it as the filter',
      footer: 'go',
    },
    { action: 'leave', keys: ['escape'], help: 'leave; clears the filter', footer: 'leave' },
    {
      action: 'line-ends',
      keys: ['ctrl+a', 'ctrl+e'],
      label: 'Ctrl-A E',
      help: 'to the start, to the end; in forms, too',
    },
    {
      action: 'clear-around',
      keys: ['ctrl+u', 'ctrl+k'],
      label: 'Ctrl-U K',
      help: 'clear what stands before, or after, the cursor',
    },
    {
      action: 'clear-word',
      keys: ['ctrl+w', 'ctrl+d'],
      label: 'Ctrl-W D',
      help: 'clear the word before, or the character under, the cursor',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Key[]>>;

export type Scope = keyof typeof KEYS;
export type ActionName = (typeof KEYS)[Scope][number]['action'];

/** A key with the scope in which it works. */
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

/** The scopes in the order of the keymap. */
export const SCOPES = Object.keys(KEYS).filter((name): name is Scope => name in KEYS);

/** The whole keymap: it drives the dispatcher, the footer, the `?` overlay and docs/MONITOR.md. */
export const KEYMAP: readonly KeyBinding[] = SCOPES.flatMap((scope) =>
  KEYS_BY_SCOPE[scope].map((key) => ({
    ...key,
    scope,
    label: key.label ?? LABELS[key.keys[0]] ?? key.keys[0],
  })),
);

/** The action that `key` stands for in `scope`. */
export function actionOf(scope: Scope, key: string): ActionName | undefined {
  return KEYMAP.find((binding) => binding.scope === scope && binding.keys.includes(key))?.action;
}

/** Each scope as the help and the documents name it. */
export const SCOPE_TITLES: Readonly<Record<Scope, string>> = {
  global: 'everywhere',
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
