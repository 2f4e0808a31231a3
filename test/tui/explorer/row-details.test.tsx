import { QueryClientProvider } from '@tanstack/react-query';
import { Text } from 'ink';
import { render } from 'ink-testing-library';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MonitorContext, type MonitorScope } from '../../../src/tui/data/queries.ts';
import { createQueryClient } from '../../../src/tui/data/query-client.ts';
import { type BlockRow, MOST_BLOCKS, useRowDetails } from '../../../src/tui/panes/explorer/block-series.ts';
import { BLOCK, fakeGas } from '../fake-gas.ts';

afterEach(() => {
  vi.useRealTimers();
});

function rowOf(number: number, baseFee = 7): BlockRow {
  return {
    number,
    timestamp: number,
    baseFee,
    change: null,
    gasUsedRatio: null,
    tip: null,
    spread: null,
    details: null,
  };
}

interface AskerProps {
  readonly rows: readonly BlockRow[];
  readonly saw: (rows: readonly BlockRow[]) => void;
}

function Asker({ rows, saw }: AskerProps) {
  saw(useRowDetails(rows, true));
  return <Text>{rows[0]?.number}</Text>;
}

/** The questions for one row after the other, with the clock wound by hand. */
function details() {
  const asked: number[] = [];
  const queries = createQueryClient();
  const monitor: MonitorScope = {
    client: fakeGas({
      block: async (number) => {
        asked.push(Number(number));
        return { ...BLOCK, blockNumber: Number(number) };
      },
    }),
    intervalMs: 60_000,
    frozen: false,
    now: () => 0,
    saveFile: async (name) => name,
  };
  let seen: readonly BlockRow[] = [];
  const saw = (now: readonly BlockRow[]) => {
    seen = now;
  };
  const tree = (rows: readonly BlockRow[]) => (
    <QueryClientProvider client={queries}>
      <MonitorContext value={monitor}>
        <Asker rows={rows} saw={saw} />
      </MonitorContext>
    </QueryClientProvider>
  );
  const app = render(tree([]));
  return {
    asked,
    blockOf: (number: number) => seen.find((row) => row.number === number)?.details ?? undefined,
    cached: () => queries.getQueryCache().findAll({ queryKey: ['block'] }).length,
    /** Shows `rows` for `ms`. */
    show: async (rows: readonly BlockRow[], ms = 250) => {
      app.rerender(tree(rows));
      await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
    close: () => {
      app.unmount();
      queries.clear();
    },
  };
}

describe('the whole blocks beside the list', () => {
  it('are asked for once each, however long they are shown, and again after a reorg', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { asked, show, blockOf, close } = details();
    await show([rowOf(2), rowOf(1)]);
    await show([rowOf(2), rowOf(1)]);
    await show([rowOf(2), rowOf(1)], 5_000);
    expect(asked).toEqual([2, 1]);
    expect(blockOf(1)?.blockNumber).toBe(1);
    await show([rowOf(2, 8), rowOf(1)]);
    expect(asked).toEqual([2, 1, 2]);
    close();
  });

  it('are kept as far as the list goes, and no longer, while it runs for days', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { asked, show, blockOf, cached, close } = details();
    const newest = MOST_BLOCKS + 5;
    for (let number = 1; number <= newest; number += 1) await show([rowOf(number)]);
    await show([rowOf(newest)], 500);
    expect(blockOf(newest)?.blockNumber).toBe(newest);
    expect(cached()).toBeLessThanOrEqual(MOST_BLOCKS + 1);
    await show([rowOf(6)], 1);
    expect(blockOf(6)?.blockNumber).toBe(6);
    await show([rowOf(4)], 500);
    expect(asked.at(-1)).toBe(4);
    close();
  });
});
