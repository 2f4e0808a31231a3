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
 * and `auto-tx` while one is open over its list; `alert-form`, `auto-tx-form`, `question` and `secret` while such a
 * thing is open and takes every key; the others only while they are shown.
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
    { action: 'refresh', keys: ['r'], help: 'ask again now', footer: 'refresh' },
    { action: 'freeze', keys: ['f'], help: 'freeze the screen, or let it go on', footer: 'freeze' },
    { action: 'raw', keys: ['i'], help: "show the service's own answer" },
    { action: 'slower', keys: ['-'], help: 'ask less often' },
    { action: 'faster', keys: ['+', '='], help: 'ask more often', footer: 'interval', footerLabel: '+/-' },
    { action: 'back', keys: ['escape'], help: 'close what is open; never quits' },
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
    { action: 'copy', keys: ['c'], help: 'copy the three lanes to the clipboard', footer: 'copy' },
    {
      action: 'alert-here',
      keys: ['a'],
      help: 'an alert for when gas is cheaper than now',
      footer: 'alert here',
    },
  ],
  chart: [
    { action: 'time-frame', keys: ['t'], help: 'time frame: 1h, 24h, 7d, 30d', footer: 'time' },
    { action: 'percentile', keys: ['p'], help: 'tip percentile: p50 to p99', footer: 'percentile' },
    { action: 'compare', keys: ['v'], help: 'compare with the window before', footer: 'compare' },
    { action: 'heatmap', keys: ['h'], help: 'cheap hours: day × hour', footer: 'hours' },
    { action: 'close-heatmap', keys: ['escape'], help: 'back from the hours' },
    { action: 'export', keys: ['e'], help: 'save what is shown as CSV', footer: 'export' },
    { action: 'cursor-left', keys: ['left'], help: 'move the cursor back' },
    { action: 'cursor-right', keys: ['right'], help: 'move the cursor on' },
    { action: 'start', keys: ['g', 'home'], help: 'cursor to the oldest value' },
    { action: 'end', keys: ['G', 'end'], help: 'cursor to the newest value' },
    { action: 'alert-here', keys: ['a'], help: "an alert at the cursor's price", footer: 'alert here' },
  ],
  alerts: [
    { action: 'new', keys: ['n'], help: 'make a new alert', footer: 'new' },
    { action: 'open', keys: ['return'], help: 'its details: savings and what was sent', footer: 'details' },
    { action: 'toggle', keys: ['space'], help: 'disable it, or enable it again', footer: 'on/off' },
    { action: 'copy', keys: ['c'], help: 'make another one like it', footer: 'copy' },
    {
      action: 'delete',
      keys: ['d', 'delete'],
      help: 'delete it; asks first, and can be undone for 10 s',
      footer: 'delete',
    },
    { action: 'undo', keys: ['u'], help: 'bring back what was just deleted' },
    ...movement({ start: 'to the top: newest', end: 'to the end: oldest', space: false }),
  ],
  alert: [
    { action: 'close', keys: ['escape'], help: 'back to the list', footer: 'back' },
    { action: 'toggle', keys: ['space'], help: 'disable it, or enable it again', footer: 'on/off' },
    {
      action: 'delete',
      keys: ['d', 'delete'],
      help: 'delete it; asks first, and can be undone for 10 s',
      footer: 'delete',
    },
    { action: 'redeliver', keys: ['R'], help: 'send the marked delivery once more', footer: 'send again' },
    { action: 'previous', keys: ['left'], help: 'mark the delivery above' },
    {
      action: 'next',
      keys: ['right'],
      help: 'mark the delivery below',
      footer: 'mark',
      footerLabel: '←/→',
    },
    { action: 'copy', keys: ['c'], help: 'make another one like it', footer: 'copy' },
  ],
  'alert-form': form({
    send: 'make the alert',
    sendWord: 'make it',
    leave: 'leave; asks if something was typed',
    switch: { help: 'tick a channel; the next usual cooldown', footer: 'tick' },
    done: 'next field; in the last one: make the alert',
  }),
  'auto-txs': [
    { action: 'new', keys: ['n'], help: 'hand over a signed transaction', footer: 'new' },
    { action: 'open', keys: ['return'], help: 'its details: checks and what happened', footer: 'details' },
    { action: 'toggle', keys: ['space'], help: 'disable it, or have it wait again', footer: 'on/off' },
    { action: 'cancel', keys: ['x'], help: 'cancel it; asks first', footer: 'cancel' },
    {
      action: 'edit',
      keys: ['e'],
      help: 'change it: target, expiry, note; a draft gets its signature',
      footer: 'edit',
    },
    {
      action: 'delete',
      keys: ['d', 'delete'],
      help: 'delete a draft or what is over; asks first',
      footer: 'delete',
    },
    { action: 'copy', keys: ['c'], help: "copy the transaction's hash", footer: 'copy hash' },
    ...movement({
      start: 'to the top: what is on its way',
      end: 'to the end: what is long over',
      space: false,
    }),
  ],
  'auto-tx': [
    { action: 'close', keys: ['escape'], help: 'back to the list', footer: 'back' },
    { action: 'toggle', keys: ['space'], help: 'disable it, or have it wait again', footer: 'on/off' },
    { action: 'cancel', keys: ['x'], help: 'cancel it; asks first', footer: 'cancel' },
    {
      action: 'edit',
      keys: ['e'],
      help: 'change it: target, expiry, note; a draft gets its signature',
      footer: 'edit',
    },
    {
      action: 'delete',
      keys: ['d', 'delete'],
      help: 'delete a draft or what is over; asks first',
      footer: 'delete',
    },
    { action: 'copy', keys: ['c'], help: "copy the transaction's hash", footer: 'copy hash' },
  ],
  'auto-tx-form': form({
    send: 'hand it to the service, which sends it at its price',
    sendWord: 'hand over',
    leave: 'leave; asks if something was pasted or typed',
    switch: { help: 'the next choice, or the next usual expiry' },
    done: 'next field; in the last one: hand it over',
    clear: 'forget what was pasted, or what is typed before the cursor',
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
    { action: 'chosen', keys: ['return'], help: 'the marked answer', footer: 'take it' },
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
    { action: 'copy', keys: ['c'], help: 'copy the signing secret', footer: 'copy it' },
    {
      action: 'close',
      keys: ['return', 'escape', 'q'],
      label: '⏎ Esc',
      help: 'it is kept: close',
      footer: 'close',
    },
  ],
  explorer: [
    ...movement({ footer: 'move', start: 'to the top: newest', end: 'to the end: oldest' }),
    { action: 'open', keys: ['return'], help: 'open the block or transaction', footer: 'open' },
    { action: 'close', keys: ['escape'], help: 'back to where it was opened from' },
    { action: 'previous', keys: ['left'], help: 'in a block: the one before' },
    { action: 'next', keys: ['right'], help: 'in a block: the next one' },
    { action: 'look-up', keys: ['/'], help: 'look up a block or a transaction', footer: 'look up' },
    { action: 'copy', keys: ['c'], help: 'copy the block number or the hash', footer: 'copy' },
  ],
  service: movement({ footer: 'scroll' }),
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

/** The actions that `key` stands for in `scope`. */
export function actionsOf(scope: Scope, key: string): readonly ActionName[] {
  return KEYMAP.filter((binding) => binding.scope === scope && binding.keys.includes(key)).map(
    ({ action }) => action,
  );
}
