/** A way an alert notifies. Checks, form, command line, documents and tests read its row. */
interface ChannelRow {
  /** In small letters its flag. */
  readonly name: string;
  /** `null`: it has none. */
  readonly target: {
    /** To follow "is missing:". */
    readonly what: string;
    /** In the form, where it says more. */
    readonly hint?: string;
    /** Why a text is none, to follow its field's name. Of a URL the host is the recipient that limits apply to. */
    readonly refuse: 'unless-url' | ((text: string) => string | null);
  } | null;
  /** What follows its flag, and the flag's line in the help. */
  readonly flag: readonly [value: string, help: string];
  /** The setting without which the service cannot send to it, and what its operator sets. */
  readonly setUp?: { readonly setting: 'smtp' | 'telegram'; readonly how: string };
  /** Whether the given v1 document lacks it. */
  readonly isAddition?: true;
}

/** No schemas here: the monitor draws its first frame before it loads those. */
const ROWS = [
  {
    name: 'EMAIL',
    target: {
      what: 'an address',
      hint: 'an address such as gas@example.org',
      refuse: (text: string) =>
        isAddress(text) ? null : 'must be one email address such as gas@example.org',
    },
    flag: ['<ADDRESS>', 'notify by mail'],
    setUp: { setting: 'smtp', how: 'smtp in the config file, or GASTOP_SMTP_URL and GASTOP_SMTP_FROM' },
  },
  {
    name: 'WEBHOOK',
    target: { what: 'a URL', hint: 'a URL that takes a POST', refuse: 'unless-url' },
    flag: ['<URL>', 'notify by a signed POST'],
  },
  {
    name: 'SLACK',
    target: { what: 'the URL of an incoming webhook', refuse: 'unless-url' },
    flag: ['<URL>', 'notify a Slack incoming webhook'],
  },
  {
    name: 'TELEGRAM',
    target: {
      what: 'a chat id',
      hint: 'a chat id such as -1001234567890, or @channel',
      refuse: (text: string) =>
        CHAT_ID.test(text) ? null : 'must be a chat id: a number such as -1001234567890, or @channel',
    },
    flag: ['<CHAT>', 'notify a Telegram chat: its id, or @channel'],
    setUp: { setting: 'telegram', how: 'telegram.token in the config file, or GASTOP_TELEGRAM_TOKEN' },
  },
  { name: 'TERMINAL', target: null, flag: ['', 'notify every running monitor'], isAddition: true },
] as const satisfies readonly ChannelRow[];

export type AlertChannel = (typeof ROWS)[number]['name'];
export const CHANNELS: readonly (ChannelRow & { readonly name: AlertChannel })[] = ROWS;
export const ALERT_CHANNELS = CHANNELS.map(({ name }) => name);

/** `undefined` for a name that only another service knows. */
export const channelNamed = (channel: string) => CHANNELS.find(({ name }) => name === channel);

/** Whether it has a target, as the channels of other services may, too. */
export const hasTarget = (channel: string): boolean => channelNamed(channel)?.target !== null;

/** `-1001234567890_42` is topic 42 of a group. */
const CHAT_ID = /^(?:-?[1-9]\d{0,18}|-100[1-9]\d{0,15}_[1-9]\d{0,9}|@[A-Za-z]\w{3,31})$/;
/** RFC 5321, 4.5.3.1. */
const ADDRESS_LONGEST = 254;
const LOCAL_LONGEST = 64;

export function isAddress(text: string): boolean {
  // RFC 5322's atoms (also in other scripts, RFC 6531): no quotes, brackets, commas or line breaks, so one address at most.
  const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
  const domain =
    /^[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?(\.[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?)*$/u;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  return (
    text.length <= ADDRESS_LONGEST &&
    local.length <= LOCAL_LONGEST &&
    localPart.test(local) &&
    domain.test(text.slice(at + 1))
  );
}
