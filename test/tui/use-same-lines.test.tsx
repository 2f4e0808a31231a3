import { render } from 'ink-testing-library';
import { expect, it, onTestFinished } from 'vitest';
import { useSameLines } from '../../src/tui/hooks/use-same-lines.ts';
import type { Line } from '../../src/tui/lines.ts';

/** What the hook makes of one set of lines after the other. */
function kept(...sets: readonly ReadonlyMap<string, Line>[]): readonly ReadonlyMap<string, Line>[] {
  const seen: ReadonlyMap<string, Line>[] = [];
  const [first = new Map(), ...others] = sets;
  const app = render(<Lines lines={first} seen={seen} />);
  onTestFinished(app.unmount);
  for (const lines of others) app.rerender(<Lines lines={lines} seen={seen} />);
  return seen;
}

interface LinesProps {
  readonly lines: ReadonlyMap<string, Line>;
  readonly seen: ReadonlyMap<string, Line>[];
}

function Lines({ lines, seen }: LinesProps) {
  seen.push(useSameLines(lines));
  return null;
}

it('a line that looks the same is the same object, wherever it has moved to', () => {
  const [one, other] = kept(
    new Map([
      ['a', [{ text: 'first' }]],
      ['b', [{ text: 'second', color: 'good' }]],
    ]),
    new Map([
      ['b', [{ text: 'second', color: 'good' }]],
      ['c', [{ text: 'third' }]],
    ]),
  );
  expect(other?.get('b')).toBe(one?.get('b'));
  expect([...(other?.keys() ?? [])]).toEqual(['b', 'c']);
});

it.each<[string, Line]>([
  ['says something else', [{ text: 'b' }]],
  ['has another colour', [{ text: 'a', color: 'bad' }]],
  ['has another weight', [{ text: 'a', bold: true }]],
  ['is faint', [{ text: 'a', faint: true }]],
  ['has the cursor', [{ text: 'a', inverse: true }]],
  ['says more', [{ text: 'a' }, { text: 'b' }]],
])('a line that %s is drawn as it is now', (_, line) => {
  const [, other] = kept(new Map([['id', [{ text: 'a' }]]]), new Map([['id', line]]));
  expect(other?.get('id')).toEqual(line);
});
