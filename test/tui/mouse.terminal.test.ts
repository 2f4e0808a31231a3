import { describe, expect, it } from 'vitest';
import type { Terminal } from '../helpers/terminal.ts';
import { expectCleanEnd, leads, outputFrom, sceneOpener } from './open-scene.ts';

const { program, openScene, shareScene } = await sceneOpener();

const MODES = ['mouse (1000)', 'mouse reports (SGR)'];
const mouseOf = (screen: Terminal) => screen.leftovers().filter((name) => name.startsWith('mouse'));
const click = (screen: Terminal, text: string) => {
  const place = screen.find(text);
  if (place === null) throw new Error(`${text} is not on the screen`);
  screen.write(`\x1b[<0;${place.x + 1};${place.y + 1}M\x1b[<0;${place.x + 1};${place.y + 1}m`);
};
const wheel = (screen: Terminal, button: 64 | 65) => screen.write(`\x1b[<${button};9;9M`);
const selected = (screen: Terminal) => screen.screen().find((row) => row.includes('▸ ')) ?? '';

describe('the mouse', () => {
  const shown = shareScene('auto-txs', { cols: 80, env: { AUTO_TXS: '40' } });

  it('is the terminal’s until M is pressed: what it reports all the same does nothing', async () => {
    const screen = shown();
    await screen.waitFor('│ Average');
    expect(mouseOf(screen)).toEqual([]);
    click(screen, '4 Auto-tx');
    wheel(screen, 65);
    await leads(screen, '?', 'show or hide this help');
    await leads(screen, '?', '│ Average');
    expect(screen.screen()[1]).toContain('[1 Live]');
    await leads(screen, 'M', 'Mouse on', () => mouseOf(screen).length === MODES.length);
    expect(mouseOf(screen)).toEqual(MODES);
  });

  it('shows the tab that is clicked', async () => {
    const screen = shown();
    for (const [name, current] of [
      ['6 Serv', '[6 Service]'],
      ['2 Chart', '[2 Chart]'],
      ['4 Auto-tx', '[4 Auto-tx'],
    ] as const) {
      click(screen, name);
      await screen.waitFor(current);
    }
  });

  it('moves the selection with the wheel, one row for each report however many come at once, and to a clicked row', async () => {
    const screen = shown();
    await screen.waitFor(() => selected(screen) !== '');
    const first = selected(screen);
    screen.write('\x1b[<65;9;9M'.repeat(3));
    const rows = screen.screen();
    const third = rows[rows.indexOf(first) + 3]?.trim() ?? 'no row';
    await screen.waitFor(() => selected(screen).replace('▸', '').trim() === third);
    wheel(screen, 64);
    const second = rows[rows.indexOf(first) + 2]?.trim() ?? 'no row';
    await screen.waitFor(() => selected(screen).replace('▸', '').trim() === second);
    const place = { y: rows.indexOf(first) + 5 };
    screen.write(`\x1b[<0;20;${place.y + 1}M`);
    await screen.waitFor((lines) => lines[place.y]?.includes('▸ '));
  });

  it('leaves questions to the keys, and is off after M', async () => {
    const screen = shown();
    await leads(screen, 'n', 'New auto-tx');
    click(screen, '1 Live');
    wheel(screen, 65);
    await leads(screen, 'esc', (lines) => lines[1]?.includes('[4 Auto-tx') && selected(screen) !== '');
    await leads(screen, 'M', 'Mouse off', () => mouseOf(screen).length === 0);
  });
});

const ENDS: readonly (readonly [string, (screen: Terminal) => unknown, number])[] = [
  ['q', (screen) => screen.press('q'), 0],
  ['Ctrl-C', (screen) => screen.press('ctrl+c'), 0],
  ['SIGTERM', (screen) => screen.signal('SIGTERM'), 143],
  ['SIGHUP', (screen) => screen.signal('SIGHUP'), 129],
];

it.each(ENDS)('%s leaves the terminal its mouse', async (_, end, exitCode) => {
  const screen = await openScene('live', { watchTty: true, env: { MOUSE: '1' } });
  await screen.waitFor(
    (rows) => rows.join().includes('│ Average') && mouseOf(screen).length === MODES.length,
  );
  await end(screen);
  await expectCleanEnd(screen, exitCode);
});

it.each(['late-throw', 'render-error'])('an exception (%s) leaves the terminal its mouse', async (scene) => {
  const screen = await openScene(scene, { watchTty: true, env: { MOUSE: '1' } });
  const written = outputFrom(screen);
  expect((await screen.waitForExit()).exitCode).toBe(1);
  expect(written()).toContain('\x1b[?1000h');
  expect(screen.leftovers()).toEqual([]);
});

it('Ctrl-Z leaves the shell its mouse, and fg takes it again', async () => {
  const screen = await openScene('live', {
    command: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    env: { PS1: 'shell> ', MOUSE: '1' },
  });
  const atPrompt = () => !screen.isAlternate() && screen.screen().join('\n').trimEnd().endsWith('\nshell>');
  await screen.waitFor('shell>');
  await leads(
    screen,
    [`${process.execPath} ${program}`, 'enter'],
    '│ Average',
    () => mouseOf(screen).length === 2,
  );
  await screen.press('ctrl+z');
  await screen.waitFor(() => atPrompt() && mouseOf(screen).length === 0);
  await leads(screen, ['fg', 'enter'], () => screen.isAlternate() && mouseOf(screen).length === 2);
  await screen.press('q');
  await screen.waitFor(() => atPrompt() && mouseOf(screen).length === 0);
});
