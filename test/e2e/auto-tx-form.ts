import type { ScreenQuestion, Terminal } from '../helpers/terminal.ts';

export async function openForm(monitor: Terminal): Promise<void> {
  await monitor.press('n');
  await monitor.waitFor('New auto-tx');
  await monitor.waitFor('paste it here; it is never shown');
}

export async function fillOrder(
  monitor: Terminal,
  { target, note = '', expires = '' }: { target: string; note?: string; expires?: string },
): Promise<void> {
  await monitor.press('tab', 'ctrl+u', ...target, 'tab', 'tab', 'right', 'tab');
  if (expires !== '') await monitor.press('ctrl+u', ...expires);
  await monitor.press('tab', ...note);
  await monitor.waitFor(note === '' ? /▸ note/ : note);
}

export const marked =
  (does: string, words: RegExp): ScreenQuestion =>
  (rows) => {
    const line = rows.slice(3).find((row) => row.startsWith(' ▸ ')) ?? '';
    return line.includes(does) && words.test(line);
  };
