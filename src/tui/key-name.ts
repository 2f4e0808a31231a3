import type { Key } from 'ink';
import { PART_OF_CHARACTER } from './text-input.ts';

const NAMED = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'return'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
] as const satisfies readonly (readonly [keyof Key, string])[];

/**
 * The name by which the keymap knows a key press: `q`, `G`, `ctrl+c`, `shift+tab`, `left`, `space`.
 * A burst of typing arrives as one text, so one event can be several keys.
 */
export function keyNames(input: string, key: Key): string[] {
  for (const [flag, name] of NAMED) {
    if (key[flag]) return [modified(name, key, key.shift && name === 'tab')];
  }
  if (key.ctrl) return input === '' ? [] : [`ctrl+${input}`];
  return Array.from(input, (character) => modified(characterName(character), key, false)).filter(
    (name) => name !== '',
  );
}

function characterName(character: string): string {
  if (character === ' ') return 'space';
  if (character === '\r' || character === '\n') return 'return';
  if (character === '\t') return 'tab';
  if (character === '\x7f') return 'backspace';
  // Ctrl and a letter, typed so quickly that it came with its neighbours.
  if (/[\x01-\x1a]/.test(character)) return `ctrl+${String.fromCharCode(character.charCodeAt(0) + 96)}`;
  return /\p{C}/u.test(character) && !PART_OF_CHARACTER.test(character) ? '' : character;
}

function modified(name: string, key: Key, shift: boolean): string {
  if (name === '') return '';
  // Terminals send Alt as an Escape before the key, so a flushed Escape itself carries the flag too.
  const alt = key.meta && name !== 'escape';
  return `${key.ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}
