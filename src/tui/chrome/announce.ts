import { useStdout } from 'ink';
import type { SnapshotView } from '../../client/views/gas.ts';
import { badgeOfKind } from '../../core/chain-status.ts';
import { cleanText, graphemes } from '../../core/text.ts';
import { useToast } from './toast.tsx';

/** How much is announced beside the screen, and the environment, which identifies the terminal. */
export interface Notifications {
  readonly level: 'on' | 'bell' | 'off';
  readonly env: Readonly<Record<string, string | undefined>>;
}

const BELL = '\u0007';
/** GNU screen passes on at most 256 bytes at once; a desktop shows hardly more. */
const LONGEST_BYTES = 200;

/** These print unknown sequences, or have no desktop. */
const BELL_ONLY = /^(unknown|linux|cons25|vt\d|ansi|eterm|emacs|sun|wyse)/i;

/**
 * The bytes of a bell and a desktop notification: BEL, then OSC 9 for iTerm2, which also reads it over ssh, or OSC 777
 * (urxvt, VTE, kitty, WezTerm, Ghostty, foot, Windows Terminal; others ignore it). In tmux (`allow-passthrough`) and
 * GNU screen they are wrapped, so that they reach the outer terminal.
 */
export function notificationBytes(text: string, { level, env }: Notifications): string {
  const term = env.TERM ?? '';
  if (level === 'off' || term === '' || term === 'dumb') return '';
  if (level === 'bell' || BELL_ONLY.test(term) || env.INSIDE_EMACS !== undefined) return BELL;
  const shown = boundBytes(cleanText(text).replaceAll(';', ','));
  const isIterm = /iterm/i.test(`${env.TERM_PROGRAM} ${env.LC_TERMINAL}`);
  const note = `\u001b]${isIterm ? '9;gastop: ' : '777;notify;gastop;'}${shown}${BELL}`;
  // The inner sequence ends in BEL: screen would take the other terminator for that of its wrapping.
  if (env.TMUX || term.startsWith('tmux'))
    return `${BELL}\u001bPtmux;${note.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  // A TERM of screen alone may be tmux's, over ssh, which would show screen's wrapping as text.
  return BELL + (env.STY ? `\u001bP${note}\u001b\\` : note);
}

function boundBytes(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_BYTES) return text;
  const characters = graphemes(text);
  while (Buffer.byteLength(characters.join('')) > LONGEST_BYTES - 3) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** Announces something that the user waits for: on screen, by bell, on the desktop. `source`: of the prices. */
export function useAnnounce(
  notifications: Notifications,
  source: SnapshotView['source'] | undefined,
): (text: string) => void {
  const toast = useToast();
  const { stdout } = useStdout();
  return (text) => {
    toast({ kind: 'alert', text });
    // A desktop notification has no badge.
    const badge = badgeOfKind(source?.kind);
    const bytes = notificationBytes(badge === null ? text : `[${badge}] ${text}`, notifications);
    if (bytes !== '') stdout.write(bytes);
  };
}
