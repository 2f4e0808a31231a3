import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readBlockFile } from '../../src/chain/block-file.ts';
import { chosenSettings } from '../../src/cli/commands/live.ts';
import { processIo } from '../../src/cli/io.ts';
import { openClient } from '../../src/cli/open-source.ts';
import { resolveSettings } from '../../src/cli/settings.ts';
import type { SourceFlags } from '../../src/cli/settings-table.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { captureIo, runMain } from './captured-io.ts';
import { serveRecording } from './served.ts';

const folder = sharedFolder('node');
const env = { XDG_DATA_HOME: folder };

const anvil = await startAnvil({ chainId: 31_337, baseFee: 7_000_000_000, noMining: true });
await anvil.mine(40);
afterAll(() => anvil.stop());

async function baseFeeOf(block: string): Promise<bigint> {
  const answer = await anvil.rpc('eth_feeHistory', ['0x1', block, []]);
  return BigInt((answer as { baseFeePerGas: [string, string] }).baseFeePerGas[0]);
}

it('a URL typed into the monitor is a node where it answers as one, otherwise a service; the key goes to a service only', async () => {
  const io = processIo(process.env);
  const settings = resolveSettings({}, {}, null);
  const keyed = { ...io, env: { GASTOP_API_KEY: 'typed-key' } };
  const ofNode = await chosenSettings(keyed, settings, { url: anvil.url });
  expect(ofNode.source.value).toMatchObject({ kind: 'rpc', urls: [new URL(anvil.url)] });
  const socket = await chosenSettings(keyed, settings, { url: anvil.wsUrl });
  expect(socket.source.value.kind).toBe('rpc');
  const served = await serveRecording();
  const ofService = await chosenSettings(keyed, settings, { url: served.origin });
  expect(served.keys.every((key) => key === undefined)).toBe(true);
  await served.close();
  expect(ofService.source.value).toMatchObject({ kind: 'hosted', apiKey: 'typed-key' });
});

const FILE = 'gastop.db';
const RECORDED = join(
  import.meta.dirname,
  '../fixtures/blocks/mainnet_2024-10-16_60blocks_basefee_blobfee.csv',
);

it.each<readonly [string, SourceFlags, home: string, isEphemeral: boolean]>([
  ['the demo', { demo: true }, folder, true],
  ['the demo in memory by name', { demo: true, db: ':memory:' }, folder, true],
  ['a demo with a file', { demo: true, db: join(folder, FILE) }, folder, false],
  ['a recording', { replay: RECORDED }, folder, true],
  ['a recording with a file', { replay: RECORDED, db: join(folder, `replayed-${FILE}`) }, folder, false],
  ['a node', { rpc: [anvil.url] }, folder, false],
  ['a node where nothing can be stored', { rpc: [anvil.url] }, '/dev/null', true],
])('what is made in %s ends with gastop, or stays', async (_, flags, home, isEphemeral) => {
  const { io } = captureIo({ env: { XDG_DATA_HOME: home } });
  await using opened = await openClient(io, resolveSettings(flags, {}, null), { historySec: 60 });
  expect(opened.isEphemeral).toBe(isEphemeral);
});

describe('a real node', () => {
  it('now shows its newest base fee, and keeps what it has seen in the chain’s own database', async () => {
    const argv = ['now', '--rpc', anvil.url, '--format', '{base:wei} {block} {chain}'];
    const { exitCode, stdout, stderr } = await runMain(argv, { env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(`${await baseFeeOf('latest')} 40 Anvil\n`);
    const database = join(folder, 'gastop', 'chain-31337.db');
    expect(existsSync(database)).toBe(true);
    if (process.platform !== 'win32') expect(statSync(database).mode & 0o777).toBe(0o600);
  });

  it('now again shows the newest block, not the one that was stored last', async () => {
    await anvil.mine(2);
    const { stdout } = await runMain(['now', '--rpc', anvil.url, '--format', '{block} {base:wei}'], { env });
    expect(stdout).toBe(`42 ${await baseFeeOf('latest')}\n`);
  });

  it('a node that answers stands in for one that does not', async () => {
    const argv = ['now', '--rpc', 'http://127.0.0.1:9', anvil.url, '--format', '{block}'];
    expect(await runMain(argv, { env })).toEqual({ exitCode: 0, stdout: '42\n', stderr: '' });
  });

  it('history reaches back to its first block and shows its fees', async () => {
    const argv = ['history', '--rpc', anvil.url, '--csv', '--bucket', 'block', '--window', '1h'];
    const { exitCode, stdout } = await runMain(argv, { env });
    expect(exitCode).toBe(0);
    const rows = stdout.trim().split('\n').slice(1);
    expect(rows.at(-1)?.split(',').slice(1, 3)).toEqual(['42', (await baseFeeOf('latest')).toString()]);
    expect(rows[1]?.split(',')[2]).toBe(
      (await baseFeeOf(`0x${Number(rows[1]?.split(',')[1]).toString(16)}`)).toString(),
    );
  });

  it('record writes its past and then each new block', async () => {
    const out = join(folder, 'blocks.jsonl');
    const stop = new AbortController();
    const running = runMain(['record', '--rpc', anvil.url, '--past', '1h', '--blocks', '46', '--out', out], {
      env,
      signal: stop.signal,
    });
    await expect.poll(() => existsSync(out), { timeout: 120_000 }).toBe(true);
    await anvil.mine(3);
    const { exitCode } = await running;
    expect(exitCode).toBe(0);
    const numbers: number[] = [];
    for await (const block of readBlockFile(out)) numbers.push(block.number);
    expect(numbers).toEqual(Array.from({ length: 46 }, (_, number) => number));
  });
});
