import { describe, expect, it } from 'vitest';
import { Dispatcher } from '../../src/tui/dispatcher.ts';
import { KeyQueue } from '../../src/tui/key-queue.ts';

function queueWith(...keys: readonly string[]): KeyQueue {
  const queue = new KeyQueue(new Dispatcher());
  queue.add(keys);
  return queue;
}

describe('a key that may be the first digit of a paste', () => {
  it.each(['1', '2', '3', '4', '5', '6'])('does not wait for more where it only shows a tab: %s', (key) => {
    expect(queueWith(key).holdMs).toBe(0);
  });

  it.each(['0', 'f', 'd', 'a', 'G'])('waits for more, or is no digit: %s', (key) => {
    expect(queueWith(key).holdMs > 0).toBe(key !== 'G');
  });

  it('waits where more digits have come than anybody types at once, whichever is the first', () => {
    expect(queueWith(...'123456').holdMs).toBeGreaterThan(0);
  });

  it('shows its tab, and waits with the digits behind it', () => {
    const queue = queueWith('1', 'd');
    expect(queue.holdMs).toBe(0);
    queue.step();
    expect(queue.holdMs).toBeGreaterThan(0);
  });
});
