import { ownValue } from '../../../core/own-value.ts';
import { plainWord } from '../../alert-words.ts';

/** A target so short that a column holds it: of a URL where it leads, for its path may be a secret. */
export function shortTarget(target: string): string {
  if (!/^https?:\/\//i.test(target)) return target;
  const url = URL.canParse(target) ? new URL(target) : null;
  if (url === null) return target;
  return url.pathname === '/' && url.search === '' ? url.host : `${url.host}/…`;
}

export interface Told {
  readonly method: string | null;
  readonly channels: readonly string[];
  readonly to: string | null;
  readonly targets: Readonly<Record<string, string>>;
}

/** What a channel of the alert is told at; `null`: it needs none, or the service does not say. */
export function targetOf({ method, to, targets, channels }: Told, channel: string): string | null {
  const own = ownValue(targets, channel);
  if (own !== undefined) return own;
  const isMain = method === channel || (method === null && channels.length === 1);
  return isMain && to !== null && to !== '' ? to : null;
}

/** `email gas@example.org`; of several channels `email, slack`. */
export function channelsText(told: Told): string | null {
  const channels = told.channels.length > 0 ? told.channels : told.method === null ? [] : [told.method];
  const [only] = channels;
  if (only === undefined) return null;
  if (channels.length > 1) return channels.map(plainWord).join(', ');
  const target = targetOf(told, only);
  return target === null ? plainWord(only) : `${plainWord(only)} ${shortTarget(target)}`;
}
