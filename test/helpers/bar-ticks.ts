import type { Terminal } from './terminal.ts';

/**
 * Waits until the monitor's bar has changed `count` times; the age in it ticks each second. After Esc two are enough
 * to know that it was taken for itself: with the next key close behind it, it would be the begin of an Alt key, and a
 * first change may have been on its way already.
 */
export async function barTicks(terminal: Terminal, count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) {
    const bar = terminal.screen()[0];
    await terminal.waitFor((rows) => rows[0] !== bar);
  }
}
