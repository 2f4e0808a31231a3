import { setTimeout as sleep } from 'node:timers/promises';
import { Text } from 'ink';
import { render } from 'ink-testing-library';
import { useState } from 'react';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { footerKeys, KeyBar } from '../../src/tui/chrome/frame.tsx';
import { helpLines } from '../../src/tui/chrome/raw-view.tsx';
import { KEYMAP, type Scope } from '../../src/tui/input/keymap.ts';
import { TextField } from '../../src/tui/input/text-input.tsx';
import { KeyListener, useKeys, useModalKeys } from '../../src/tui/input/use-keys.tsx';
import { setAscii } from '../../src/tui/ui/theme.ts';
import { waitFor } from '../helpers/wait-for.ts';

let opened: { unmount: () => void } | null = null;
afterEach(() => opened?.unmount());

function Recorder({ scopes }: { readonly scopes: readonly Scope[] }) {
  return (
    <KeyListener scopes={scopes}>
      <Heard />
    </KeyListener>
  );
}

function Heard() {
  const [heard, setHeard] = useState<readonly string[]>([]);
  const [typing, setTyping] = useState(false);
  // Not a functional update: a burst of keys must still see each other's effect.
  const hear = (what: string) => () => setHeard([...heard, what]);
  useKeys('global', {
    quit: hear('quit'),
    refresh: hear('refresh'),
    back: hear('back'),
    'previous-tab': hear('previous'),
    live: hear('live'),
    chart: hear('chart'),
    alerts: hear('alerts'),
  });
  useKeys('source', { 'source-retry': hear('retry'), 'source-url': () => setTyping(true) });
  useKeys('explorer', {
    'page-up': hear('up'),
    down: hear('down'),
    up: hear('k'),
  });
  useKeys('chart', { 'cursor-left': hear('left'), end: hear('newest') });
  return (
    <>
      <Text>{`heard: ${heard.join(' ')}.`}</Text>
      {typing ? (
        <TextField
          label="URL"
          onChange={() => {}}
          onSubmit={(text) => {
            hear(`submitted:${text}`)();
            setTyping(false);
          }}
          onCancel={() => setTyping(false)}
        />
      ) : null}
    </>
  );
}

async function open(scopes: readonly Scope[]) {
  const app = render(<Recorder scopes={scopes} />);
  opened = app;
  await waitFor(() => app.stdin.listenerCount('readable') > 0, { what: 'ears' });
  const heard = () => (/heard: (.*?)\./s.exec(app.lastFrame() ?? '')?.[1] ?? '').replace(/\s+/g, ' ');
  return { ...app, heard };
}

describe('keys', () => {
  it.each<readonly [string, Scope, string, string]>([
    ['mean what the nearest scope that is shown says', 'source', 'r', 'retry'],
    ['of a pane that is not shown are not heard', 'live', '\u001b[Dr', 'refresh'],
    [
      'typed in a burst are heard after the effect of the one before',
      'chart',
      'rGr',
      'refresh newest refresh',
    ],
    ['with Ctrl are heard within a burst, too', 'source', 'uh\u0015w/\u007fs\r', 'submitted:ws'],
    ['go to the text field that one of them opened', 'source', 'uq r\r', 'submitted:q r'],
    ['that are pasted where nothing is typed do nothing', 'chart', '\u001b[200~qqq\u001b[201~G', 'newest'],
    ['held down are keys, also where they are hex digits', 'explorer', 'b'.repeat(9), 'up '.repeat(9).trim()],
    ['with Shift are told apart', 'chart', '\u001b[Z', 'previous'],
    ['still quit from a text field with Ctrl-C', 'source', 'u\u0003', 'quit'],
  ])('%s', async (_, scope, bytes, expected) => {
    const { stdin, heard } = await open([scope, 'global']);
    stdin.write(bytes);
    await waitFor(() => heard() === expected);
  });

  it('that pile up behind a slow screen all do what they do: held down, of tabs, of a field that one of them opens', async () => {
    const { stdin, heard, lastFrame } = await open(['explorer', 'source', 'global']);
    for (const read of ['j'.repeat(30), '213r', 'jjku', '24 3\r']) stdin.write(read);
    await waitFor(() => heard().includes('submitted'));
    expect(heard()).toBe(`${'down '.repeat(30)}chart live alerts retry down down k submitted:24 3`);
    expect(lastFrame()).not.toContain('Not pasted');
  });

  it.each([
    ['a word of keys', 'r3rGk2j3G'],
    ['an address', '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045\r'],
    ['lines', 'quit\nrefresh\n3\n'],
    ['what opens a field', 'u http://localhost:8545\r'],
  ])(
    'that are read at once like a paste without brackets do nothing, to the last read: %s',
    async (_, pasted) => {
      const { stdin, heard } = await open(['explorer', 'chart', 'source', 'global']);
      stdin.write('j');
      stdin.write(pasted);
      for (const read of ['3', '\r', 'r']) stdin.write(read);
      stdin.write('\u001b[200~q\u001b[201~');
      await sleep(150);
      stdin.write('G');
      await waitFor(() => heard().endsWith('newest'));
      expect(heard()).toBe('down newest');
    },
  );

  it('read at once in a field are its text; the lines after the one that submits it do nothing', async () => {
    const { stdin, heard } = await open(['source', 'global']);
    stdin.write('u');
    stdin.write('http://localhost:8545\r3\rr3');
    await waitFor(() => heard().includes('submitted'));
    expect(heard()).toBe('submitted:http://localhost:8545');
  });

  it('still quit with Ctrl-C right after a paste', async () => {
    const { stdin, heard } = await open(['chart', 'global']);
    stdin.write('rG3r12rG\u0003');
    await waitFor(() => heard() === 'quit');
  });

  it('read together with the Escape before them are both heard where nothing takes text, and are Alt where something does', async () => {
    const { stdin, heard } = await open(['explorer', 'source', 'global']);
    stdin.write('\u001b3');
    await waitFor(() => heard() === 'back alerts');
    stdin.write('ua\u001bbc\r');
    await waitFor(() => heard() === 'back alerts submitted:ac');
  });

  it('that follow each other closer than the screen are not lost, nor is what is pasted then', async () => {
    const { stdin, heard } = await open(['source', 'global']);
    for (const key of ['r', 'r', 'u', 'x', '\u007f', '\u001b[200~ab\u001b[201~', 'c', '\r']) stdin.write(key);
    await waitFor(() => heard() === 'retry retry submitted:abc');
  });
});

