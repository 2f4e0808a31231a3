/** The monitor on a real node: every number on the screen against the node's own `eth_feeHistory`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatGwei } from '../../src/core/units.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { gastop } from '../helpers/gastop.ts';

const GWEI = 1_000_000_000n;

/** Base fees that the rounds begin at, wei: a busy day, today's mainnet, the dearest of days, almost nothing. */
const ROUNDS = [7_770_000_000n, 41_200_000n, 1_352_000_000_000n, 1_000n, 33_300_000n];

// Each with a node of its own, so that they wait for their blocks side by side.
describe.concurrent('gastop --rpc on a node that mines every second', () => {
  it.for(['--rpc over a WebSocket', '--rpc'])(
    "%s shows exactly the node's own numbers of the last block",
    async (link, { onTestFinished }) => {
      // 20 transfers fill a block, so demand moves the base fee. It starts at 0.0412 gwei, today's mainnet.
      const node = await startAnvil({ blockTime: 1, gasLimit: 420_000, baseFee: 41_200_000n });
      const stopDemand = changingDemand(node);
      onTestFinished(async () => {
        await stopDemand();
        await node.stop();
      });
      const url = link === '--rpc' ? node.url : node.wsUrl;
      await using terminal = await gastop(['--rpc', url], { cols: 120, rows: 40 });
      for (const baseFee of ROUNDS) {
        await node.setNextBaseFee(baseFee);
        await setMining(node, true);
        const from = Number(await node.rpc('eth_blockNumber'));
        await terminal.waitFor((rows) => blockNumber(rows) >= from + 3);
        await setMining(node, false);
        const fees = await lastFees(node);

        const live = await terminal.waitFor((rows) => blockNumber(rows) === fees.block);
        expect(shown(live, /next base ([\d.,]+)/)).toBe(formatGwei(fees.next));
        expect(shown(live, /next base [\d.,]+ \S (\S+) %/)).toBe(changeText(fees.base, fees.next));
        expect(shown(live, /last block [█░]+ +(\d+) %/)).toBe((fees.gasUsedRatio * 100).toFixed(0));
        expect(shown(live, /blob base ([\d.,]+) gwei/)).toBe(formatGwei(fees.blob));
        for (const lane of ['Slow', 'Average', 'Fast']) {
          const { price, maxFee, tip } = laneOf(live, lane);
          expect(price).toBeLessThanOrEqual(maxFee);
          // Slow waits for a dip; the others may be included two blocks later, each at most an eighth cheaper.
          if (lane === 'Slow') continue;
          // Shown with three digits, so half of the last one may be missing.
          expect(price).toBeGreaterThanOrEqual(gweiOf(fees.next) * (7 / 8) ** 2 * 0.995);
          expect(maxFee).toBeGreaterThanOrEqual((gweiOf(fees.next) + tip) * 0.99);
        }

        await terminal.press('2');
        const now = `base ${formatGwei(fees.base)}  tip p50 ${formatGwei(fees.tip)}  ${(fees.gasUsedRatio * 100).toFixed(0)} % full`;
        await terminal.waitFor((rows) => rows.some((row) => row.startsWith(' now ') && row.includes(now)));
        await terminal.press('1');
      }
      await setMining(node, true);
      await terminal.press('q');
      expect((await terminal.waitForExit()).exitCode).toBe(0);
      expect(terminal.leftovers()).toEqual([]);
    },
  );
});

it('gastop started again shows what is stored as catching up, without a fault, and is live on its own', async () => {
  const home = await mkdtemp(join(tmpdir(), 'gastop-again-'));
  const stored = Math.floor(Date.now() / 1_000) - 300;
  const node = await startAnvil({ noMining: true, args: ['--timestamp', String(stored)] });
  try {
    await node.rpc('evm_setNextBlockTimestamp', [stored + 1]);
    await node.mine();
    const args = ['--rpc', node.url, '--db', join(home, 'history.db')];
    await using first = await gastop(args);
    await first.waitFor((rows) => blockNumber(rows) === 1 && rows.some((row) => row.includes('│ Average')));
    // A head that is late and stays so is told of.
    await first.waitFor('no new block since');
    await first.press('q');
    expect((await first.waitForExit()).exitCode).toBe(0);

    await node.rpc('evm_setNextBlockTimestamp', [Math.floor(Date.now() / 1_000)]);
    await node.mine();
    await using again = await gastop(args);
    await again.waitFor((rows) => blockNumber(rows) === 2 && /● live/.test(rows[0] ?? ''));
    expect(again.output()).toContain('catching up');
    expect(again.output()).not.toMatch(/no new block since|◌ stale/);
    await again.press('q');
    expect((await again.waitForExit()).exitCode).toBe(0);
  } finally {
    await node.stop();
    await rm(home, { recursive: true, force: true });
  }
});

function blockNumber(rows: readonly string[]): number {
  return Number((/#([\d,]+)/.exec(rows[0] ?? '')?.[1] ?? '-1').replaceAll(',', ''));
}

function shown(rows: readonly string[], pattern: RegExp): string | null {
  return pattern.exec(rows.join('\n'))?.[1] ?? null;
}

function changeText(base: bigint, next: bigint): string {
  const percent = ((Number(next) - Number(base)) / Number(base)) * 100;
  const text = Math.abs(percent).toFixed(1);
  if (Number(text) === 0) return '0.0';
  return percent > 0 ? `+${text}` : `−${text}`;
}

interface Fees {
  readonly block: number;
  readonly base: bigint;
  readonly next: bigint;
  readonly blob: bigint;
  readonly tip: bigint;
  readonly gasUsedRatio: number;
}

/** What the node itself says of its last block. */
async function lastFees(anvil: Anvil): Promise<Fees> {
  const history = (await anvil.rpc('eth_feeHistory', ['0x1', 'latest', [50]])) as {
    oldestBlock: string;
    baseFeePerGas: [string, string];
    baseFeePerBlobGas: [string, string];
    gasUsedRatio: [number];
    reward: [[string]];
  };
  return {
    block: Number(history.oldestBlock),
    base: BigInt(history.baseFeePerGas[0]),
    next: BigInt(history.baseFeePerGas[1]),
    blob: BigInt(history.baseFeePerBlobGas[0]),
    tip: BigInt(history.reward[0][0]),
    gasUsedRatio: history.gasUsedRatio[0],
  };
}

async function setMining(anvil: Anvil, on: boolean): Promise<void> {
  await anvil.rpc('evm_setIntervalMining', [on ? 1 : 0]);
}

function gweiOf(wei: bigint): number {
  return Number(wei) / Number(GWEI);
}

/** Price, max fee and tip of a lane, gwei. */
function laneOf(rows: readonly string[], lane: string): { price: number; maxFee: number; tip: number } {
  const [, , price, maxFee, tip] = (rows.find((row) => row.startsWith(`│ ${lane}`)) ?? '')
    .split('│')
    .map((text) => Number(text.replaceAll(',', '')));
  return { price: price ?? Number.NaN, maxFee: maxFee ?? Number.NaN, tip: tip ?? Number.NaN };
}

/** Bursts of transfers with changing tips, so that base fee, fullness and tips all move. */
function changingDemand(anvil: Anvil): () => Promise<void> {
  const stopping = new AbortController();
  const running = (async () => {
    for (let round = 0; !stopping.signal.aborted; round++) {
      const count = [4, 18, 9, 20, 1][round % 5] ?? 1;
      const tips = Array.from(
        { length: count },
        (_, index) => 1_000_000n * BigInt(1 + ((index * 7 + round) % 23)),
      );
      await anvil.sendTransfers(tips);
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}
