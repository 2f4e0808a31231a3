import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WaitTrouble } from '../../src/cli/commands/wait.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A wait with a clock of its own, and what it has told. */
function waiting() {
  const told: string[] = [];
  return { trouble: new WaitTrouble((line) => told.push(line)), told };
}

describe('prices that are not of now', () => {
  it('are told of after five seconds, once, and so is their return', () => {
    const { trouble, told } = waiting();
    trouble.begin('the node is away');
    vi.advanceTimersByTime(4_999);
    trouble.begin('the node is still away');
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(told).toEqual(['no current prices: the node is still away; still waiting']);
    vi.advanceTimersByTime(60_000);
    trouble.begin('the node is away');
    trouble.end();
    expect(told.slice(1)).toEqual(['prices are back after 1m05s']);
    expect(trouble.reason).toBeNull();
  });

  it('are told of after thirty where the service is only starting', () => {
    const { trouble, told } = waiting();
    trouble.begin('no chain data yet', true);
    vi.advanceTimersByTime(29_999);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(told).toHaveLength(1);
  });

  it('are not told of where they come back sooner', () => {
    const { trouble, told } = waiting();
    trouble.begin('the node is away');
    vi.advanceTimersByTime(4_999);
    trouble.end();
    vi.advanceTimersByTime(60_000);
    trouble.begin('the node is away');
    vi.advanceTimersByTime(4_999);
    expect(told).toEqual([]);
  });
});
