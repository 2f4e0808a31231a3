import { cleanText } from '../core/clean-text.ts';
import { graphemes } from '../core/graphemes.ts';

/** How much of a firing leaves the screen: the bell and a note on the desktop, the bell alone, or nothing. */
export type NotificationLevel = 'on' | 'bell' | 'off';

type Env = Readonly<Record<string, string | undefined>>;

const BELL = '\u0007';
const TITLE = 'gastop';
/** GNU screen passes on at most 256 bytes at once; a desktop shows hardly more. */
const LONGEST_BYTES = 200;

/** These show what they do not understand, or have no desktop. */
const BELL_ONLY = /^(dumb|unknown|linux|cons25|vt\d|ansi|eterm|emacs|sun|wyse)/i;
/** What knows titles takes OSC 777. */
const WITH_TITLE = /kitty|ghostty|wezterm|foot|rxvt|contour|konsole/i;
const WITHOUT_TITLE = /iterm/i;
/** Takes neither. */
const NEITHER = /^apple_terminal$/i;

/**
 * What to write to a terminal for it to ring and to tell its desktop: BEL, then OSC 777 (urxvt, VTE, kitty, WezTerm,
 * Ghostty, foot, Windows Terminal), OSC 9 (iTerm2), or both where the terminal does not say which it is. Each ignores
 * the other's. ConEmu gives OSC 9 meanings of its own, but only to numbers, and the text begins with a name. In tmux
 * (`allow-passthrough`) and GNU screen they are wrapped, so that they reach the terminal outside.
 *
 * @param text from anywhere: control characters are taken out, and the semicolons that would divide it
 * @param env the environment that tells which terminal it is
 */
export function notificationBytes(text: string, level: NotificationLevel, env: Env): string {
  const term = env.TERM ?? '';
  if (level === 'off' || term === '' || term === 'dumb') return '';
  if (level === 'bell' || BELL_ONLY.test(term) || env.INSIDE_EMACS !== undefined) return BELL;
  const said = boundBytes(cleanText(text).replaceAll(';', ','), LONGEST_BYTES);
  const wrap = wrapper(env);
  return BELL + sequences(said, env).map(wrap).join('');
}

function sequences(said: string, env: Env): readonly string[] {
  const plain = `\u001b]9;${TITLE}: ${said}${BELL}`;
  const titled = `\u001b]777;notify;${TITLE};${said}${BELL}`;
  // tmux and screen put their own names before the terminal's; what that exported is still there.
  const names = [env.TERM, env.TERM_PROGRAM, env.LC_TERMINAL].join(' ');
  const exported = ['KITTY_WINDOW_ID', 'VTE_VERSION', 'WT_SESSION', 'KONSOLE_VERSION', 'WEZTERM_PANE'];
  if (WITHOUT_TITLE.test(names)) return [plain];
  if (WITH_TITLE.test(names) || exported.some((name) => env[name])) return [titled];
  return NEITHER.test(env.TERM_PROGRAM ?? '') ? [] : [plain, titled];
}

/** Ends of sequences within are BEL: screen would take the other end for that of its wrapping. */
function wrapper(env: Env): (sequence: string) => string {
  const term = env.TERM ?? '';
  if (env.TMUX || term.startsWith('tmux')) {
    return (sequence) => `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  }
  // A TERM of screen alone may be tmux's, over ssh: it would be shown screen's wrapping as text.
  return env.STY ? (sequence) => `\u001bP${sequence}\u001b\\` : (sequence) => sequence;
}

/** The beginning of a text that has at most so many bytes of UTF-8; no character is cut. */
function boundBytes(text: string, most: number): string {
  const ellipsis = '…';
  if (Buffer.byteLength(text) <= most) return text;
  let kept = '';
  let bytes = Buffer.byteLength(ellipsis);
  for (const segment of graphemes(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > most) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${ellipsis}`;
}
