/** The monitor on a real node: every number on the screen against the node's own `eth_feeHistory`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatGwei } from '../../src/core/units.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { gastop } from '../helpers/gastop.ts';
import type { Terminal } from '../helpers/terminal.ts';

const GWEI = 1_000_000_000n;

let node: Anvil;
let stopDemand: () => Promise<void>;

beforeAll(async () => {
  // 20 transfers fill a block, so demand moves the base fee. It starts at 0.0412 gwei, today's mainnet.
  node = await startAnvil({ blockTime: 1, gasLimit: 420_000, baseFee: 41_200_000n });
  stopDemand = changingDemand(node);
});

afterAll(async () => {
  await stopDemand?.();
  await node?.stop();
});

describe('gastop --rpc on a node that mines every second', () => {
  it("shows the node's own base fee, next base fee and tips, block after block", async () => {
    await using terminal = await gastop(['--rpc', node.url], { cols: 120, rows: 40 });
    let lastBlock = 0;
    for (let compared = 0; compared < 6; compared++) {
      const rows = await terminal.waitFor((now) => {
        const number = blockNumber(now);
        return number > lastBlock && number > 2 && shown(now, /next base ([\d.,]+)/) !== null;
      });
      const block = blockNumber(rows);
      const { base, next } = await nodeFees(node, block);
      expect(shown(rows, /next base ([\d.,]+)/)).toBe(formatGwei(next));
      expect(shown(rows, /next base [\d.,]+ \S (\S+) %/)).toBe(changeText(base, next));
      lastBlock = block;
    }
    await terminal.press('2');
    lastBlock = 0;
    for (let compared = 0; compared < 4; compared++) {
      const rows = await terminal.waitFor(
        (now) => blockNumber(now) > lastBlock && shown(now, /^ now .*tip p50 ([\d.,]+)/m) !== null,
      );
      const line = rows.find((row) => /^ now .*base/.test(row)) ?? '';
      const { known } = await feesOfLastBlocks(node, blockNumber(rows));
      // The chart is asked for on its own, so it may be a block ahead of the status bar or behind it.
      expect(known).toContain(`${/base ([\d.,]+)/.exec(line)?.[1]} ${/tip p50 ([\d.,]+)/.exec(line)?.[1]}`);
      lastBlock = blockNumber(rows);
    }
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    expect(terminal.leftovers()).toEqual([]);
  });

  it('shows the last data dimmed with its age, the reason and the next try while the node is away, then goes on', async () => {
    const own = await startAnvil({ blockTime: 1, baseFee: GWEI });
    await using terminal = await gastop(['--rpc', own.url]);
    await terminal.waitFor(/● live/);
    await terminal.waitFor((rows) => blockNumber(rows) >= 2);
    const state = await own.rpc('anvil_dumpState');
    await own.stop();

    await terminal.waitFor(/refuses/);
    await terminal.waitFor(/again in \d+s|retry in \d+s|next try/);
    const lane = terminal.find('Average');
    expect(lane).not.toBeNull();
    expect(terminal.isDim(lane?.y ?? 0)).toBe(true);
    const before = age(terminal);
    await terminal.waitFor(() => age(terminal) > before + 1);

    const again = await startAnvil({ blockTime: 1, baseFee: GWEI, port: own.port });
    await again.rpc('anvil_loadState', [state]);
    await terminal.waitFor(/● live/, { timeoutMs: 45_000 });
    await terminal.waitFor(() => !terminal.isDim(terminal.find('Average')?.y ?? 0));
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    await again.stop();
  });
});

function age(terminal: Terminal): number {
  const text = /(\d+m)?(\d+)s ago/.exec(terminal.screen()[0] ?? '');
  if (text === null) return -1;
  return Number.parseInt(text[1] ?? '0', 10) * 60 + Number(text[2]);
}

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

async function nodeFees(anvil: Anvil, block: number): Promise<{ base: bigint; next: bigint; tip: bigint }> {
  // One block further than asked for: the entry after a block is the base fee of the block after it.
  const history = (await anvil.rpc('eth_feeHistory', ['0x1', `0x${block.toString(16)}`, [50]])) as {
    baseFeePerGas: [string];
    reward: [[string]];
  };
  const next = (await anvil.rpc('eth_getBlockByNumber', [`0x${(block + 1).toString(16)}`, false])) as {
    baseFeePerGas: string;
  } | null;
  if (next !== null) return result(history, BigInt(next.baseFeePerGas));
  const forecast = (await anvil.rpc('eth_feeHistory', ['0x1', 'latest', [50]])) as {
    oldestBlock: string;
    baseFeePerGas: [string, string];
  };
  // A block may have been mined between the two questions; then ask again.
  if (Number(forecast.oldestBlock) !== block) return nodeFees(anvil, block);
  return result(history, BigInt(forecast.baseFeePerGas[1]));
}

function result(history: { baseFeePerGas: [string]; reward: [[string]] }, next: bigint) {
  return { base: BigInt(history.baseFeePerGas[0]), next, tip: BigInt(history.reward[0][0]) };
}

async function feesOfLastBlocks(anvil: Anvil, block: number): Promise<{ known: string[] }> {
  const known: string[] = [];
  for (let number = Math.max(block - 3, 1); number <= block + 3; number++) {
    try {
      const { base, tip } = await nodeFees(anvil, number);
      known.push(`${formatGwei(base)} ${formatGwei(tip)}`);
    } catch {
      break;
    }
  }
  return { known };
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
