import { describe, expect, it } from 'vitest';
import { WaitTrouble } from '../../src/cli/commands/follow-price.ts';

/** A wait with a clock of its own, and what it has told. */
function waiting() {
  const told: string[] = [];
  let now = 1_000;
  const trouble = new WaitTrouble(
    (line) => told.push(line),
    () => now,
  );
  const pass = (ms: number) => {
    now += ms;
  };
  return { trouble, told, pass };
}

describe('prices that are not of now', () => {
  it('are told of after five seconds, once, and so is their return', () => {
    const { trouble, told, pass } = waiting();
    trouble.begin('the node is away');
    expect(trouble.untilToldMs()).toBe(5_000);
    pass(4_999);
    trouble.begin('the node is away');
    expect(told).toEqual([]);
    pass(1);
    trouble.begin('the node is still away');
    expect(told).toEqual(['no current prices: the node is still away; still waiting']);
    pass(60_000);
    trouble.begin('the node is away');
    expect(trouble.untilToldMs()).toBeNull();
    trouble.end();
    expect(told.slice(1)).toEqual(['prices are back after 1m05s']);
    expect(trouble.reason).toBeNull();
  });

  it('are told of after thirty where the service is only starting', () => {
    const { trouble, told, pass } = waiting();
    trouble.bePatient(true);
    trouble.begin('no chain data yet');
    pass(29_999);
    trouble.begin('no chain data yet');
    expect([told, trouble.untilToldMs()]).toEqual([[], 1]);
    pass(1);
    trouble.begin('no chain data yet');
    expect(told).toHaveLength(1);
  });

  it('are not told of where they come back sooner', () => {
    const { trouble, told, pass } = waiting();
    trouble.begin('the node is away');
    pass(4_999);
    trouble.end();
    pass(60_000);
    trouble.begin('the node is away');
    expect([told, trouble.untilToldMs()]).toEqual([[], 5_000]);
  });
});