describe('the keymap', () => {
  it('gives no key two meanings in one scope', () => {
    for (const { scope } of KEYMAP) {
      const keys = KEYMAP.filter((binding) => binding.scope === scope).flatMap((binding) => [
        ...binding.keys,
      ]);
      expect(new Set(keys).size, scope).toBe(keys.length);
    }
  });

  it('gives no letter two meanings, dialogs, the screen without a source and a in a transaction apart', () => {
    const apart: readonly Scope[] = ['form', 'text-field', 'question', 'secret', 'source'];
    const meanings = new Map<string, Set<string>>();
    for (const { scope, keys, action } of KEYMAP) {
      if (apart.includes(scope) || action === 'cost') continue;
      for (const key of keys.filter((name) => name.length === 1)) {
        meanings.set(key, (meanings.get(key) ?? new Set()).add(action));
      }
    }
    expect([...meanings].filter(([, actions]) => actions.size > 1)).toEqual([]);
    const actionOf = (key: string) => [...(meanings.get(key) ?? [])].join();
    expect([...'yces/a'].map(actionOf)).toEqual(['copy', 'another', 'edit', 'sort', 'find', 'alert']);
  });

  it('is in the help overlay completely', () => {
    const help = helpLines('live').join('\n');
    expect(help).not.toContain('forgets');
    for (const name of ['the demo', 'gastop'])
      expect(helpLines('alerts', name).join('\n')).toContain(
        `${name} forgets alerts and auto-txs when it ends`,
      );
    for (const binding of KEYMAP) expect(help).toContain(binding.help);
  });
});

function Screen() {
  return (
    <KeyListener scopes={['alerts']}>
      <Pane />
      <KeyBar />
    </KeyListener>
  );
}

function Pane() {
  const [isOpen, setOpen] = useState(false);
  useKeys('alerts', { delete: () => setOpen(true) });
  return isOpen ? <Dialog onClose={() => setOpen(false)} /> : <Text>a list</Text>;
}

function Dialog({ onClose }: { readonly onClose: () => void }) {
  useModalKeys('question', { yes: () => {}, no: onClose });
  return <Text>Sure?</Text>;
}

describe('the footer', () => {
  it('keeps help and quit however narrow it is', () => {
    expect(footerKeys(['live', 'global'], 20, () => true).map(({ word }) => word)).toEqual(['help', 'quit']);
  });

  it.each([false, true])('never is wider than its room, ASCII: %s', (isAscii) => {
    setAscii(isAscii);
    onTestFinished(() => setAscii(false));
    for (let width = 16; width < 120; width += 1) {
      const shown = footerKeys(['live', 'global'], width, () => true).map(
        ({ key, word }) => ` ${key} ${word} `,
      );
      expect(shown.join('').length).toBeLessThanOrEqual(width);
    }
  });

  it('names a key once, with the meaning it has now', () => {
    const keys = footerKeys(['source', 'global'], 120, () => true).filter(({ key }) => key === 'r');
    expect(keys.map(({ word }) => word)).toEqual(['retry']);
  });

  it('names the keys of a dialog in every frame in which it stands, and those of the list in every other', async () => {
    const app = render(<Screen />);
    opened = app;
    const shows = (text: string) => waitFor(() => app.lastFrame()?.includes(text), { what: text });
    await waitFor(() => app.stdin.listenerCount('readable') > 0, { what: 'ears' });
    app.stdin.write('d');
    await shows('Sure?');
    app.stdin.write('n');
    await shows('a list');
    const footers = app.frames.map((frame) => frame.split('\n'));
    for (const [body, footer] of footers) {
      expect(footer).toBe(body === 'a list' ? ' d delete' : ' y yes  n no');
    }
    expect(footers.length).toBeGreaterThan(2);
  });

  it('names no key that does nothing now', () => {
    const keys = footerKeys(['alerts', 'global'], 120, (_, action) => action === 'new' || action === 'quit');
    expect(keys.map(({ key }) => key)).toEqual(['n', 'q']);
  });
});
