import { Text } from 'ink';
import { render } from 'ink-testing-library';
import { expect, it, onTestFinished } from 'vitest';
import { Clock, useAtNow, useNow } from '../../src/tui/ui/pane-context.tsx';
import { waitFor } from '../helpers/wait-for.ts';

const START = Date.UTC(2026, 0, 5, 12, 0, 0);

interface MadeProps {
  readonly select: (now: number) => unknown;
  readonly onMade: (value: unknown) => void;
}

function Made({ select, onMade }: MadeProps) {
  const value = useAtNow(select);
  onMade(value);
  return <Text>{JSON.stringify(value)}</Text>;
}

const Seconds = () => <Text>{`second ${(useNow() - START) / 1_000}`}</Text>;

it.each<[what: string, select: (now: number) => unknown, expected: readonly unknown[]]>([
  ['a text', (now) => `minute ${Math.floor((now - START) / 60_000)}`, ['minute 0', 'minute 1']],
  ['a flag', (now) => now - START >= 45_000, [false, true]],
  ['an object', (now) => ({ isPast: now - START > 30_000 }), [{ isPast: false }, { isPast: true }]],
])('the clock draws anew only what is made of the time: %s', async (_, select, expected) => {
  const made: unknown[] = [];
  let now = START;
  const app = render(
    <Clock now={() => now} periodMs={5}>
      <Seconds />
      <Made select={select} onMade={(value) => made.push(value)} />
    </Clock>,
  );
  onTestFinished(() => app.unmount());
  for (const second of [1, 2, 3, 60, 61]) {
    now = START + second * 1_000;
    await waitFor(() => app.lastFrame()?.includes(`second ${second}\n`));
    expect(app.lastFrame()).toContain(JSON.stringify(select(now)));
  }
  expect(made).toEqual(expected);
});
