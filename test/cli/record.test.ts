import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeBlock, encodeHeader, readBlockFile } from '../../src/chain/block-file.ts';
import { createLineFile } from '../../src/cli/commands/record.ts';
import type { Block } from '../../src/core/block.ts';
import { BARE_BLOCK } from '../helpers/chain-blocks.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { ended, runMain } from './captured-io.ts';
import { RECORDING } from './served.ts';

const folder = sharedFolder('record');
const at = (name: string): string => join(folder, name);

async function blocksOf(path: string): Promise<Block[]> {
  const blocks: Block[] = [];
  for await (const block of readBlockFile(path)) blocks.push(block);
  return blocks;
}

const block = (number: number, baseFee: bigint): Block => ({
  ...BARE_BLOCK,
  number,
  timestamp: 1_700_000_000 + number * 12,
  baseFeePerGas: baseFee,
  gasUsed: 15_000_000n,
  gasLimit: 30_000_000n,
  gasUsedRatio: 0.5,
});

describe('record', () => {
  it('of a whole recording gives back the same blocks', async () => {
    const out = at('whole.jsonl');
    const result = await runMain(['record', '--replay', RECORDING, '--past', '30d', '--out', out]);
    expect(result).toEqual(ended(0, '', 'gastop: recorded 2,001 blocks (#20,973,164 to #20,975,164)\n'));
    expect(await blocksOf(out)).toEqual(await blocksOf(RECORDING));
  });

  it('stops after so many blocks, or after so much chain time', async () => {
    const replay = ['record', '--replay', RECORDING, '--past', '30d'];
    await runMain([...replay, '--out', at('five.jsonl'), '--blocks', '5']);
    expect((await blocksOf(at('five.jsonl'))).map(({ number }) => number)).toEqual([
      20_973_164, 20_973_165, 20_973_166, 20_973_167, 20_973_168,
    ]);
    await runMain([...replay, '--out', at('minutes.jsonl'), '--window', '10m']);
    const blocks = await blocksOf(at('minutes.jsonl'));
    expect((blocks.at(-1)?.timestamp ?? 0) - (blocks[0]?.timestamp ?? 0)).toBe(600);
  });

  it('ends at an interruption with what it has, exit 0', async () => {
    const stop = new AbortController();
    const out = at('interrupted.jsonl');
    const running = runMain(
      ['record', '--replay', RECORDING, '--speed', '0.5', '--past', '1h', '--out', out],
      {
        signal: stop.signal,
      },
    );
    await expect.poll(() => linesOf(out), { timeout: 120_000 }).toBeGreaterThan(150);
    stop.abort();
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(0);
    const blocks = await blocksOf(out);
    expect(stderr).toContain(`recorded ${blocks.length} blocks`);
    expect(blocks.length).toBeGreaterThan(150);
  });

  it('says once that it goes on after the past', async () => {
    const stop = new AbortController();
    const argv = ['record', '--demo', '--past', '10m', '--out', at('past.jsonl')];
    const { exitCode, stderr } = await runMain(argv, {
      signal: stop.signal,
      onStderr: (text) => {
        if (text.includes('of the past written')) stop.abort();
      },
    });
    expect(exitCode).toBe(0);
    const [first = '', second = ''] = stderr.split('\n');
    expect(first).toMatch(/^gastop: \d+ blocks of the past written; recording on until Ctrl-C or a limit$/);
    expect(second).toMatch(/^gastop: recorded \d+ blocks/);
  });

  it('leaves an existing file alone, and replaces it with --force', async () => {
    writeFileSync(at('precious'), 'mine');
    const argv = ['record', '--replay', RECORDING, '--past', '1h', '--blocks', '1', '--out', at('precious')];
    expect((await runMain(argv)).exitCode).toBe(2);
    expect(readFileSync(at('precious'), 'utf8')).toBe('mine');
    expect((await runMain([...argv, '--force'])).exitCode).toBe(0);
    expect(await blocksOf(at('precious'))).toHaveLength(1);
  });

  it('never begins a file for a node that does not answer', async () => {
    writeFileSync(at('kept'), 'mine');
    const argv = ['record', '--rpc', 'http://127.0.0.1:9', '--out', at('kept'), '--force'];
    expect((await runMain(argv)).exitCode).toBe(3);
    expect(readFileSync(at('kept'), 'utf8')).toBe('mine');
  });
});

describe('a recording being written', () => {
  const recording = async (name: string) => {
    const file = await createLineFile<number>('--out', at(name), 'blocks');
    await file.write(encodeHeader(1));
    const add = (number: number, baseFee: bigint) => file.add(encodeBlock(block(number, baseFee)), number);
    const fees = async () => (await blocksOf(at(name))).map((each) => [each.number, each.baseFeePerGas]);
    return { file, add, fees };
  };

  it('holds no block that the chain has taken back', async () => {
    const { file, add, fees } = await recording('reorg.jsonl');
    for (const number of [1, 2, 3, 4]) await add(number, 10n);
    await file.cutBack((number) => number <= 2);
    await add(3, 33n);
    await file.close();
    expect(await fees()).toEqual([
      [1, 10n],
      [2, 10n],
      [3, 33n],
    ]);
  });

  it('taken back altogether begins again behind its heading', async () => {
    const { file, add, fees } = await recording('all.jsonl');
    await add(5, 10n);
    await file.cutBack((number) => number <= 3);
    expect(file.written.count).toBe(0);
    await add(4, 44n);
    await file.close();
    expect([file.written.first, await fees()]).toEqual([4, [[4, 44n]]]);
  });

  it.each(['', 'mine', 'x'.repeat(9_000)])(
    'that replaces another of %#. kind leaves that as it is until it has a block',
    async (former) => {
      const name = `former-${former.length}`;
      writeFileSync(at(name), former);
      const file = await createLineFile<number>('--out', at(name), 'blocks', true);
      await file.write(encodeHeader(1));
      expect(readFileSync(at(name), 'utf8')).toBe(former);
      await file.close();
      expect(readFileSync(at(name), 'utf8')).toBe(former);
      const again = await createLineFile<number>('--out', at(name), 'blocks', true);
      await again.write(encodeHeader(1));
      await again.add(encodeBlock(block(1, 10n)), 1);
      await again.close();
      expect(await blocksOf(at(name))).toHaveLength(1);
      expect(readdirSync(folder).filter((each) => each.startsWith(name))).toEqual([name]);
    },
  );

  it('without a block is removed at its end', async () => {
    const { file } = await recording('none.jsonl');
    await file.close();
    expect(() => readFileSync(at('none.jsonl'))).toThrow('ENOENT');
  });
});

function linesOf(path: string): number {
  try {
    return readFileSync(path, 'utf8').split('\n').length;
  } catch {
    return 0;
  }
}
