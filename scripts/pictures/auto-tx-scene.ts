import { readFile } from 'node:fs/promises';
import { encodeFunctionData, erc20Abi, type Hex, parseEther } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { type Anvil, startAnvil } from '../../test/helpers/anvil.ts';
import { GWEI, sign } from '../../test/helpers/auto-tx-rig.ts';
import type { Screen } from './screen-svg.ts';
import { openStage, type Stage, stillScreen } from './stage.ts';

/** Whom the development chain of Foundry gives its coins to; everybody knows it. */
const MNEMONIC = 'test test test test test test test test test test test junk';
const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

/** The first recorded block whose base fee the chain takes, and how many it has when the monitor opens. */
const FIRST = 20_973_594;
const HISTORY = 120;
/** Blocks that come while the monitor looks on. */
const BLOCKS = 4;
/** Foundry's own, so that the pictures name the same node each time. */
const PORT = 8_545;
const BLOCK_SEC = 12;
const NOW = Date.parse('2026-03-04T15:20:00Z');

/** A development chain with the base fees of recorded blocks, and auto-txs in several states. */
export async function autoTxPictures(): Promise<Readonly<Record<'auto-txs' | 'auto-tx', Screen>>> {
  await using stage = await openStage({ now: new Date(NOW).toISOString() });
  const fees = await baseFees(stage.recording, FIRST);
  let minedAt = NOW / 1_000 - BLOCK_SEC * HISTORY;
  const node = await startAnvil({ port: PORT, noMining: true, args: ['--timestamp', String(minedAt)] });
  const mine = async () => {
    minedAt += BLOCK_SEC;
    await node.rpc('evm_setNextBlockTimestamp', [minedAt]);
    await node.mine();
  };
  try {
    for (const fee of fees.slice(0, HISTORY)) {
      await node.setNextBaseFee(fee);
      await mine();
    }
    return await picturesOf(stage, node, mine);
  } finally {
    await node.stop();
  }
}

async function picturesOf(
  stage: Stage,
  node: Anvil,
  mine: () => Promise<void>,
): Promise<Readonly<Record<'auto-txs' | 'auto-tx', Screen>>> {
  const source = ['--rpc', node.url, '--db', `${stage.folder}/auto-txs.db`, '--confirmations', '2'];
  const monitor = await stage.monitor(16, source);
  await monitor.press('4');
  await monitor.waitFor('No auto-txs yet');
  const create = (order: Order) =>
    stage.run(['auto-txs', 'create', '-', '--yes', ...order.flags, ...source], order.signed);
  for (const order of await orders()) await create(order);
  await stage.run(['auto-txs', 'cancel', await create(await unwanted()), ...source]);
  // The blocks are as good as empty: each asks for an eighth less than the one before.
  for (let block = 0; block < BLOCKS; block += 1) {
    await mine();
    const number = HISTORY + block + 1;
    await monitor.waitFor((rows) => rows[0]?.includes(`#${number} `));
    await stillScreen(monitor);
  }
  await monitor.waitFor((rows) => rows.at(-1)?.includes('? help'), { timeoutMs: 60_000 });
  await monitor.waitFor(/submitted/);
  const list = await stillScreen(monitor);
  await monitor.press('G');
  await monitor.waitFor(/^ ▸ . (?!waiting)/m);
  await monitor.press('k', 'enter');
  monitor.resize(100, 49);
  await monitor.waitFor('Timeline');
  const details = await stillScreen(monitor);
  return { 'auto-txs': list, 'auto-tx': details };
}

interface Order {
  readonly signed: Hex;
  readonly flags: readonly string[];
}

const CAPS = { maxFeePerGas: 30n * GWEI, maxPriorityFeePerGas: GWEI / 10n };

const wallet = (index: number) => mnemonicToAccount(MNEMONIC, { addressIndex: index });

async function orders(): Promise<readonly Order[]> {
  const call = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [RECEIVER, parseEther('250')],
  });
  return [
    {
      signed: await sign(wallet(0), { ...CAPS, to: RECEIVER, value: parseEther('0.25') }),
      flags: ['--target', '9.5', '--note', 'top up', '--expires', '7d'],
    },
    {
      signed: await sign(wallet(4), { ...CAPS, to: RECEIVER, value: parseEther('0.08') }),
      flags: ['--target', '6', '--note', 'refund', '--expires', '1d'],
    },
    {
      signed: await sign(wallet(2), { ...CAPS, to: TOKEN, value: 0n, data: call, gas: 60_000n }),
      flags: ['--target', '4.2', '--lane', 'slow', '--note', 'allowance', '--expires', '2d'],
    },
    {
      signed: await sign(wallet(3), { ...CAPS, to: RECEIVER, value: parseEther('1.5') }),
      flags: ['--target', '2.5', '--strict', '--note', 'savings'],
    },
  ];
}

async function unwanted(): Promise<Order> {
  return {
    signed: await sign(wallet(5), { ...CAPS, to: RECEIVER, value: parseEther('0.4') }),
    flags: ['--target', '5', '--note', 'not any more'],
  };
}

/** Base fees of the recorded blocks from `first` on, wei. */
async function baseFees(recording: string, first: number): Promise<bigint[]> {
  const rows = (await readFile(recording, 'utf8')).trim().split('\n').slice(1);
  return rows
    .map((row) => row.split(','))
    .filter(([number]) => Number(number) >= first)
    .map(([, , fee = '']) => BigInt(fee));
}
